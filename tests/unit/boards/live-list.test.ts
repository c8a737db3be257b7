import { describe, expect, it } from 'vitest'
import {
  appendOlder,
  emptyList,
  type LiveList,
  mergeNewest,
  revealWaiting,
  startList,
} from '../../../dashboards/live/arrange/live-list'

interface Row {
  readonly id: number
  readonly fate: string
}

const identity = { keyOf: (row: Row) => String(row.id), orderOf: (row: Row) => row.id }
const row = (id: number, fate = 'pending'): Row => ({ id, fate })
const page = (ids: readonly number[], next: string | null = 'older', fate = 'pending') => ({
  rows: ids.map((id) => row(id, fate)),
  next,
})
const shown = (list: LiveList<Row>): readonly number[] => list.rows.map((one) => one.id)
const waiting = (list: LiveList<Row>): readonly number[] => list.waiting.map((one) => one.id)
const start = mergeNewest(emptyList<Row>(), page([5, 4, 3]), false, identity)

describe('a list that is read at its top', () => {
  it('takes new rows on top', () => {
    const list = mergeNewest(start, page([7, 6, 5]), false, identity)
    expect([shown(list), waiting(list)]).toEqual([[7, 6, 5, 4, 3], []])
  })

  it('updates a row in place without a change of order', () => {
    const list = mergeNewest(start, { rows: [row(5), row(4, 'accepted'), row(3)], next: null }, false, identity)
    expect(list.rows.map((one) => one.fate)).toEqual(['pending', 'accepted', 'pending'])
    expect(shown(list)).toEqual([5, 4, 3])
  })

  it('keeps its way to older rows when new ones come', () => {
    expect(mergeNewest(start, page([6, 5], 'other'), false, identity).next).toBe('older')
  })

  it('starts anew when more came than was read, so that no hole hides in it', () => {
    const list = mergeNewest(start, page([99, 98], 'after 98'), false, identity)
    expect([shown(list), list.next]).toEqual([[99, 98], 'after 98'])
  })
})

describe('a list that is read in its middle', () => {
  const held = mergeNewest(start, page([7, 6, 5, 4]), true, identity)

  it('moves nothing: new rows wait', () => {
    expect([shown(held), waiting(held)]).toEqual([
      [5, 4, 3],
      [7, 6],
    ])
  })

  it('updates waiting and shown rows in place', () => {
    const list = mergeNewest(held, page([8, 7, 6, 5, 4, 3], 'older', 'accepted'), true, identity)
    expect(waiting(list)).toEqual([8, 7, 6])
    expect([...list.waiting, ...list.rows].every((one) => one.fate === 'accepted')).toBe(true)
  })

  it('shows them on top when the reader asks', () => {
    expect(shown(revealWaiting(held))).toEqual([7, 6, 5, 4, 3])
    expect(waiting(revealWaiting(held))).toEqual([])
  })

  it('shows them when the reader is back at the top', () => {
    expect(shown(mergeNewest(held, page([7, 6, 5]), false, identity))).toEqual([7, 6, 5, 4, 3])
  })

  it('stays as it is when more came than was read, and starts anew when the reader asks', () => {
    const gapped = mergeNewest(held, page([99, 98], 'after 98'), true, identity)
    expect([shown(gapped), waiting(gapped)]).toEqual([
      [5, 4, 3],
      [99, 98],
    ])
    const revealed = revealWaiting(gapped)
    expect([shown(revealed), revealed.next, revealed.gap]).toEqual([[99, 98], 'after 98', null])
  })
})

describe('older rows', () => {
  it('go to the end, each once', () => {
    const list = appendOlder(start, page([3, 2, 1], null), identity)
    expect([shown(list), list.next]).toEqual([[5, 4, 3, 2, 1], null])
  })
})

describe('a list that was cleared', () => {
  it('knows only what is there now', () => {
    expect(startList(page([9], null))).toMatchObject({ waiting: [], gap: null, next: null, loaded: true })
  })

  it('fills from the first row that comes', () => {
    const cleared = mergeNewest(start, page([], null), false, identity)
    expect(shown(mergeNewest(startList<Row>({ rows: [], next: null }), page([6], null), true, identity))).toEqual([6])
    expect(shown(cleared)).toEqual([5, 4, 3])
  })
})

describe('a newest row below what is shown', () => {
  it.each([false, true])('begins the list anew, for what is shown is gone or another folder’s (held: %s)', (hold) => {
    const list = mergeNewest(start, page([2, 1], null), hold, identity)
    expect([shown(list), waiting(list), list.next]).toEqual([[2, 1], [], null])
  })

  it('counts what waits as shown', () => {
    const held = mergeNewest(start, page([7, 6, 5]), true, identity)
    expect(shown(mergeNewest(held, page([6, 5], null), false, identity))).toEqual([6, 5])
  })
})
