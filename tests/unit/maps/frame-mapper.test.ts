import { expect, it } from 'vitest'
import { createFrameMapper, NotMappedError } from '../../../collector/maps/frame-mapper'
import type { SentStacks } from '../../../collector/maps/map-frames'
import type { ThreadHandle } from '../../../collector/runtime/thread-call'
import type { EventDetail } from '../../../lib/wire/event'

const event = (eventId: string, value = 'declined'): EventDetail =>
  ({ eventId, timestampUs: 5_000_000, exceptions: [{ type: 'Error', value, frames: [] }] }) as never

/** A mapper whose thread answers when the test says so, with timers that the test runs. */
function scripted() {
  const timers = new Map<() => void, number>()
  const open: { stacks: SentStacks; answer: () => void; fail: (error: Error) => void }[] = []
  const log: string[] = []
  const thread: ThreadHandle = {
    call: (_, stacks) =>
      new Promise((resolve, reject) => {
        const of = stacks as SentStacks
        const mapped = { eventId: of.eventId, summary: '', exceptions: [{ frames: [] }] }
        open.push({ stacks: of, answer: () => resolve(mapped as never), fail: reject })
      }),
    stop: async () => void log.push('stop'),
    kill: async (reason) => {
      log.push('kill')
      open.shift()?.fail(new Error(reason))
    },
  }
  const mapper = createFrameMapper({
    file: '/data/frames.db',
    roots: ['/app'],
    later: (work, ms) => {
      timers.set(work, ms)
      return () => void timers.delete(work)
    },
    start: ({ data }) => {
      log.push(`start ${JSON.stringify(data)}`)
      return thread
    },
  })
  const run = (ms: number): void => {
    for (const [work, after] of [...timers]) if (after === ms && timers.delete(work)) work()
  }
  return { mapper, open, log, run }
}
const START = 'start {"file":"/data/frames.db","roots":["/app"]}'

it('maps one event at a time, on a thread that ends after 30 s without queries', async () => {
  const { mapper, open, log, run } = scripted()
  const both = [mapper.mapFrames(event('a')), mapper.mapFrames(event('b'))]
  await expect.poll(() => open.map(({ stacks }) => stacks.eventId)).toEqual(['a'])
  expect(open[0]?.stacks.timestampMs).toBe(5000)
  open.shift()?.answer()
  await expect.poll(() => open.map(({ stacks }) => stacks.eventId)).toEqual(['b'])
  open.shift()?.answer()
  expect((await Promise.all(both)).map(({ eventId }) => eventId)).toEqual(['a', 'b'])
  run(30_000)
  expect(log).toEqual([START, 'stop'])
})

it('ends a thread that takes longer than 20 s, and maps the next event on another', async () => {
  const { mapper, open, run } = scripted()
  const slow = mapper.mapFrames(event('a'))
  await expect.poll(() => open.length).toBe(1)
  const next = mapper.mapFrames(event('b'))
  run(20_000)
  await expect(slow).rejects.toThrow(new NotMappedError('mapping them took longer than 20 s'))
  await expect.poll(() => open.length).toBe(1)
  open.shift()?.answer()
  expect((await next).eventId).toBe('b')
})

it('reports a thread that ran out of memory', async () => {
  const { mapper, open } = scripted()
  const large = mapper.mapFrames(event('a'))
  await expect.poll(() => open.length).toBe(1)
  open.shift()?.fail(new Error('Worker terminated due to reaching memory limit: JS heap out of memory'))
  await expect(large).rejects.toThrow('mapping them takes more than 1024 MiB of memory')
})

it('decodes the messages of React', async () => {
  const { mapper, open } = scripted()
  const mapped = mapper.mapFrames(event('a', 'Minified React error #185; visit https://react.dev/errors/185'))
  await expect.poll(() => open.length).toBe(1)
  open.shift()?.answer()
  expect((await mapped).exceptions[0]?.decodedMessage).toMatch(/^Maximum update depth exceeded/)
})

it('maps nothing after it is closed', async () => {
  const { mapper } = scripted()
  await mapper.close()
  await expect(mapper.mapFrames(event('a'))).rejects.toThrow('stopping')
})
