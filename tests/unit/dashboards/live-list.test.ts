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
import { writeCursor } from '../../../lib/wire/list-position'

interface Row {
  readonly id: number
  readonly deliveryStatus: string
}

const identity = { keyOf: (row: Row) => String(row.id), orderOf: (row: Row) => row.id }
const row = (id: number, deliveryStatus = 'pending'): Row => ({ id, deliveryStatus })

/** A page that was looked for down to its last row, or to `reach`; `null` is the end. */
function page(ids: readonly number[], reach: number | null = ids.at(-1) ?? null, deliveryStatus = 'pending') {
  const next = reach === null ? null : writeCursor({ journal: reach, id: 'aa' })
  return { rows: ids.map((id) => row(id, deliveryStatus)), next, head: 100 }
}

const shown = (list: LiveListState<Row>): readonly number[] => list.rows.map((one) => one.id)
const waiting = (list: LiveListState<Row>): readonly number[] => list.waiting.map((one) => one.id)
const reached = (list: LiveListState<Row>): number | null => (list.next === null ? null : journalOfCursor(list.next))
const start = mergeNewest(emptyList<Row>(), page([5, 4, 3]), false, identity)

describe('a list that is read at its top', () => {
  it('takes new rows on top', () => {
    const list = mergeNewest(start, page([7, 6, 5]), false, identity)
    expect([shown(list), waiting(list)]).toEqual([[7, 6, 5, 4, 3], []])
  })

  it('updates a row in place without a change of order', () => {
    const list = mergeNewest(
      start,
      { rows: [row(5), row(4, 'accepted'), row(3)], next: null, head: 100 },
      false,
      identity,
    )
    expect(list.rows.map((one) => one.deliveryStatus)).toEqual(['pending', 'accepted', 'pending'])
    expect(shown(list)).toEqual([5, 4, 3])
  })

  it('keeps its way to older rows when new ones come', () => {
    expect(reached(mergeNewest(start, page([6, 5]), false, identity))).toBe(3)
  })

  it('starts anew when more came than was read, so that no hole hides in it', () => {
    const list = mergeNewest(start, page([99, 98]), false, identity)
    expect([shown(list), reached(list)]).toEqual([[99, 98], 98])
  })

  it('loses what is on the page no more: it went, or ceased to match', () => {
    expect(shown(mergeNewest(start, page([6, 5, 3]), false, identity))).toEqual([6, 5, 3])
    expect(shown(mergeNewest(start, page([], null), false, identity))).toEqual([])
  })

  it('keeps what the page did not look at', () => {
    expect(shown(mergeNewest(start, page([6], 4), false, identity))).toEqual([6, 4, 3])
  })

  it('takes a row that begins to match at its own place', () => {
    const sparse = startList(page([9, 5, 1]))
    expect(shown(mergeNewest(sparse, page([9, 7, 5, 1]), false, identity))).toEqual([9, 7, 5, 1])
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

  it('keeps a row that is on the page no more, until the reader is back at the top', () => {
    const list = mergeNewest(held, page([7, 6, 5, 3]), true, identity)
    expect(shown(list)).toEqual([5, 4, 3])
    expect(shown(mergeNewest(list, page([7, 6, 5, 3]), false, identity))).toEqual([7, 6, 5, 3])
  })

  it('lets a row wait that begins to match, and shows it at its own place', () => {
    const list = mergeNewest(startList(page([9, 5, 1])), page([9, 7, 5, 1]), true, identity)
    expect([shown(list), waiting(list)]).toEqual([[9, 5, 1], [7]])
    expect(shown(revealWaiting(list, identity))).toEqual([9, 7, 5, 1])
  })

  it('joins what comes to what is shown, also while an older row waits', () => {
    const list = mergeNewest(startList(page([9, 5, 1])), page([9, 7, 5, 1]), true, identity)
    const more = mergeNewest(list, page([12, 9]), true, identity)
    expect([shown(more), waiting(more), more.gap]).toEqual([[9, 5, 1], [12, 7], null])
  })

  it('updates waiting and shown rows in place', () => {
    const list = mergeNewest(held, page([8, 7, 6, 5, 4, 3], 3, 'accepted'), true, identity)
    expect(waiting(list)).toEqual([8, 7, 6])
    expect([...list.waiting, ...list.rows].every((one) => one.deliveryStatus === 'accepted')).toBe(true)
  })

  it('shows them on top when the reader asks', () => {
    expect(shown(revealWaiting(held, identity))).toEqual([7, 6, 5, 4, 3])
    expect(waiting(revealWaiting(held, identity))).toEqual([])
  })

  it('shows them when the reader is back at the top', () => {
    expect(shown(mergeNewest(held, page([7, 6, 5]), false, identity))).toEqual([7, 6, 5, 4, 3])
  })

  it('stays as it is when more came than was read, and starts anew when the reader asks', () => {
    const gapped = mergeNewest(held, page([99, 98]), true, identity)
    expect([shown(gapped), waiting(gapped)]).toEqual([
      [5, 4, 3],
      [99, 98],
    ])
    const revealed = revealWaiting(gapped, identity)
    expect([shown(revealed), reached(revealed), revealed.gap]).toEqual([[99, 98], 98, null])
  })
})

describe('older rows', () => {
  it('go to the end, each once', () => {
    const list = appendOlder(start, page([3, 2, 1], null), identity)
    expect([shown(list), list.next]).toEqual([[5, 4, 3, 2, 1], null])
  })
})

describe('a list whose pages end early', () => {
  const nothing = { ...startList(page([], 60)), head: 90 }

  it('says how far it was looked through, where that is further than its rows reach', () => {
    expect(searchedBackTo(start, identity)).toBeNull()
    expect(searchedBackTo(startList(page([5, 4], 2)), identity)).toBe(2)
    expect(searchedBackTo(nothing, identity)).toBe(60)
    expect(searchedBackTo(startList(page([5], null)), identity)).toBeNull()
  })

  it('does not lose how far it was looked through when nothing new is found', () => {
    const further = appendOlder(nothing, page([], 20), identity)
    expect(reached(mergeNewest(further, page([], 70), false, identity))).toBe(20)
  })

  it('begins anew when too much came to have looked at all of it', () => {
    expect(reached(mergeNewest(nothing, { ...page([], 95), head: 200 }, false, identity))).toBe(95)
  })

  it('shows the first row that matches, also to a reader in its middle', () => {
    const list = mergeNewest(nothing, page([98], 70), true, identity)
    expect([shown(list), reached(list)]).toEqual([[98], 60])
  })

  it('joins new rows to old ones over a stretch in which nothing matched', () => {
    const list = mergeNewest(startList(page([50, 40], 10)), page([99], 45), false, identity)
    expect([shown(list), reached(list)]).toEqual([[99, 40], 10])
  })
})

describe('a list that was cleared', () => {
  it('knows only what is there now', () => {
    expect(startList(page([9], null))).toMatchObject({ waiting: [], gap: null, next: null, loaded: true })
  })

  it('fills from the first row that comes', () => {
    expect(shown(mergeNewest(startList<Row>(page([], null)), page([6], null), true, identity))).toEqual([6])
  })
})

describe('a newest row below what is shown', () => {
  it.each([false, true])('begins the list anew, for what is shown is gone (held: %s)', (hold) => {
    const list = mergeNewest(start, page([2, 1], null), hold, identity)
    expect([shown(list), waiting(list), list.next]).toEqual([[2, 1], [], null])
  })

  it('counts what waits as shown', () => {
    const held = mergeNewest(start, page([7, 6, 5]), true, identity)
    expect(shown(mergeNewest(held, page([6, 5], null), false, identity))).toEqual([6, 5])
  })
})

describe('a journal that ends before what was read', () => {
  it.each([false, true])('is another folder’s, and the list begins anew (held: %s)', (hold) => {
    expect(shown(mergeNewest(start, { ...page([5, 4], null), head: 9 }, hold, identity))).toEqual([5, 4])
  })
})

describe('a cursor', () => {
  it.each([
    [writeCursor({ journal: 123, id: 'abc' }), 123],
    [writeCursor({ journal: 7, id: '' }), 7],
    [writeCursor({ journal: 42, id: 'a word/of 5-its own' }), 42],
    ['', null],
    ['x-1', null],
  ])('%s names the journal number %j', (cursor, journal) => {
    expect(journalOfCursor(cursor)).toBe(journal)
  })
})
