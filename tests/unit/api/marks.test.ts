import { describe, expect, it } from 'vitest'
import { createMarks } from '../../../collector/api/marks'
import { isMarkName, type Mark, MOST_MARKS } from '../../../lib/wire/marks'

function collectorWith(count: number) {
  const saved: [string, Mark | null][] = []
  const kept = new Map<string, Mark>()
  for (let n = 0; n < count; n += 1) kept.set(`m${n}`, { name: `m${n}`, journal: 500 - n, at: 1000 })
  const state = { journal: 900 }
  const marks = createMarks({
    read: async () => [...kept.values()],
    save: async (name, mark) => {
      saved.push([name, mark])
      if (mark === null) kept.delete(name)
      else kept.set(name, mark)
    },
    head: async () => state.journal,
    now: () => 2000,
  })
  return { marks, saved, state, kept }
}

describe('the name of a mark', () => {
  it.each(['before', 'fix-2', 'a', 'Cart.v1_b', `a${'b'.repeat(63)}`])('may be %j', (name) => {
    expect(isMarkName(name)).toBe(true)
  })
  it.each(['', 'now', 'NOW', '7', '10m', '2026-11-21', '-a', 'a b', 'runs/a', 'é', 'a'.repeat(65), 'ab'.repeat(16)])(
    'is not %j',
    (name) => {
      expect(isMarkName(name)).toBe(false)
    },
  )
})

describe('a mark', () => {
  it('is the newest journal number, is stored, and is listed by its number', async () => {
    const { marks, saved } = collectorWith(2)
    const mark = { name: 'before', journal: 900, at: 2000 }
    expect(await marks.order({ name: 'before' })).toEqual({ ok: true, value: { mark, before: null } })
    expect(saved).toEqual([['before', mark]])
    expect((await marks.list()).marks.map(({ name }) => name)).toEqual(['m1', 'm0', 'before'])
  })

  it('moves when its name is used again, and says where it was', async () => {
    const { marks, state } = collectorWith(0)
    await marks.order({ name: 'before' })
    state.journal = 950
    expect(await marks.order({ name: 'before' })).toMatchObject({
      value: { mark: { journal: 950 }, before: { journal: 900 } },
    })
    expect((await marks.list()).marks).toHaveLength(1)
  })

  it('is one of at most 100; the refusal names the oldest, and a deletion makes space', async () => {
    const { marks, saved } = collectorWith(MOST_MARKS)
    expect(await marks.order({ name: 'one-more' })).toEqual({
      ok: false,
      error: { status: 409, detail: 'there are 100 marks, which is the most; delete one, such as the oldest: m99' },
    })
    expect(saved).toEqual([])
    expect((await marks.order({ name: 'm5' })).ok).toBe(true)
    expect(await marks.order({ name: 'm99', do: 'delete' })).toMatchObject({ value: { mark: null } })
    expect((await marks.order({ name: 'one-more' })).ok).toBe(true)
  })

  it('is one of at most 100 also when two are set at once', async () => {
    const { marks } = collectorWith(MOST_MARKS - 1)
    const both = await Promise.all([marks.order({ name: 'one' }), marks.order({ name: 'other' })])
    expect(both.filter(({ ok }) => ok)).toHaveLength(1)
    expect((await marks.list()).marks).toHaveLength(MOST_MARKS)
  })

  it('of another collector is listed, moved and deleted', async () => {
    const { marks, kept } = collectorWith(0)
    const other = { name: 'other', journal: 700, at: 1500 }
    kept.set('other', other)
    expect((await marks.list()).marks).toEqual([other])
    expect(await marks.order({ name: 'other' })).toMatchObject({ value: { before: other } })
    expect(await marks.order({ name: 'other', do: 'delete' })).toMatchObject({ value: { mark: null } })
  })

  it('that does not exist cannot be deleted; a similar name is suggested', async () => {
    const { marks } = collectorWith(0)
    expect(await marks.order({ name: 'befor', do: 'delete' })).toMatchObject({
      error: { status: 404, detail: 'there is no mark befor; there is none' },
    })
    await marks.order({ name: 'before' })
    expect(await marks.order({ name: 'befor', do: 'delete' })).toMatchObject({
      error: { detail: 'there is no mark befor; did you mean before?' },
    })
  })
})
