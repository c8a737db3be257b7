import { describe, expect, it } from 'vitest'
import {
  appendOlder,
  emptyList,
  type LiveListState,
  mergeNewest,
  revealWaiting,
  searchedBackTo,
  startList,
} from '../../../dashboards/ui/live-list-state'
import { journalOfCursor } from '../../../lib/wire/filter'
import { writeCursor } from '../../../lib/wire/list-paging'

interface Row {
  readonly id: number
  readonly deliveryStatus: string
}

const identity = { keyOf: (row: Row) => String(row.id), orderOf: (row: Row) => row.id }
const row = (id: number, deliveryStatus = 'pending'): Row => ({ id, deliveryStatus })

/** A page that the server searched down to its last row, or to `reach`; `null` is the end. */
function page(ids: readonly number[], reach: number | null = ids.at(-1) ?? null, deliveryStatus = 'pending') {
  const next = reach === null ? null : writeCursor({ journal: reach, id: 'aa' })
  return { rows: ids.map((id) => row(id, deliveryStatus)), next, head: 100 }
}

const shown = (list: LiveListState<Row>): readonly number[] => list.rows.map((one) => one.id)
const waiting = (list: LiveListState<Row>): readonly number[] => list.waiting.map((one) => one.id)
const reached = (list: LiveListState<Row>): number | null => (list.next === null ? null : journalOfCursor(list.next))
const start = mergeNewest(emptyList<Row>(), page([5, 4, 3]), false, identity)

describe('a list at its top', () => {
  it('adds new rows on top', () => {
    const list = mergeNewest(start, page([7, 6, 5]), false, identity)
    expect([shown(list), waiting(list)]).toEqual([[7, 6, 5, 4, 3], []])
  })

  it('updates a row in place', () => {
    const list = mergeNewest(
      start,
      { rows: [row(5), row(4, 'accepted'), row(3)], next: null, head: 100 },
      false,
      identity,
    )
    expect(list.rows.map((one) => one.deliveryStatus)).toEqual(['pending', 'accepted', 'pending'])
    expect(shown(list)).toEqual([5, 4, 3])
  })

  it('keeps the cursor to older rows when new ones arrive', () => {
    expect(reached(mergeNewest(start, page([6, 5]), false, identity))).toBe(3)
  })

  it('restarts when more arrived than was read, so that it has no hole', () => {
    const list = mergeNewest(start, page([99, 98]), false, identity)
    expect([shown(list), reached(list)]).toEqual([[99, 98], 98])
  })

  it('removes rows that are no longer on the page', () => {
    expect(shown(mergeNewest(start, page([6, 5, 3]), false, identity))).toEqual([6, 5, 3])
    expect(shown(mergeNewest(start, page([], null), false, identity))).toEqual([])
  })

  it('keeps rows that the page does not cover', () => {
    expect(shown(mergeNewest(start, page([6], 4), false, identity))).toEqual([6, 4, 3])
  })

  it('inserts a row that starts to match at its position', () => {
    const sparse = startList(page([9, 5, 1]))
    expect(shown(mergeNewest(sparse, page([9, 7, 5, 1]), false, identity))).toEqual([9, 7, 5, 1])
  })
})

describe('a list that is held', () => {
  const held = mergeNewest(start, page([7, 6, 5, 4]), true, identity)

  it('moves no row: new rows wait', () => {
    expect([shown(held), waiting(held)]).toEqual([
      [5, 4, 3],
      [7, 6],
    ])
  })

  it('keeps a removed row until it is released', () => {
    const list = mergeNewest(held, page([7, 6, 5, 3]), true, identity)
    expect(shown(list)).toEqual([5, 4, 3])
    expect(shown(mergeNewest(list, page([7, 6, 5, 3]), false, identity))).toEqual([7, 6, 5, 3])
  })

  it('reveals a row that starts to match at its position', () => {
    const list = mergeNewest(startList(page([9, 5, 1])), page([9, 7, 5, 1]), true, identity)
    expect([shown(list), waiting(list)]).toEqual([[9, 5, 1], [7]])
    expect(shown(revealWaiting(list, identity))).toEqual([9, 7, 5, 1])
  })

  it('joins new rows while an older one waits', () => {
    const list = mergeNewest(startList(page([9, 5, 1])), page([9, 7, 5, 1]), true, identity)
    const more = mergeNewest(list, page([12, 9]), true, identity)
    expect([shown(more), waiting(more), more.gap]).toEqual([[9, 5, 1], [12, 7], null])
  })

  it('updates waiting and visible rows in place', () => {
    const list = mergeNewest(held, page([8, 7, 6, 5, 4, 3], 3, 'accepted'), true, identity)
    expect(waiting(list)).toEqual([8, 7, 6])
    expect([...list.waiting, ...list.rows].every((one) => one.deliveryStatus === 'accepted')).toBe(true)
  })

  it('shows waiting rows on top when revealed', () => {
    expect(shown(revealWaiting(held, identity))).toEqual([7, 6, 5, 4, 3])
    expect(waiting(revealWaiting(held, identity))).toEqual([])
  })

  it('shows waiting rows when released', () => {
    expect(shown(mergeNewest(held, page([7, 6, 5]), false, identity))).toEqual([7, 6, 5, 4, 3])
  })

  it('keeps its rows when more arrived than was read, and restarts when revealed', () => {
    const gapped = mergeNewest(held, page([99, 98]), true, identity)
    expect([shown(gapped), waiting(gapped)]).toEqual([
      [5, 4, 3],
      [99, 98],
    ])
    const revealed = revealWaiting(gapped, identity)
    expect([shown(revealed), reached(revealed), revealed.gap]).toEqual([[99, 98], 98, null])
  })
})

it('older rows are added at the end, each once', () => {
  const list = appendOlder(start, page([3, 2, 1], null), identity)
  expect([shown(list), list.next]).toEqual([[5, 4, 3, 2, 1], null])
})

describe('a list whose pages end early', () => {
  const nothing = { ...startList(page([], 60)), head: 90 }

  it('reports how far the server searched beyond the last row', () => {
    expect(searchedBackTo(start, identity)).toBeNull()
    expect(searchedBackTo(startList(page([5, 4], 2)), identity)).toBe(2)
    expect(searchedBackTo(nothing, identity)).toBe(60)
    expect(searchedBackTo(startList(page([5], null)), identity)).toBeNull()
  })

  it('keeps its furthest cursor when nothing new is found', () => {
    const further = appendOlder(nothing, page([], 20), identity)
    expect(reached(mergeNewest(further, page([], 70), false, identity))).toBe(20)
  })

  it('restarts when the page does not reach the known rows', () => {
    expect(reached(mergeNewest(nothing, { ...page([], 95), head: 200 }, false, identity))).toBe(95)
  })

  it('shows the first matching row even when held', () => {
    const list = mergeNewest(nothing, page([98], 70), true, identity)
    expect([shown(list), reached(list)]).toEqual([[98], 60])
  })

  it('joins new rows to old ones across a range without matches', () => {
    const list = mergeNewest(startList(page([50, 40], 10)), page([99], 45), false, identity)
    expect([shown(list), reached(list)]).toEqual([[99, 40], 10])
  })
})

describe('a paused list', () => {
  it('changes no visible row, and all new rows wait', () => {
    const list = mergeNewest(start, page([6, 5, 4, 3], 3, 'accepted'), 'all', identity)
    expect(list.rows).toEqual(start.rows)
    expect(waiting(list)).toEqual([6])
    const shownAgain = mergeNewest(revealWaiting(list, identity), page([6, 5, 4, 3], 3, 'accepted'), false, identity)
    expect(shownAgain.rows.map((one) => one.deliveryStatus)).toEqual(['accepted', 'accepted', 'accepted', 'accepted'])
  })

  it('without rows stays so until it is resumed', () => {
    const list = mergeNewest(startList<Row>(page([], null)), page([6], null), 'all', identity)
    expect([shown(list), waiting(list)]).toEqual([[], [6]])
    expect(shown(revealWaiting(list, identity))).toEqual([6])
  })
})

it('a list that was cleared has only the rows of the new page', () => {
  expect(startList(page([9], null))).toMatchObject({ waiting: [], gap: null, next: null, loaded: true })
})

it('a list that was cleared shows the first arriving row', () => {
  expect(shown(mergeNewest(startList<Row>(page([], null)), page([6], null), true, identity))).toEqual([6])
})

it.each([false, true])(
  'a newest row below the visible ones restarts the list, because the visible rows are gone (held: %s)',
  (hold) => {
    const list = mergeNewest(start, page([2, 1], null), hold, identity)
    expect([shown(list), waiting(list), list.next]).toEqual([[2, 1], [], null])
  },
)

it('a newest row below the visible ones counts waiting rows as known', () => {
  const held = mergeNewest(start, page([7, 6, 5]), true, identity)
  expect(shown(mergeNewest(held, page([6, 5], null), false, identity))).toEqual([6, 5])
})

it.each([false, true])(
  'a journal that ends before the last read belongs to another data folder and restarts the list (held: %s)',
  (hold) => {
    expect(shown(mergeNewest(start, { ...page([5, 4], null), head: 9 }, hold, identity))).toEqual([5, 4])
  },
)

it.each([
  [writeCursor({ journal: 123, id: 'abc' }), 123],
  [writeCursor({ journal: 7, id: '' }), 7],
  [writeCursor({ journal: 42, id: 'a word/of 5-its own' }), 42],
  ['', null],
  ['x-1', null],
])('the cursor %s contains the journal number %j', (cursor, journal) => {
  expect(journalOfCursor(cursor)).toBe(journal)
})
