import type { Database } from 'better-sqlite3'
import { type ListFilter, timeBounds } from '../../../lib/wire/list-filter'
import { SPAN_ITEM_TYPES } from '../traverse-record'
import { segmentsIn } from './span-ids'

/** `seq` is `null` for a record that was checked and has no matching spans. */
interface SpanRecord {
  readonly journal: number
  readonly seq: number | null
}

/** Records that may contain matching spans, newest first, chosen by the index alone. Each record comes once. */
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
    const hasSegment = filter.segment === undefined || segmentsIn(segments).includes(filter.segment)
    yield { journal: at, seq: hasSegment ? seq : null }
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
  let [last, withSpans]: readonly [ItemOfRecord | null, number | null] = [null, null]
  for (const item of items) {
    if (last !== null && last.journal !== item.journal) {
      yield { seq: withSpans, journal: last.journal }
      withSpans = null
    }
    if (SPAN_ITEM_TYPES.has(item.type)) withSpans = item.seq
    last = item
  }
  if (last !== null) yield { seq: withSpans, journal: last.journal }
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

/** Excludes records by their rows, without reading bodies: all spans of a transaction belong to its segment. */
class RecordExclusion {
  readonly #db: Database
  readonly #filter: ListFilter
  readonly #needsSegments: boolean
  readonly #sql

  constructor(db: Database, filter: ListFilter) {
    this.#db = db
    this.#filter = filter
    const { environment, release, service, sinceUs, untilUs } = filter
    this.#needsSegments = [environment, release, service, sinceUs, untilUs].some((condition) => condition !== undefined)
    this.#sql = {
      stamp: this.#db.prepare('SELECT stamp FROM envelopes WHERE seq = ?').pluck(),
      items: this.#db.prepare(
        "SELECT type, trace_id AS traceId FROM items WHERE seq = ? AND type IN ('transaction', 'span', 'otlp_traces')",
      ),
      traceRecord: this.#db.prepare(
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
    // An item row names only one trace of a span container, whose spans have their own environment and release.
    const traceIds = items.map(({ traceId }) => traceId)
    return items.every(
      ({ type, traceId }) =>
        type === 'transaction' &&
        (traceId === null ||
          this.#excludesTrace(traceId, seq, traceIds.filter((other) => other === traceId).length === 1)),
    )
  }

  /** @param isOnlyOnce one transaction of the record belongs to the trace: with several, rows may show another. */
  #excludesTrace(traceId: string, seq: number, isOnlyOnce: boolean): boolean {
    const record = this.#sql.traceRecord.get(traceId, seq) as TraceRecordTimes | undefined
    if (record === undefined) return true
    const { sinceUs, untilUs } = timeBounds(this.#filter)
    if (record.endUs < sinceUs || record.startUs >= untilUs) return true
    return (
      isOnlyOnce && segmentsIn(record.segments).every((segmentId) => this.#excludesSegment(traceId, segmentId, seq))
    )
  }

  #excludesSegment(traceId: string, segmentId: string, seq: number): boolean {
    const row = this.#sql.segment.get(traceId, segmentId) as (SegmentFields & { readonly seq: number }) | undefined
    // The contribution of another record may be the visible one.
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
