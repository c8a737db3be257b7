import { expect, it } from 'vitest'
import { createMarkGroup } from '../../../collector/api/group-marks'
import { MOST_MARKED_GROUPS } from '../../../lib/wire/error-groups'

type Saved = Parameters<Parameters<typeof createMarkGroup>[0]['save']>

const hashOf = (n: number): string => String(n).padStart(32, '0')

function marks(stored: number) {
  const saved: Saved[] = []
  const all = Array.from({ length: stored }, (_, n) => [hashOf(n), { muted: true, note: null }] as const)
  const kept = new Map<string, NonNullable<Saved[1]>>(all)
  const mark = createMarkGroup({
    read: async () => new Map(kept),
    save: async (...call) => {
      saved.push(call)
      const [hash, value] = call
      if (value === null) kept.delete(hash)
      else kept.set(hash, value)
    },
  })
  return { mark, saved, kept }
}

it('changes the fields that are given, and keeps the others', async () => {
  const { mark, saved } = marks(1)
  const noted = { muted: true, note: 'known since May' }
  expect(await mark({ hash: hashOf(0), note: ' known since May ' })).toEqual({
    ok: true,
    value: { hash: hashOf(0), ...noted },
  })
  expect(await mark({ hash: hashOf(0), muted: false })).toMatchObject({
    value: { muted: false, note: 'known since May' },
  })
  expect(saved).toEqual([
    [hashOf(0), noted],
    [hashOf(0), { ...noted, muted: false }],
  ])
})

it('deletes a mark that says nothing any more', async () => {
  const { mark, saved } = marks(1)
  expect(await mark({ hash: hashOf(0), muted: false, note: '' })).toMatchObject({ value: { muted: false, note: null } })
  expect(saved).toEqual([[hashOf(0), null]])
})

it('marks at most 1000 groups, and takes another after one is unmuted', async () => {
  const { mark, saved } = marks(MOST_MARKED_GROUPS)
  const refused = await mark({ hash: hashOf(5000), muted: true })
  expect(refused.ok ? '' : refused.error).toContain('1000 groups of errors are muted or have a note')
  expect(saved).toEqual([])
  expect((await mark({ hash: hashOf(0), note: 'still possible' })).ok).toBe(true)
  await mark({ hash: hashOf(1), muted: false })
  expect((await mark({ hash: hashOf(5000), muted: true })).ok).toBe(true)
})

it('keeps what another collector has set meanwhile', async () => {
  const { mark, kept } = marks(1)
  kept.set(hashOf(0), { muted: true, note: 'by the other one' })
  expect(await mark({ hash: hashOf(0), muted: false })).toMatchObject({ value: { note: 'by the other one' } })
})
