import { expect, it } from 'vitest'
import {
  appendOlder,
  countNew,
  emptyList,
  type ListPage,
  type LiveListState,
  mergeNewest,
  PAGE,
  type PageRequest,
  readVisible,
  revealWaiting,
} from '../../../dashboards/ui/live-list-state'
import { journalOfCursor } from '../../../lib/wire/filter'
import { writeCursor } from '../../../lib/wire/list-paging'

interface Row {
  readonly id: number
}

/** A page ends early after this many journal numbers, as in the collector. */
const SEARCHED_PER_PAGE = 1000

/** A journal in which every `nth` number is a row. It answers as the collector does, and counts requests. */
function journalOf(first: number, nth = 1) {
  let head = first
  let requests = 0
  let largest = 0
  const readPage = async ({ cursor, limit }: Pick<PageRequest, 'cursor' | 'limit'>): Promise<ListPage<Row>> => {
    requests += 1
    largest = Math.max(largest, limit)
    const rows: Row[] = []
    let at = cursor === null ? head + 1 : (journalOfCursor(cursor) ?? 0)
    const floor = Math.max(0, at - SEARCHED_PER_PAGE)
    while (at > floor && rows.length < limit) {
      at -= 1
      if (at > 0 && at % nth === 0) rows.push({ id: at })
    }
    return { rows, next: at <= 0 ? null : writeCursor({ journal: at, id: '' }), head }
  }
  return {
    reader: { readPage, keyOf: (row: Row) => String(row.id), orderOf: (row: Row) => row.id },
    arrive: (count = 1) => {
      head += count * nth
    },
    /** The requests since the last call. */
    requests: () => {
      const made = requests
      requests = 0
      return made
    },
    largest: () => largest,
  }
}

type Journal = ReturnType<typeof journalOf>

const readOnce = async (journal: Journal, list: LiveListState<Row>, hold: boolean): Promise<LiveListState<Row>> =>
  mergeNewest(list, await readVisible(journal.reader, { q: '', list, hold }), hold, journal.reader)

const older = async (journal: Journal, list: LiveListState<Row>): Promise<LiveListState<Row>> =>
  appendOlder(list, await journal.reader.readPage({ cursor: list.next, limit: PAGE }), journal.reader)

/** Reads `times` times, with one new row before each read. */
async function readTimes(journal: Journal, from: LiveListState<Row>, times: number, hold: boolean) {
  let list = from
  let mostRequests = 0
  let mostRows = 0
  for (let at = 0; at < times; at += 1) {
    journal.arrive()
    journal.requests()
    list = await readOnce(journal, list, hold)
    mostRequests = Math.max(mostRequests, journal.requests())
    mostRows = Math.max(mostRows, list.rows.length)
  }
  return { list, mostRequests, mostRows }
}

const shown = (list: LiveListState<Row>): readonly number[] => list.rows.map((row) => row.id)
const downFrom = (top: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => top - at)
const reached = (list: LiveListState<Row>): number | null => (list.next === null ? null : journalOfCursor(list.next))

it('an untouched list keeps its length over 300 arrivals, with one request per read', async () => {
  const journal = journalOf(10_000)
  const start = await readOnce(journal, emptyList(), false)
  const { list, mostRequests, mostRows } = await readTimes(journal, start, 300, false)
  expect([mostRows, mostRequests]).toEqual([PAGE, 1])
  expect(shown(list)).toEqual(downFrom(10_300, PAGE))
  expect(reached(list)).toBe(list.rows.at(-1)?.id)
})

it('an untouched list keeps the requested older rows, with as few requests as possible', async () => {
  const journal = journalOf(10_000)
  let start = await readOnce(journal, emptyList(), false)
  for (let at = 0; at < 5; at += 1) start = await older(journal, start)
  const { list, mostRequests, mostRows } = await readTimes(journal, start, 300, false)
  expect([mostRows, mostRequests, journal.largest()]).toEqual([6 * PAGE, 2, 200])
  expect(shown(list)).toEqual(downFrom(10_300, 6 * PAGE))
  expect(shown(await older(journal, list))).toEqual(downFrom(10_300, 7 * PAGE))
})

it('an untouched list stays limited when few rows match and pages end early', async () => {
  const journal = journalOf(1_000_000, 400)
  const start = await readOnce(journal, emptyList(), false)
  const { list, mostRequests, mostRows } = await readTimes(journal, start, 300, false)
  expect(mostRequests).toBeLessThanOrEqual(5)
  expect(mostRows).toBeLessThanOrEqual(2 * PAGE)
  const top = list.rows[0]?.id ?? 0
  expect(shown(list)).toEqual(list.rows.map((_, at) => top - at * 400))
})

it('a held list reports a gap beyond 200 waiting rows, with one request per read', async () => {
  const journal = journalOf(10_000)
  const start = await readOnce(journal, emptyList(), false)
  const { list, mostRequests } = await readTimes(journal, start, 300, true)
  expect(shown(list)).toEqual(downFrom(10_000, PAGE))
  expect([countNew(list, journal.reader), list.gap !== null, mostRequests]).toEqual([200, true, 2])
  expect((await readTimes(journal, list, 50, true)).mostRequests).toBe(1)
})

it('a held list counts only rows that are not visible as new', async () => {
  const journal = journalOf(10_000)
  const start = await readOnce(journal, emptyList(), false)
  const waits = (await readTimes(journal, start, 200, true)).list
  expect([countNew(waits, journal.reader), waits.gap]).toEqual([200, null])
  const { list } = await readTimes(journal, waits, 1, true)
  expect([countNew(list, journal.reader), list.gap !== null]).toEqual([201, true])
})

it('a held list has no hole when revealed, and is cut to the requested length when released', async () => {
  const journal = journalOf(10_000)
  const { list } = await readTimes(journal, await readOnce(journal, emptyList(), false), 300, true)
  const revealed = revealWaiting(list, journal.reader)
  expect(shown(revealed)).toEqual(downFrom(10_300, 200))
  expect(shown(await older(journal, revealed))).toEqual(downFrom(10_300, 250))
  expect(shown(await readOnce(journal, revealed, false))).toEqual(downFrom(10_300, PAGE))
})
