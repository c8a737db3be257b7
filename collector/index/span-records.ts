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
export function* spanRecords(db: Database, filter: ListFilter, journal: number): Generator<SpanRecord> {
  const exclusion = new RecordExclusion(db, filter)
  for (const { seq, journal: at } of candidates(db, filter, journal))
    yield { seq: seq === null || exclusion.excludes(seq) ? null : seq, journal: at }
}

function candidates(db: Database, filter: ListFilter, journal: number): Iterable<SpanRecord> {
  if (filter.trace !== undefined) return ofTrace(db, filter.trace, filter, journal)
  return filter.stamp === undefined ? all(db, journal) : stamped(db, filter.stamp, journal)
}

function* ofTrace(db: Database, traceId: string, filter: ListFilter, journal: number): Generator<SpanRecord> {
  const rows = db
    .prepare(
      `SELECT seq, journal, segments FROM trace_records WHERE trace_id = @traceId AND journal <= @journal
         AND start_us < @untilUs AND end_us >= @sinceUs ORDER BY seq DESC`,
    )
    .iterate({ traceId, journal, ...timeBounds(filter) }) as IterableIterator<
    SpanRecord & { readonly segments: Buffer }
  >
  for (const { seq, journal: at, segments } of rows) {
    const containsIt = filter.segment === undefined || segmentsIn(segments).includes(filter.segment)
    yield { journal: at, seq: containsIt ? seq : null }
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

interface TraceRecordTimes {
  readonly startUs: number
  readonly endUs: number
  readonly segments: Buffer
}

/** What rows say of a record without its body: all spans of a transaction are of its segment. */
class RecordExclusion {
  readonly #db: Database
  readonly #filter: ListFilter
  readonly #needsSegments: boolean
  readonly #sql

  constructor(db: Database, filter: ListFilter) {
    this.#db = db
    this.#filter = filter
    const { environment, release, service, sinceUs, untilUs } = filter
    this.#needsSegments = [environment, release, service, sinceUs, untilUs].some((asked) => asked !== undefined)
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

  excludes(seq: number): boolean {
    const { stamp } = this.#filter
    if (stamp !== undefined && this.#sql.stamp.get(seq) !== stamp) return true
    if (!this.#needsSegments) return false
    const items = this.#sql.items.all(seq) as TransactionItem[]
    // Of a container the rows know one trace of many, and its spans say for themselves where they were.
    const traceIds = items.map(({ traceId }) => traceId)
    return items.every(
      ({ type, traceId }) =>
        type === 'transaction' &&
        (traceId === null ||
          this.#excludesTrace(traceId, seq, traceIds.filter((other) => other === traceId).length === 1)),
    )
  }

  /** @param isToldOnce by one transaction; of several the rows may show another than is asked for. */
  #excludesTrace(traceId: string, seq: number, isOnlyOnce: boolean): boolean {
    const told = this.#sql.told.get(traceId, seq) as TraceRecordTimes | undefined
    if (told === undefined) return true
    const { sinceUs, untilUs } = timeBounds(this.#filter)
    if (told.endUs < sinceUs || told.startUs >= untilUs) return true
    return isOnlyOnce && segmentsIn(told.segments).every((segmentId) => this.#excludesSegment(traceId, segmentId, seq))
  }

  #excludesSegment(traceId: string, segmentId: string, seq: number): boolean {
    const row = this.#sql.segment.get(traceId, segmentId) as (SegmentFields & { readonly seq: number }) | undefined
    // Another record's word of the segment may be the one that is shown.
    if (row === undefined || row.seq !== seq) return false
    return (['environment', 'release', 'service'] as const).some(
      (field) => this.#filter[field] !== undefined && this.#filter[field] !== row[field],
    )
  }
}

interface SegmentFields {
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
