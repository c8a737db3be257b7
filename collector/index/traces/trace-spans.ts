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
import { countSpansBySegment, ID_BYTES, idsIn, repeatedIds, segmentsIn } from './span-ids'
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
  readonly journal: number
  readonly segments: Buffer
  readonly spans: Buffer
}

/** The part of a trace's records to read. */
export interface TracePart {
  /** Records of submissions after this journal number. */
  readonly after: number
  /** Records with spans of this segment; `null`: all. */
  readonly segmentId: string | null
}

const WHOLE: TracePart = { after: 0, segmentId: null }

/** @param spanCount of the trace's row. When the records' spans add up to it, no span is repeated. */
export function planTrace(db: Database, traceId: string, spanCount: number, part: TracePart = WHOLE): TracePlan {
  const all = db
    .prepare(
      'SELECT seq, journal, segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0 ORDER BY start_us, seq',
    )
    .all(traceId) as TraceRecordRow[]
  const { after, segmentId } = part
  const rows = all.filter(
    ({ journal, segments }) => journal > after && (segmentId === null || segmentsIn(segments).includes(segmentId)),
  )
  const occurrences = rows.reduce((sum, row) => sum + row.spans.length / ID_BYTES, 0)
  const mayRepeat = occurrences !== spanCount || occurrences > MAX_SPANS_DEDUPLICATED
  const recordsPerSpan = mayRepeat ? repeatedIds(rows.map((row) => row.spans)) : new Map<string, number>()
  const records = rows.map(({ seq, spans }) => ({
    seq,
    spans: spans.length / ID_BYTES,
    repeated: recordsPerSpan.size === 0 ? [] : idsIn(spans).filter((id) => recordsPerSpan.has(id)),
  }))
  const repeats = [...recordsPerSpan.values()].reduce((sum, times) => sum + times - 1, 0)
  return { records, recordsPerSpan, spans: occurrences - repeats, spansOfSegment: countSpansBySegment(all) }
}

/** A span as it is kept in memory. `text` has most of its characters. */
export interface SerializedSpan extends ComparableSpan {
  readonly spanId: string
  readonly startUs: number
  readonly text: string
}

/** `kept` is `null` when too much is deferred already: the span is read again later. */
interface DeferredSpan<One> {
  readonly compared: ComparableSpan
  readonly kept: One | null
}

/** Texts of deferred spans that is kept in memory. */
const MAX_DEFERRED_CHARACTERS = 8 * 1024 * 1024

/**
 * Reads the spans of a trace record by record. A repeated span waits for the last record that contains it: only then
 * is it known which occurrence is shown.
 */
export class TraceSpans<One extends SerializedSpan = SerializedSpan> {
  readonly #traceId: string
  readonly #records: readonly PlannedRecord[]
  readonly #sizeLimits: ReadLimits
  readonly #serialize: (occurrence: SpanOccurrence) => One
  readonly #maxDeferred: number
  readonly #waitingFor: Map<string, number>
  readonly #deferred = new Map<string, DeferredSpan<One>>()
  #deferredCharacters = 0
  readonly #toReread = new Map<number, Set<string>>()
  /** Spans that were found twice, apart from copies. */
  readonly #sentAgain = new Set<string>()
  #at = 0

  constructor(
    traceId: string,
    { records, recordsPerSpan }: TracePlan,
    sizeLimits: ReadLimits,
    serialize: (occurrence: SpanOccurrence) => One,
    maxDeferred: number = MAX_DEFERRED_CHARACTERS,
  ) {
    this.#traceId = traceId
    this.#records = records
    this.#sizeLimits = sizeLimits
    this.#serialize = serialize
    this.#maxDeferred = maxDeferred
    this.#waitingFor = new Map(recordsPerSpan)
  }

  get isDone(): boolean {
    return this.#at >= this.#records.length && this.#toReread.size === 0
  }

  /** Whether a span that `next` returned was sent several times, apart from copies. */
  isRepeated(spanId: string): boolean {
    return this.#sentAgain.has(spanId)
  }

  /** Reads the next record. A record that was evicted or cannot be read gives no spans. */
  next(db: Database): readonly One[] {
    for (const [seq, spanIds] of this.#toReread) {
      this.#toReread.delete(seq)
      return this.#deduplicate(this.#read(db, seq).filter(({ spanId }) => spanIds.has(spanId)))
    }
    const planned = this.#records[this.#at]
    if (planned === undefined) return []
    this.#at += 1
    const read = this.#read(db, planned.seq)
    const spans = read.length > planned.spans ? this.#deduplicate(read) : read
    return planned.repeated.length === 0 ? spans : this.#deferRepeated(planned.repeated, spans)
  }

  #read(db: Database, seq: number): readonly One[] {
    const record = readSubmissionRow(db, seq)
    const spans: One[] = []
    // Serialized at once: of a record of 100 MB no more than one item is in memory as objects.
    if (record !== null)
      visitSpans(record, new Set([this.#traceId]), this.#sizeLimits, (span) => spans.push(this.#serialize(span)))
    return spans
  }

  #deduplicate(spans: readonly One[]): readonly One[] {
    const shown = deduplicate(spans, ({ spanId }) => spanId)
    if (shown.length === spans.length) return shown
    const seen = new Set<string>()
    for (const { spanId } of spans)
      if (seen.has(spanId)) this.#sentAgain.add(spanId)
      else seen.add(spanId)
    return shown
  }

  /** @returns the spans that are not repeated, and the repeated ones whose last record this is. */
  #deferRepeated(repeated: readonly string[], spans: readonly One[]): readonly One[] {
    const decided: One[] = []
    for (const one of spans)
      if (this.#waitingFor.has(one.spanId)) this.#defer(one)
      else decided.push(one)
    for (const spanId of repeated) {
      const left = (this.#waitingFor.get(spanId) ?? 0) - 1
      this.#waitingFor.set(spanId, left)
      const deferred = this.#deferred.get(spanId)
      if (left > 0 || deferred === undefined) continue
      this.#forget(spanId)
      if (deferred.kept !== null) decided.push(deferred.kept)
      else this.#reread(spanId, deferred.compared.source.seq)
    }
    return decided
  }

  #defer(one: One): void {
    const deferred = this.#deferred.get(one.spanId)
    if (deferred !== undefined && !one.source.copy && !deferred.compared.source.copy) this.#sentAgain.add(one.spanId)
    if (deferred !== undefined && !takesPrecedence(one, deferred.compared)) return
    this.#forget(one.spanId)
    const { span, position, source } = one
    const isKept = this.#deferredCharacters + one.text.length <= this.#maxDeferred
    if (isKept) this.#deferredCharacters += one.text.length
    this.#deferred.set(one.spanId, { compared: { span, position, source }, kept: isKept ? one : null })
  }

  #forget(spanId: string): void {
    this.#deferredCharacters -= this.#deferred.get(spanId)?.kept?.text.length ?? 0
    this.#deferred.delete(spanId)
  }

  #reread(spanId: string, seq: number): void {
    const spanIds = this.#toReread.get(seq) ?? new Set()
    this.#toReread.set(seq, spanIds.add(spanId))
  }
}

/** The span as JSON in the shape of the API. */
export const serializeSpan = (occurrence: SpanOccurrence): SerializedSpan => ({
  spanId: occurrence.span.spanId,
  startUs: occurrence.span.startUs,
  // Only `endUs`: the other fields are in `text` and need not stay in memory.
  span: { endUs: occurrence.span.endUs },
  position: occurrence.position,
  source: occurrence.source,
  text: JSON.stringify(wireSpan(occurrence)),
})
