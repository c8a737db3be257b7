import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import { readSubmissionRow } from '../../spool/local'
import {
  type ComparableSpan,
  deduplicate,
  type SpanOccurrence,
  takesPrecedence,
  visitSpans,
  wireSpan,
} from './choose-duplicate-span'
import { countSpansBySegment, ID_BYTES, idsIn, repeatedIds } from './span-ids'
import { MAX_SPANS_DEDUPLICATED } from './write-trace-records'

/** The records to read for a trace, planned from the index before any record is read. */
export interface TracePlan {
  readonly records: readonly PlannedRecord[]
  /** Spans that several records contain, with the number of these records. */
  readonly recordsPerSpan: ReadonlyMap<string, number>
  readonly spans: number
  /** By segment id; a span that several records contain counts once. */
  readonly spansOfSegment: ReadonlyMap<string, number>
}

interface PlannedRecord {
  readonly seq: number
  readonly spans: number
  /** Those of them that other records contain too. */
  readonly repeated: readonly string[]
}

interface TraceRecordRow {
  readonly seq: number
  readonly segments: Buffer
  readonly spans: Buffer
}

/** @param spanCount of the trace's row. When the records' spans add up to it, no span is repeated. */
export function planTrace(db: Database, traceId: string, spanCount: number): TracePlan {
  const rows = db
    .prepare(
      'SELECT seq, segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0 ORDER BY start_us, seq',
    )
    .all(traceId) as TraceRecordRow[]
  const occurrences = rows.reduce((sum, row) => sum + row.spans.length / ID_BYTES, 0)
  const mayRepeat = occurrences !== spanCount || occurrences > MAX_SPANS_DEDUPLICATED
  const recordsPerSpan = mayRepeat ? repeatedIds(rows.map((row) => row.spans)) : new Map<string, number>()
  const records = rows.map(({ seq, spans }) => ({
    seq,
    spans: spans.length / ID_BYTES,
    repeated: recordsPerSpan.size === 0 ? [] : idsIn(spans).filter((id) => recordsPerSpan.has(id)),
  }))
  const repeats = [...recordsPerSpan.values()].reduce((sum, times) => sum + times - 1, 0)
  return { records, recordsPerSpan, spans: occurrences - repeats, spansOfSegment: countSpansBySegment(rows) }
}

export interface SerializedSpan extends ComparableSpan {
  readonly spanId: string
  readonly startUs: number
  readonly text: string
}

/** `text` is `null` when too much is deferred already: the span is read again later. */
type DeferredSpan = Omit<SerializedSpan, 'text'> & { readonly text: string | null }

/** JSON of deferred spans that is kept in memory. */
const MAX_DEFERRED_CHARACTERS = 8 * 1024 * 1024

/**
 * Reads the spans of a trace record by record. A repeated span waits for the last record that contains it: only then
 * is it known which occurrence is shown.
 */
export class TraceSpans {
  readonly #traceId: string
  readonly #records: readonly PlannedRecord[]
  readonly #sizeLimits: ReadLimits
  readonly #maxDeferred: number
  readonly #waitingFor: Map<string, number>
  readonly #deferred = new Map<string, DeferredSpan>()
  #deferredCharacters = 0
  readonly #toReread = new Map<number, Set<string>>()
  #at = 0

  constructor(
    traceId: string,
    { records, recordsPerSpan }: TracePlan,
    sizeLimits: ReadLimits,
    maxDeferred: number = MAX_DEFERRED_CHARACTERS,
  ) {
    this.#traceId = traceId
    this.#records = records
    this.#sizeLimits = sizeLimits
    this.#maxDeferred = maxDeferred
    this.#waitingFor = new Map(recordsPerSpan)
  }

  get isDone(): boolean {
    return this.#at >= this.#records.length && this.#toReread.size === 0
  }

  /** Reads the next record. A record that was evicted or cannot be read gives no spans. */
  next(db: Database): readonly SerializedSpan[] {
    for (const [seq, spanIds] of this.#toReread) {
      this.#toReread.delete(seq)
      const spans = this.#read(db, seq).filter(({ spanId }) => spanIds.has(spanId))
      return deduplicate(spans, ({ spanId }) => spanId)
    }
    const planned = this.#records[this.#at]
    if (planned === undefined) return []
    this.#at += 1
    const read = this.#read(db, planned.seq)
    const spans = read.length > planned.spans ? deduplicate(read, ({ spanId }) => spanId) : read
    return planned.repeated.length === 0 ? spans : this.#deferRepeated(planned.repeated, spans)
  }

  #read(db: Database, seq: number): readonly SerializedSpan[] {
    const record = readSubmissionRow(db, seq)
    const spans: SerializedSpan[] = []
    // Serialized at once: of a record of 100 MB no more than one item is in memory as objects.
    if (record !== null) visitSpans(record, this.#traceId, this.#sizeLimits, (span) => spans.push(serialize(span)))
    return spans
  }

  /** @returns the spans that are not repeated, and the repeated ones whose last record this is. */
  #deferRepeated(repeated: readonly string[], spans: readonly SerializedSpan[]): readonly SerializedSpan[] {
    const decided: SerializedSpan[] = []
    for (const one of spans)
      if (this.#waitingFor.has(one.spanId)) this.#defer(one)
      else decided.push(one)
    for (const spanId of repeated) {
      const left = (this.#waitingFor.get(spanId) ?? 0) - 1
      this.#waitingFor.set(spanId, left)
      const deferred = this.#deferred.get(spanId)
      if (left > 0 || deferred === undefined) continue
      this.#forget(deferred)
      const { text } = deferred
      if (text !== null) decided.push({ ...deferred, text })
      else this.#reread(deferred)
    }
    return decided
  }

  #defer(one: SerializedSpan): void {
    const deferred = this.#deferred.get(one.spanId)
    if (deferred !== undefined && !takesPrecedence(one, deferred)) return
    if (deferred !== undefined) this.#forget(deferred)
    const isKept = this.#deferredCharacters + one.text.length <= this.#maxDeferred
    if (isKept) this.#deferredCharacters += one.text.length
    this.#deferred.set(one.spanId, isKept ? one : { ...one, text: null })
  }

  #forget({ spanId, text }: DeferredSpan): void {
    this.#deferred.delete(spanId)
    this.#deferredCharacters -= text?.length ?? 0
  }

  #reread({ spanId, source: { seq } }: DeferredSpan): void {
    const spanIds = this.#toReread.get(seq) ?? new Set()
    this.#toReread.set(seq, spanIds.add(spanId))
  }
}

const serialize = (occurrence: SpanOccurrence): SerializedSpan => ({
  spanId: occurrence.span.spanId,
  startUs: occurrence.span.startUs,
  // Only `endUs`: the other fields are in `text` and need not stay in memory.
  span: { endUs: occurrence.span.endUs },
  position: occurrence.position,
  source: occurrence.source,
  text: JSON.stringify(wireSpan(occurrence)),
})
