import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import type { SegmentSpan } from '../../../lib/protocol/trace/segment'
import type { Source } from '../../../lib/protocol/traversal/rows'
import type { Span } from '../../../lib/wire/trace'
import { BodyDamagedError, readSubmissionRow, type SubmissionRow } from '../../spool/local'
import { traverseSpans } from '../traverse-record'
import { idsIn, includesId, repeatedIds } from './span-ids'
import { POSITION_OF_TRACE } from './trace-position'
import { MAX_SPANS_DEDUPLICATED } from './write-trace-records'

export interface SpanOccurrence {
  readonly span: SegmentSpan
  readonly position: number
  readonly source: Source
}

/** The part of an occurrence that decides which one is shown. */
export type ComparableSpan = Pick<SpanOccurrence, 'position' | 'source'> & {
  readonly span: Pick<SegmentSpan, 'endUs'>
}

/** Relayed records take precedence over copies, then the later end, then the later receipt: as in `Contributions`. */
export function takesPrecedence(one: ComparableSpan, other: ComparableSpan): boolean {
  if (one.source.copy !== other.source.copy) return other.source.copy
  const differences = [
    one.span.endUs - other.span.endUs,
    one.source.seq - other.source.seq,
    one.source.item - other.source.item,
    one.position - other.position,
  ]
  return (differences.find((difference) => difference !== 0) ?? 0) > 0
}

/** Deduplicates the spans of one record. */
export function deduplicate<Occurrence extends ComparableSpan>(
  occurrences: readonly Occurrence[],
  keyOf: (occurrence: Occurrence) => string,
): readonly Occurrence[] {
  const shown = new Map<string, Occurrence>()
  for (const one of occurrences) {
    const key = keyOf(one)
    const other = shown.get(key)
    if (other === undefined || takesPrecedence(one, other)) shown.set(key, one)
  }
  return [...shown.values()]
}

/** Visits every occurrence of these traces' spans in one record; none when the record cannot be read. */
export function visitSpans(
  record: SubmissionRow,
  traceIds: ReadonlySet<string>,
  sizeLimits: ReadLimits,
  visit: (occurrence: SpanOccurrence) => unknown,
): void {
  const visitor = {
    segment: () => undefined,
    span: (...[span, position, source]: [SegmentSpan, number, Source]) => {
      if (traceIds.has(span.traceId)) visit({ span, position, source })
    },
  }
  try {
    traverseSpans(record, visitor, sizeLimits)
  } catch (error) {
    // The rest of the trace is shown without this record.
    if (!(error instanceof BodyDamagedError)) throw error
  }
}

/** The span in the shape of the API. */
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
    links: [...span.links],
    ...(span.otel !== undefined && { otel: { ...span.otel, events: [...span.otel.events] } }),
    seq: source.seq,
    item: source.item,
  }
}

/** Records whose spans are remembered for the rest of a query. */
const MAX_REMEMBERED = 16
/** Records that are compared per span: relayed ones before copies, the newest first. */
const MAX_RECORDS_COMPARED = 8

interface Container {
  readonly seq: number
  readonly isCopy: number
}

/** Spans that several records contain, with these records in the order in which they are compared. */
type RepeatedSpans = ReadonlyMap<string, readonly Container[]>

const NONE: RepeatedSpans = new Map()

/** Chooses the shown occurrence of a span. Use one per query: it remembers what it has read. */
export class SpanChooser {
  readonly #db: Database
  readonly #sizeLimits: ReadLimits
  readonly #repeated = new Map<string, RepeatedSpans>()
  readonly #spansOfRecord = new Map<string, ReadonlyMap<string, ComparableSpan>>()

  constructor(db: Database, sizeLimits: ReadLimits) {
    this.#db = db
    this.#sizeLimits = sizeLimits
  }

  /** True when `isShown` can answer without reading a record. */
  isDecided({ span, source }: SpanOccurrence): boolean {
    const repeated = this.#repeated.get(span.traceId)
    return repeated !== undefined && isUncontested(repeated.get(span.spanId), source.seq)
  }

  /** Traces with more than `MAX_SPANS_DEDUPLICATED` spans show every occurrence, as their span count includes each. */
  isShown({ span, source, position }: SpanOccurrence): boolean {
    const containers = this.#repeatedOf(span.traceId).get(span.spanId)
    if (isUncontested(containers, source.seq)) return true
    const shown = this.#choose(span.traceId, span.spanId, containers ?? [])
    if (shown === null) return true
    return shown.source.seq === source.seq && shown.source.item === source.item && shown.position === position
  }

  /** @returns `null` when no record contains the span. */
  shown(traceId: string, spanId: string): ComparableSpan | null {
    const id = Buffer.from(spanId, 'hex')
    const rows = this.#db
      .prepare(`${CONTAINERS} AND instr(spans, ?) > 0 ${BEST_FIRST}`)
      .iterate(traceId, id) as IterableIterator<ContainerRow>
    const containers: Container[] = []
    for (const { spans, ...container } of rows) if (includesId(spans, id)) containers.push(container)
    return this.#choose(traceId, spanId, containers)
  }

  #choose(traceId: string, spanId: string, containers: readonly Container[]): ComparableSpan | null {
    for (const copies of [0, 1]) {
      const compared = containers.filter(({ isCopy }) => isCopy === copies).slice(0, MAX_RECORDS_COMPARED)
      const occurrences = compared.flatMap(({ seq }) => this.#read(traceId, seq).get(spanId) ?? [])
      const [first, ...others] = occurrences
      if (first !== undefined) return others.reduce((shown, one) => (takesPrecedence(one, shown) ? one : shown), first)
    }
    return null
  }

  #repeatedOf(traceId: string): RepeatedSpans {
    const known = this.#repeated.get(traceId)
    if (known !== undefined) return known
    const repeated = this.#mayRepeat(traceId) ? this.#readRepeated(traceId) : NONE
    this.#repeated.set(traceId, repeated)
    return repeated
  }

  /** No span is repeated when the spans of all records add up to the span count of the trace. */
  #mayRepeat(traceId: string): boolean {
    const { occurrences, spans } = this.#db
      .prepare(
        `SELECT (SELECT sum(span_count) FROM trace_records WHERE trace_id = @traceId) AS occurrences,
           (SELECT span_count FROM traces WHERE list_position = ${POSITION_OF_TRACE}) AS spans`,
      )
      .get({ traceId }) as { readonly occurrences: number | null; readonly spans: number | null }
    return occurrences !== spans && (occurrences ?? 0) <= MAX_SPANS_DEDUPLICATED
  }

  #readRepeated(traceId: string): RepeatedSpans {
    const rows = this.#db.prepare(`${CONTAINERS} AND span_count > 0 ${BEST_FIRST}`).all(traceId) as ContainerRow[]
    const repeated = new Map<string, Container[]>()
    for (const spanId of repeatedIds(rows.map(({ spans }) => spans)).keys()) repeated.set(spanId, [])
    for (const { spans, ...container } of rows) for (const id of idsIn(spans)) repeated.get(id)?.push(container)
    return repeated
  }

  #read(traceId: string, seq: number): ReadonlyMap<string, ComparableSpan> {
    const key = `${seq}/${traceId}`
    const known = this.#spansOfRecord.get(key)
    if (known !== undefined) return known
    const record = readSubmissionRow(this.#db, seq)
    const spans = new Map<string, ComparableSpan>()
    // Keeps only what is compared: the attributes of a span may be long.
    const keep = ({ span, position, source }: SpanOccurrence): void => {
      const one = { span: { endUs: span.endUs }, position, source }
      const other = spans.get(span.spanId)
      if (other === undefined || takesPrecedence(one, other)) spans.set(span.spanId, one)
    }
    if (record !== null) visitSpans(record, new Set([traceId]), this.#sizeLimits, keep)
    const [oldest] = this.#spansOfRecord.keys()
    if (this.#spansOfRecord.size >= MAX_REMEMBERED && oldest !== undefined) this.#spansOfRecord.delete(oldest)
    this.#spansOfRecord.set(key, spans)
    return spans
  }
}

/** True when no other record contains the span, or only copies do and this record is none. */
function isUncontested(containers: readonly Container[] | undefined, seq: number): boolean {
  const [first, second] = containers ?? []
  return first === undefined || (first.seq === seq && second?.isCopy !== first.isCopy)
}

interface ContainerRow extends Container {
  readonly spans: Buffer
}

const CONTAINERS = 'SELECT seq, is_copy AS isCopy, spans FROM trace_records WHERE trace_id = ?'
const BEST_FIRST = 'ORDER BY is_copy, seq DESC'
