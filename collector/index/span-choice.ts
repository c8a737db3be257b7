import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { SegmentSpan } from '../../lib/protocol/trace/segment'
import type { Source } from '../../lib/protocol/traversal/rows'
import { POSITION_OF_TRACE } from './list-page'
import { ID_BYTES, idsIn, repeatedIds } from './span-ids'
import { readSpoolRecord, visitSpans } from './trace-spans'
import { MAX_SPANS_DEDUPLICATED } from './write-trace-records'

/** What records that were just read told stays so long. */
const MAX_REMEMBERED = 16
/** Of the records that tell of one span so many are compared: those that came on the path before copies, the newest first. */
const MAX_RECORDS_COMPARED = 8

interface ContainingRecord {
  readonly seq: number
  readonly isCopy: number
}

/** What several records tell of: by span, the records in the order in which they are compared. */
type Repeated = ReadonlyMap<string, readonly ContainingRecord[]>

const NONE: Repeated = new Map()

/** Which of several tellings of a span is shown, for one question: what it has read it keeps. */
export class SpanChooser {
  readonly #db: Database
  readonly #limits: ReadLimits
  readonly #repeated = new Map<string, Repeated>()
  readonly #told = new Map<string, ReadonlyMap<string, ComparableSpan>>()

  constructor(db: Database, limits: ReadLimits) {
    this.#db = db
    this.#limits = limits
  }

  /** Can it be said without reading anything whether this telling is shown? */
  isDecided({ span, source }: SpanOccurrence): boolean {
    const repeated = this.#repeated.get(span.traceId)
    return repeated !== undefined && isAlone(repeated.get(span.spanId), source.seq)
  }

  /** Of a trace with more spans than are told apart each telling is shown, as each is counted. */
  isShown({ span, source, position }: SpanOccurrence): boolean {
    const containing = this.#repeatedOf(span.traceId).get(span.spanId)
    if (isAlone(containing, source.seq)) return true
    const shown = this.#shownOf(span.traceId, span.spanId, containing ?? [])
    if (shown === null) return true
    return shown.source.seq === source.seq && shown.source.item === source.item && shown.position === position
  }

  /** @returns `null` where no record that is kept tells of it. */
  shown(traceId: string, spanId: string): ComparableSpan | null {
    const id = Buffer.from(spanId, 'hex')
    const rows = this.#db
      .prepare(`${CONTAINING_RECORDS} AND instr(spans, ?) > 0 ${BEST_FIRST}`)
      .iterate(traceId, id) as IterableIterator<ContainingRecordRow>
    const containing: ContainingRecord[] = []
    for (const { spans, ...teller } of rows) if (holds(spans, id)) containing.push(teller)
    return this.#shownOf(traceId, spanId, containing)
  }

  #shownOf(traceId: string, spanId: string, containing: readonly ContainingRecord[]): ComparableSpan | null {
    for (const path of [0, 1]) {
      const compared = containing.filter(({ isCopy }) => isCopy === path).slice(0, MAX_RECORDS_COMPARED)
      const told = compared.flatMap(({ seq }) => this.#read(traceId, seq).get(spanId) ?? [])
      const [first, ...others] = told
      if (first !== undefined) return others.reduce((shown, one) => (takesPrecedence(one, shown) ? one : shown), first)
    }
    return null
  }

  #repeatedOf(traceId: string): Repeated {
    const known = this.#repeated.get(traceId)
    if (known !== undefined) return known
    const repeated = this.#mayRepeat(traceId) ? this.#readRepeated(traceId) : NONE
    this.#repeated.set(traceId, repeated)
    return repeated
  }

  /** Where the records of a trace tell of as many spans together as there are, none is told twice. */
  #mayRepeat(traceId: string): boolean {
    const { told, spans } = this.#db
      .prepare(
        `SELECT (SELECT sum(span_count) FROM trace_records WHERE trace_id = @traceId) AS told,
           (SELECT span_count FROM traces WHERE list_position = ${POSITION_OF_TRACE}) AS spans`,
      )
      .get({ traceId }) as { readonly told: number | null; readonly spans: number | null }
    return told !== spans && (told ?? 0) <= MAX_SPANS_DEDUPLICATED
  }

  #readRepeated(traceId: string): Repeated {
    const rows = this.#db
      .prepare(`${CONTAINING_RECORDS} AND span_count > 0 ${BEST_FIRST}`)
      .all(traceId) as ContainingRecordRow[]
    const repeated = new Map<string, ContainingRecord[]>()
    for (const spanId of repeatedIds(rows.map(({ spans }) => spans)).keys()) repeated.set(spanId, [])
    for (const { spans, ...teller } of rows) for (const id of idsIn(spans)) repeated.get(id)?.push(teller)
    return repeated
  }

  #read(traceId: string, seq: number): ReadonlyMap<string, ComparableSpan> {
    const key = `${seq}/${traceId}`
    const known = this.#told.get(key)
    if (known !== undefined) return known
    const record = readSpoolRecord(this.#db, seq)
    const told = new Map<string, ComparableSpan>()
    // Of each no more is kept than is compared: what the spans say may be long.
    const tell = ({ span, position, source }: SpanOccurrence): void => {
      const one = { span: { endUs: span.endUs }, position, source }
      const other = told.get(span.spanId)
      if (other === undefined || takesPrecedence(one, other)) told.set(span.spanId, one)
    }
    if (record !== null) visitSpans(record, traceId, this.#limits, tell)
    const [oldest] = this.#told.keys()
    if (this.#told.size >= MAX_REMEMBERED && oldest !== undefined) this.#told.delete(oldest)
    this.#told.set(key, told)
    return told
  }
}

/** Is it the only record that tells of a span, or the only one on the path? */
function isAlone(containing: readonly ContainingRecord[] | undefined, seq: number): boolean {
  const [first, second] = containing ?? []
  return first === undefined || (first.seq === seq && second?.isCopy !== first.isCopy)
}

interface ContainingRecordRow extends ContainingRecord {
  readonly spans: Buffer
}

const CONTAINING_RECORDS = 'SELECT seq, is_copy AS isCopy, spans FROM trace_records WHERE trace_id = ?'
const BEST_FIRST = 'ORDER BY is_copy, seq DESC'

/** Does this list hold the id? Eight bytes may look like it that are parts of two. */
function holds(list: Buffer, id: Buffer): boolean {
  let at = list.indexOf(id)
  while (at !== -1 && at % ID_BYTES !== 0) at = list.indexOf(id, at + 1)
  return at !== -1
}

/** A span as one record tells of it. */
export interface SpanOccurrence {
  readonly span: SegmentSpan
  /** Of the span in its item. */
  readonly position: number
  readonly source: Source
}

/** What two tellings of the same span are compared by. */
export type ComparableSpan = Pick<SpanOccurrence, 'position' | 'source'> & { readonly span: Pick<SegmentSpan, 'endUs'> }

/**
 * Which of two that tell of the same span is shown: what came on the path before what came as a copy, then the later end,
 * then what was received last. It is the order of everything that is told more than once.
 */
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
