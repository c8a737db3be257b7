import { expect, it } from 'vitest'
import { NotMappedError } from '../../../collector/maps/frame-mapper'
import { createGroupFrames, MOST_EVENTS } from '../../../collector/maps/group-frames'
import { groupFramesSchema, type MappedFrame } from '../../../lib/wire/mapped-frames'
import { drawnEvent } from '../dashboards/drawn-error'

const HASH = 'a'.repeat(32)
const raw = { filename: 'app:///_next/a.js', function: 'x', line: 1, column: 110 }
const mapped = (line: number, more: { readonly inApp?: boolean; readonly otherBuild?: string } = {}): MappedFrame => ({
  ...{ raw, result: 'mapped', source: 'app/pay.ts', path: null, line, column: 3, function: 'pay', code: [] },
  ...{ inApp: true, otherBuild: null, ...more },
})
const lost: MappedFrame = { raw, inApp: true, result: 'not found', reason: 'no such file', lookedFor: [] }
const asSent: MappedFrame = { raw, inApp: false, result: 'as sent', reason: 'no script', path: null, code: [] }

/** Reads a group whose events, newest first, have these stacks. @param took ms of each mapping */
async function read(stacks: readonly (readonly MappedFrame[] | Error | null)[], took = 0) {
  let clock = 0
  const events = stacks.map((_, at) => ({ eventId: `e${at}` }))
  const groupFrames = createGroupFrames({
    errorGroup: async (hash) => (hash === HASH ? { events } : null),
    readEvent: async (eventId) => (stacks[Number(eventId.slice(1))] === null ? null : { ...drawnEvent, eventId }),
    mapFrames: async ({ eventId }) => {
      clock += took
      const stack = stacks[Number(eventId.slice(1))] ?? []
      if (stack instanceof Error) throw stack
      return { eventId, summary: '', exceptions: [{ decodedMessage: null, frames: [...stack] }] }
    },
    monotonic: () => clock,
  })
  expect(await groupFrames('b'.repeat(32))).toBeNull()
  return groupFramesSchema.parse(await groupFrames(HASH))
}

it('counts distinct top frames, each with its newest event: the newest call of the app, in its source', async () => {
  const library = mapped(9, { inApp: false })
  const stacks = [[mapped(1)], [library, mapped(2), mapped(3)], [mapped(2)], [library], [mapped(2)]]
  const { frames, ...rest } = await read(stacks)
  expect(rest).toEqual({ hash: HASH, read: 5, stopped: null })
  expect(frames.map(({ file, line, count, eventId }) => [file, line, count, eventId])).toEqual([
    ['app/pay.ts', 2, 3, 'e1'],
    ['app/pay.ts', 1, 1, 'e0'],
    ['app/pay.ts', 9, 1, 'e3'],
  ])
})

it('says why a frame is not mapped, may be of another build, or is missing', async () => {
  const { frames } = await read([[lost], [asSent], [], [mapped(1, { otherBuild: 'it is newer' })]])
  expect(frames.map(({ file, column, note }) => [file, column, note])).toEqual([
    [raw.filename, 110, 'not mapped: no such file'],
    [raw.filename, null, null],
    [null, null, 'no stack'],
    ['app/pay.ts', null, 'may be another build: it is newer'],
  ])
})

it('reads the newest 20 events, without those that were evicted meanwhile', async () => {
  const { read: many } = await read([null, ...Array.from({ length: 50 }, () => [mapped(1)])])
  expect([MOST_EVENTS, many]).toEqual([20, 19])
})

it('stops after 5 s, and says so', async () => {
  const stacks = Array.from({ length: 20 }, () => [mapped(1)])
  expect(await read(stacks, 2600)).toMatchObject({ read: 2, stopped: 'mapping them took longer than 5 s' })
})

it('answers what was read when an event cannot be mapped, and rejects for any other error', async () => {
  const stopped = await read([[mapped(1)], new NotMappedError('it took longer than 20 s'), [mapped(1)]])
  expect(stopped).toMatchObject({ read: 1, stopped: expect.stringContaining('it took longer than 20 s') })
  await expect(read([new Error('a bug')])).rejects.toThrow('a bug')
})
