import type { Database } from 'better-sqlite3'
import type { ListFilter } from './list-filter'
import { timeBounds } from './list-page'
import { ID_BYTES } from './span-ids'

/** A record that may tell of a wanted span; `seq` is `null` where one was looked at that does not. Each comes once. */
export interface SpanRecord {
  readonly journal: number
  readonly seq: number | null
}

/**
 * Records that may tell of what is wanted, newest first, as the rows know them.
 * @param journal the newest that is looked at.
 */
export function* spanRecords(db: Database, wanted: ListFilter, journal: number): Generator<SpanRecord> {
  const rulingOut = new RulingOut(db, wanted)
  for (const { seq, journal: at } of candidates(db, wanted, journal))
    yield { seq: seq === null || rulingOut.isOut(seq) ? null : seq, journal: at }
}

function candidates(db: Database, wanted: ListFilter, journal: number): Iterable<SpanRecord> {
  if (wanted.trace !== undefined) return ofTrace(db, wanted.trace, wanted, journal)
  return wanted.stamp === undefined ? all(db, journal) : stamped(db, wanted.stamp, journal)
}

function* ofTrace(db: Database, traceId: string, wanted: ListFilter, journal: number): Generator<SpanRecord> {
  const rows = db
    .prepare(
      `SELECT seq, journal, segments FROM trace_records WHERE trace_id = @traceId AND journal <= @journal
         AND start_us < @untilUs AND end_us >= @sinceUs ORDER BY seq DESC`,
    )
    .iterate({ traceId, journal, ...timeBounds(wanted) }) as IterableIterator<
    SpanRecord & { readonly segments: Buffer }
  >
  for (const { seq, journal: at, segments } of rows) {
    const tellsOfIt = wanted.segment === undefined || segmentsIn(segments).includes(wanted.segment)
    yield { journal: at, seq: tellsOfIt ? seq : null }
  }
}

function* stamped(db: Database, stamp: string, journal: number): Generator<SpanRecord> {
  yield* db
    .prepare(
      `SELECT seq, journal FROM envelopes WHERE stamp = @stamp AND state = 'digested'
         AND seq <= coalesce((SELECT seq FROM items WHERE journal <= @journal ORDER BY journal DESC LIMIT 1), 0)
       ORDER BY seq DESC`,
    )
    .iterate({ stamp, journal }) as IterableIterator<SpanRecord>
}

function* all(db: Database, journal: number): Generator<SpanRecord> {
  const items = db
    .prepare('SELECT seq, journal, type FROM items WHERE journal <= ? ORDER BY journal DESC, item DESC')
    .iterate(journal) as IterableIterator<ItemOfRecord>
  let [last, teller]: readonly [ItemOfRecord | null, number | null] = [null, null]
  for (const item of items) {
    if (last !== null && last.journal !== item.journal) {
      yield { seq: teller, journal: last.journal }
      teller = null
    }
    if (item.type === 'transaction' || item.type === 'span') teller = item.seq
    last = item
  }
  if (last !== null) yield { seq: teller, journal: last.journal }
}

interface ItemOfRecord {
  readonly seq: number
  readonly journal: number
  readonly type: string
}

interface TransactionItem {
  readonly type: string
  readonly traceId: string | null
}

interface ToldRow {
  readonly startUs: number
  readonly endUs: number
  readonly segments: Buffer
}

/** What rows say of a record without its body: all spans of a transaction are of its segment. */
class RulingOut {
  readonly #db: Database
  readonly #wanted: ListFilter
  readonly #asksSegments: boolean
  readonly #sql

  constructor(db: Database, wanted: ListFilter) {
    this.#db = db
    this.#wanted = wanted
    const { environment, release, service, sinceUs, untilUs } = wanted
    this.#asksSegments = [environment, release, service, sinceUs, untilUs].some((asked) => asked !== undefined)
    this.#sql = {
      stamp: this.#db.prepare('SELECT stamp FROM envelopes WHERE seq = ?').pluck(),
      items: this.#db.prepare(
        "SELECT type, trace_id AS traceId FROM items WHERE seq = ? AND type IN ('transaction', 'span')",
      ),
      told: this.#db.prepare(
        'SELECT start_us AS startUs, end_us AS endUs, segments FROM trace_records WHERE trace_id = ? AND seq = ? AND span_count > 0',
      ),
      segment: this.#db.prepare(
        'SELECT seq, environment, release, service FROM segments WHERE trace_id = ? AND segment_id = ?',
      ),
    }
  }

  isOut(seq: number): boolean {
    const { stamp } = this.#wanted
    if (stamp !== undefined && this.#sql.stamp.get(seq) !== stamp) return true
    if (!this.#asksSegments) return false
    const items = this.#sql.items.all(seq) as TransactionItem[]
    // Of a container the rows know one trace of many, and its spans say for themselves where they were.
    const traceIds = items.map(({ traceId }) => traceId)
    return items.every(
      ({ type, traceId }) =>
        type === 'transaction' &&
        (traceId === null ||
          this.#isTraceOut(traceId, seq, traceIds.filter((other) => other === traceId).length === 1)),
    )
  }

  /** @param isToldOnce by one transaction; of several the rows may show another than is asked for. */
  #isTraceOut(traceId: string, seq: number, isToldOnce: boolean): boolean {
    const told = this.#sql.told.get(traceId, seq) as ToldRow | undefined
    if (told === undefined) return true
    const { sinceUs, untilUs } = timeBounds(this.#wanted)
    if (told.endUs < sinceUs || told.startUs >= untilUs) return true
    return isToldOnce && segmentsIn(told.segments).every((segmentId) => this.#isSegmentOut(traceId, segmentId, seq))
  }

  #isSegmentOut(traceId: string, segmentId: string, seq: number): boolean {
    const row = this.#sql.segment.get(traceId, segmentId) as (Segmented & { readonly seq: number }) | undefined
    // Another record's word of the segment may be the one that is shown.
    if (row === undefined || row.seq !== seq) return false
    return (['environment', 'release', 'service'] as const).some(
      (field) => this.#wanted[field] !== undefined && this.#wanted[field] !== row[field],
    )
  }
}

interface Segmented {
  readonly environment: string | null
  readonly release: string | null
  readonly service: string
}

/** The segments that a record's spans are of, but for those that name none. */
const segmentsIn = (segments: Buffer): readonly string[] =>
  Array.from({ length: segments.length / (ID_BYTES + 4) }, (_, index) => {
    const at = index * (ID_BYTES + 4)
    return segments.toString('hex', at, at + ID_BYTES)
  })
