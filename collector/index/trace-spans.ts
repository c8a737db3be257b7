import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { Span } from '../../lib/wire/trace'
import { prepareOnce } from '../spool/database'
import { BodyDamagedError } from '../spool/submission'
import { type ComparableSpan, type SpanOccurrence, takesPrecedence } from './span-choice'
import { countDistinct, ID_BYTES, idsIn, repeatedIds } from './span-ids'
import { RECORD_COLUMNS, type SpoolRecord, traverseSpans } from './traverse-record'
import { MAX_SPANS_DEDUPLICATED } from './write-trace-records'

/** A span as JSON, with what orders it and what it is compared by. */
export interface SerializedSpan extends ComparableSpan {
  readonly spanId: string
  readonly startUs: number
  readonly text: string
}

/** One that is held back; `null` where it has to be read again, for too much is held already. */
type DeferredSpan = Omit<SerializedSpan, 'text'> & { readonly text: string | null }

/** So much JSON of spans is held back; of those beyond only what they are compared by. */
const MAX_DEFERRED_CHARACTERS = 8 * 1024 * 1024

/**
 * The spans of a trace, record by record. One that several records tell of is held back until the last of them was
 * read: only then is it known which telling is shown.
 */
export class TraceSpans {
  readonly #traceId: string
  readonly #records: readonly PlannedRecord[]
  readonly #limits: ReadLimits
  readonly #maxDeferred: number
  /** How many records are still to be read that tell of a span. */
  readonly #waitingFor: Map<string, number>
  readonly #deferred = new Map<string, DeferredSpan>()
  #deferredCharacters = 0
  /** Spans that are decided and were not held, by their records. */
  readonly #toReread = new Map<number, Set<string>>()
  #at = 0

  constructor(
    traceId: string,
    { records, containing }: TracePlan,
    limits: ReadLimits,
    maxDeferred: number = MAX_DEFERRED_CHARACTERS,
  ) {
    this.#traceId = traceId
    this.#records = records
    this.#limits = limits
    this.#maxDeferred = maxDeferred
    this.#waitingFor = new Map(containing)
  }

  get isDone(): boolean {
    return this.#at >= this.#records.length && this.#toReread.size === 0
  }

  /** Reads the next record. One that made room since, or cannot be read any more, tells nothing. */
  next(db: Database): readonly SerializedSpan[] {
    for (const [seq, spanIds] of this.#toReread) {
      this.#toReread.delete(seq)
      return shownOfEach(this.#read(db, seq).filter(({ spanId }) => spanIds.has(spanId)))
    }
    const planned = this.#records[this.#at]
    if (planned === undefined) return []
    this.#at += 1
    const told = this.#read(db, planned.seq)
    const once = told.length > planned.spans ? shownOfEach(told) : told
    return planned.repeated.length === 0 ? once : this.#decide(planned.repeated, once)
  }

  #read(db: Database, seq: number): readonly SerializedSpan[] {
    const record = readSpoolRecord(db, seq)
    const written: SerializedSpan[] = []
    // As text at once: of a record of a hundred megabytes no more than one item is there as objects.
    if (record !== null) visitSpans(record, this.#traceId, this.#limits, (told) => written.push(serialize(told)))
    return written
  }

  #decide(repeated: readonly string[], told: readonly SerializedSpan[]): readonly SerializedSpan[] {
    const decided: SerializedSpan[] = []
    for (const one of told)
      if (this.#waitingFor.has(one.spanId)) this.#defer(one)
      else decided.push(one)
    for (const spanId of repeated) {
      const left = (this.#waitingFor.get(spanId) ?? 0) - 1
      this.#waitingFor.set(spanId, left)
      const deferred = this.#deferred.get(spanId)
      if (left > 0 || deferred === undefined) continue
      this.#release(deferred)
      const { text } = deferred
      if (text !== null) decided.push({ ...deferred, text })
      else this.#reread(deferred)
    }
    return decided
  }

  #defer(one: SerializedSpan): void {
    const deferred = this.#deferred.get(one.spanId)
    if (deferred !== undefined && !takesPrecedence(one, deferred)) return
    if (deferred !== undefined) this.#release(deferred)
    const isKept = this.#deferredCharacters + one.text.length <= this.#maxDeferred
    if (isKept) this.#deferredCharacters += one.text.length
    this.#deferred.set(one.spanId, isKept ? one : { ...one, text: null })
  }

  #release({ spanId, text }: DeferredSpan): void {
    this.#deferred.delete(spanId)
    this.#deferredCharacters -= text?.length ?? 0
  }

  #reread({ spanId, source: { seq } }: DeferredSpan): void {
    const spanIds = this.#toReread.get(seq) ?? new Set()
    this.#toReread.set(seq, spanIds.add(spanId))
  }
}

const serialize = (told: SpanOccurrence): SerializedSpan => ({
  spanId: told.span.spanId,
  startUs: told.span.startUs,
  // What the span says besides is in the text, and need not stay for it.
  span: { endUs: told.span.endUs },
  position: told.position,
  source: told.source,
  text: JSON.stringify(wireSpan(told)),
})

export function readSpoolRecord(db: Database, seq: number): SpoolRecord | null {
  const row = prepareOnce(db, `SELECT ${RECORD_COLUMNS} FROM spool.submissions WHERE seq = ?`).get(seq)
  return (row as SpoolRecord | undefined) ?? null
}

/** Tells what a record tells of one trace's spans, as often as it does; nothing when it cannot be read. */
export function visitSpans(
  record: SpoolRecord,
  traceId: string,
  limits: ReadLimits,
  tell: (told: SpanOccurrence) => unknown,
): void {
  const rows = {
    segment: () => undefined,
    span: (...[span, position, source]: [SpanOccurrence['span'], number, SpanOccurrence['source']]) => {
      if (span.traceId === traceId) tell({ span, position, source })
    },
  }
  try {
    traverseSpans(record, rows, limits)
  } catch (error) {
    // What there is of the trace besides is shown all the same.
    if (!(error instanceof BodyDamagedError)) throw error
  }
}

/** Of one trace's spans in one record each once. */
function shownOfEach(told: readonly SerializedSpan[]): readonly SerializedSpan[] {
  const shown = new Map<string, SerializedSpan>()
  for (const one of told) {
    const other = shown.get(one.spanId)
    if (other === undefined || takesPrecedence(one, other)) shown.set(one.spanId, one)
  }
  return [...shown.values()]
}

export function wireSpan({ span, source }: SpanOccurrence): Span {
  return {
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    segmentId: span.segmentId,
    isSegment: span.isSegment,
    name: span.name,
    op: span.op,
    status: span.status,
    origin: span.origin,
    service: span.service,
    startUs: span.startUs,
    endUs: span.endUs,
    attributes: span.attributes,
    links: span.links.map(({ traceId, spanId, type }) => ({ traceId, spanId, type })),
    seq: source.seq,
    item: source.item,
  }
}

/** A record to read of a trace. */
interface PlannedRecord {
  readonly seq: number
  /** How many spans of the trace it tells of. */
  readonly spans: number
  /** Those of them that other records tell of too. */
  readonly repeated: readonly string[]
}

/** What the rows know of a trace's spans before any of them is read. */
export interface TracePlan {
  /** The earliest first. */
  readonly records: readonly PlannedRecord[]
  /** How many records tell of a span, where it is more than one. */
  readonly containing: ReadonlyMap<string, number>
  readonly spans: number
  /** Of each segment that a span names; one that several records tell of counts once. */
  readonly spansOfSegment: ReadonlyMap<string, number>
}

interface TraceRecordRow {
  readonly seq: number
  readonly segments: Buffer
  readonly spans: Buffer
}

/** @param spanCount of the trace's row: where the records tell of as many together, none is told twice. */
export function planTrace(db: Database, traceId: string, spanCount: number): TracePlan {
  const rows = db
    .prepare(
      'SELECT seq, segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0 ORDER BY start_us, seq',
    )
    .all(traceId) as TraceRecordRow[]
  const told = rows.reduce((sum, row) => sum + row.spans.length / ID_BYTES, 0)
  const mayRepeat = told !== spanCount || told > MAX_SPANS_DEDUPLICATED
  const containing = mayRepeat ? repeatedIds(rows.map((row) => row.spans)) : new Map<string, number>()
  const records = rows.map(({ seq, spans }) => ({
    seq,
    spans: spans.length / ID_BYTES,
    repeated: containing.size === 0 ? [] : idsIn(spans).filter((id) => containing.has(id)),
  }))
  const repeats = [...containing.values()].reduce((sum, times) => sum + times - 1, 0)
  return { records, containing, spans: told - repeats, spansOfSegment: countSpans(rows) }
}

/**
 * How many spans segments of a trace have; one that several records tell of counts once.
 * @param wanted all segments where it is left out.
 */
function countSpans(
  rows: Iterable<Pick<TraceRecordRow, 'segments' | 'spans'>>,
  filter?: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const lists = new Map<string, Uint8Array[]>()
  for (const { segments, spans } of rows) {
    let from = 0
    for (let at = 0; at < segments.length; at += ID_BYTES + 4) {
      const segmentId = segments.toString('hex', at, at + ID_BYTES)
      const to = from + segments.readUInt32BE(at + ID_BYTES) * ID_BYTES
      const list = spans.subarray(from, to)
      from = to
      if (filter?.has(segmentId) === false) continue
      const known = lists.get(segmentId)
      if (known === undefined) lists.set(segmentId, [list])
      else known.push(list)
    }
  }
  return new Map([...lists].map(([segmentId, all]) => [segmentId, countDistinct(all)]))
}

/** How many spans these segments of a trace have. */
export function countSpansOf(
  db: Database,
  traceId: string,
  segmentIds: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const rows = db.prepare('SELECT segments, spans FROM trace_records WHERE trace_id = ? AND span_count > 0')
  return countSpans(rows.iterate(traceId) as IterableIterator<TraceRecordRow>, segmentIds)
}
