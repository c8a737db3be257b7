import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAllBreadcrumbs, readTrail } from '../../../collector/index/lists/read-breadcrumbs'
import { readEvents } from '../../../collector/index/lists/read-events'
import { readSignals } from '../../../collector/index/lists/read-signals'
import { readRowCounts } from '../../../collector/index/rows/write-staged'
import { SIGNAL_KINDS } from '../../../lib/protocol/items/signal'
import type { Breadcrumb, EventSummary } from '../../../lib/wire/event'
import { READ_BOUNDS, type ReadBounds } from '../../../lib/wire/fill-page'
import type { ListFilter } from '../../../lib/wire/list-filter'
import { NEWEST, readCursor } from '../../../lib/wire/list-paging'
import type { SignalRow } from '../../../lib/wire/signal'
import { removeFolders } from '../spool/in-process-spool'
import { type Drawing, drawing, drawSubmission, FILTER_VALUES } from './random-signals'
import { pagesOf, RecordedFolder } from './recorded-folder'

const SEEDS = [1, 2]
const RECORDS = 600
const FILTERS = 60

afterAll(removeFolders)

const COMMON_FILTERS = ['since', 'until', 'text', 'environment', 'release', 'service', 'stamp'] as const

const positionOf = (cursor: string | null) => readCursor(cursor) ?? NEWEST

/** True when each prefix starts a word of the texts. */
const says = (texts: readonly (string | null)[], words: readonly string[]): boolean => {
  const plain = texts
    .join(' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return words.every((word) => ` ${plain}`.includes(` ${word}`))
}

const isBetween = (us: number | null, { sinceUs = 0, untilUs = Number.MAX_VALUE }: ListFilter): boolean =>
  us === null || (us >= sinceUs && us < untilUs)

describe.each(SEEDS)('for random records (seed %i)', (seed) => {
  const folder = new RecordedFolder()
  const stamps = new Map<number, string | null>()
  const draw = drawing(seed)

  beforeAll(async () => {
    for (let n = 0; n < RECORDS; n += 50) {
      const drawn = Array.from({ length: 50 }, () => drawSubmission(draw, 1_795_000_000_000 + n))
      for (const [index, seq] of folder.receiveAll(drawn).entries()) stamps.set(seq, drawn[index]?.given.stamp ?? null)
      folder.digest()
    }
    await folder.evict([...stamps.keys()].filter(() => draw.below(6) === 0))
    return () => folder.close()
  })

  const drawFilter = (names: readonly (keyof typeof FILTER_VALUES | 'handled' | 'since' | 'until')[]): ListFilter => {
    let filter: ListFilter = {}
    for (const name of names) {
      if (draw.below(names.length) > 1) continue
      if (name === 'handled') filter = { ...filter, handled: draw.one([true, false, null]) }
      else if (name === 'since') filter = { ...filter, sinceUs: draw.one(FILTER_VALUES.us) }
      else if (name === 'until') filter = { ...filter, untilUs: draw.one(FILTER_VALUES.us) + 1 }
      else filter = { ...filter, [name]: draw.one<unknown>(FILTER_VALUES[name]) }
    }
    return filter
  }
  /** Some bounds never end a page early, some do. */
  const bounds = (): ReadBounds =>
    draw.one([
      READ_BOUNDS,
      { ...READ_BOUNDS, rows: 1 + draw.below(10) },
      { ...READ_BOUNDS, rows: 1 + draw.below(300) },
      { ...READ_BOUNDS, records: 1 + draw.below(100) },
    ])
  const page = ({ below }: Drawing) => ({ limit: 1 + below(100) })
  const events = (filter: ListFilter = {}, most = () => READ_BOUNDS): readonly EventSummary[] =>
    pagesOf((cursor) => readEvents(folder.db, filter, positionOf(cursor), page(draw), most())).flatMap(
      (one) => one.events,
    )

  it('events equal those of a plain filter, in the same order', () => {
    const all = events()
    // More than the sample that is read before the index.
    expect(all.length).toBeGreaterThan(200)
    const keeps = (row: EventSummary, filter: ListFilter): boolean =>
      (['level', 'environment', 'release', 'service'] as const).every(
        (name) => filter[name] === undefined || filter[name] === row[name],
      ) &&
      (filter.name === undefined || filter.name === row.transaction) &&
      (filter.handled === undefined || filter.handled === row.handled) &&
      (filter.trace === undefined || filter.trace === row.traceId) &&
      (filter.stamp === undefined || filter.stamp === stamps.get(row.seq)) &&
      isBetween(row.timestampUs, filter) &&
      says([row.title, row.transaction], filter.text ?? [])
    let found = 0
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = drawFilter(['level', 'handled', 'name', ...COMMON_FILTERS, 'trace'])
      const rows = events(filter, bounds)
      expect([filter, rows]).toEqual([filter, all.filter((row) => keeps(row, filter))])
      found += rows.length
    }
    expect(found).toBeGreaterThan(FILTERS)
  })

  it.each(['log', 'feedback', 'metric'] as const)('signals of kind %s equal those of a plain filter', (kind) => {
    const read = (filter: ListFilter) =>
      pagesOf((cursor) => readSignals(folder.db, kind, filter, positionOf(cursor), page(draw), bounds())).flatMap(
        (one) => one.signals,
      )
    const all = read({})
    const keeps = (row: SignalRow, filter: ListFilter): boolean =>
      (['level', 'name', 'environment', 'release', 'service'] as const).every(
        (name) => filter[name] === undefined || filter[name] === row[name],
      ) &&
      (filter.stamp === undefined || filter.stamp === stamps.get(row.seq)) &&
      isBetween(row.timestampUs, filter) &&
      says([row.name, ...Object.values(row.fields).filter((value) => typeof value === 'string')], filter.text ?? [])
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = drawFilter(['level', 'name', ...COMMON_FILTERS])
      expect([filter, read(filter)]).toEqual([filter, all.filter((row) => keeps(row, filter))])
    }
  })

  it('the stored counts equal the numbers of rows', () => {
    const many = (sql: string) => Number(folder.db.prepare(sql).pluck().get())
    const counts = readRowCounts(folder.db)
    for (const kind of SIGNAL_KINDS)
      expect([kind, counts[kind]]).toEqual([kind, many(`SELECT count(*) FROM signals WHERE kind = '${kind}'`)])
    expect(counts).toMatchObject({
      trace: many('SELECT count(*) FROM traces'),
      segment: many('SELECT count(*) FROM segments'),
      span: many('SELECT sum(span_count) FROM traces'),
      event: many('SELECT count(*) FROM events'),
      breadcrumb: many('SELECT count(*) FROM breadcrumbs'),
    })
  })

  it('breadcrumbs equal those of a plain filter: the newest event first, within an event the last one first', () => {
    const allEvents = events()
    const traces = new Map(allEvents.map((event) => [event.eventId, event.traceId]))
    const read = (filter: ListFilter) =>
      pagesOf((cursor) => readAllBreadcrumbs(folder.db, filter, positionOf(cursor), page(draw), bounds())).flatMap(
        (one) => one.breadcrumbs,
      )
    const all = read({})
    const trails = allEvents.map((event) => readTrail(folder.db, event.eventId, {}).breadcrumbs)
    expect(all).toEqual(trails.flatMap((trail) => [...trail].reverse()))
    const keeps = (row: Breadcrumb, filter: ListFilter): boolean =>
      (['category', 'level'] as const).every((name) => filter[name] === undefined || filter[name] === row[name]) &&
      (filter.trace === undefined || filter.trace === traces.get(row.eventId)) &&
      isBetween(row.timestampUs, filter) &&
      says([row.message], filter.text ?? [])
    for (let n = 0; n < FILTERS; n += 1) {
      const filter = drawFilter(['category', 'level', 'text', 'since', 'until', 'trace'])
      expect([filter, read(filter)]).toEqual([filter, all.filter((row) => keeps(row, filter))])
    }
  })
})
