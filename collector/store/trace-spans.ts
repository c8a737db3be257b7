import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { Span } from '../../lib/wire/trace'
import { BodyDamagedError } from '../spool/submission'
import { isShownBefore, type ToldSpan } from '../walk/told-span'
import { RECORD_COLUMNS, type SpoolRecord } from '../walk/walk-record'
import { walkSpans } from '../walk/walk-spans'
import type { PlannedRecord, TracePlan } from './trace-plan'

/**
 * The spans of a trace, record by record. One that several records tell of is held back until the last of them was
 * read: only then is it known which telling is shown.
 */
export class TraceSpans {
  readonly #traceId: string
  readonly #records: readonly PlannedRecord[]
  readonly #limits: ReadLimits
  /** How many records are still to be read that tell of a span. */
  readonly #waitingFor: Map<string, number>
  readonly #held = new Map<string, ToldSpan>()
  #at = 0

  constructor(traceId: string, { records, tellers }: TracePlan, limits: ReadLimits) {
    this.#traceId = traceId
    this.#records = records
    this.#limits = limits
    this.#waitingFor = new Map(tellers)
  }

  get isDone(): boolean {
    return this.#at >= this.#records.length
  }

  /** Reads the next record. One that made room since, or cannot be read any more, tells nothing. */
  next(db: Database): readonly ToldSpan[] {
    const planned = this.#records[this.#at]
    if (planned === undefined) return []
    this.#at += 1
    const record = readSpoolRecord(db, planned.seq)
    const told = record === null ? [] : toldOf(record, this.#traceId, this.#limits)
    const once = told.length > planned.spans ? eachOnce(told) : told
    return planned.repeated.length === 0 ? once : this.#decide(planned.repeated, once)
  }

  #decide(repeated: readonly string[], told: readonly ToldSpan[]): readonly ToldSpan[] {
    const decided: ToldSpan[] = []
    for (const one of told) {
      const { spanId } = one.span
      if (!this.#waitingFor.has(spanId)) decided.push(one)
      else this.#held.set(spanId, shownOf(this.#held.get(spanId), one))
    }
    for (const spanId of repeated) {
      const left = (this.#waitingFor.get(spanId) ?? 0) - 1
      this.#waitingFor.set(spanId, left)
      const held = this.#held.get(spanId)
      if (left > 0 || held === undefined) continue
      this.#held.delete(spanId)
      decided.push(held)
    }
    return decided
  }
}

export function readSpoolRecord(db: Database, seq: number): SpoolRecord | null {
  const row = db.prepare(`SELECT ${RECORD_COLUMNS} FROM spool.submissions WHERE seq = ?`).get(seq)
  return (row as SpoolRecord | undefined) ?? null
}

/** What a record tells of one trace's spans, as often as it tells it; nothing when it cannot be read. */
export function toldOf(record: SpoolRecord, traceId: string, limits: ReadLimits): readonly ToldSpan[] {
  const told: ToldSpan[] = []
  const rows = {
    segment: () => undefined,
    span: (...[span, place, source]: [ToldSpan['span'], number, ToldSpan['source']]) => {
      if (span.traceId === traceId) told.push({ span, place, source })
    },
  }
  try {
    walkSpans(record, rows, limits)
  } catch (error) {
    // What there is of the trace besides is shown all the same.
    if (error instanceof BodyDamagedError) return []
    throw error
  }
  return told
}

/** Each span of one record once. */
export function eachOnce(told: readonly ToldSpan[]): readonly ToldSpan[] {
  const shown = new Map<string, ToldSpan>()
  for (const one of told) {
    const key = `${one.span.traceId}/${one.span.spanId}`
    shown.set(key, shownOf(shown.get(key), one))
  }
  return [...shown.values()]
}

const shownOf = (held: ToldSpan | undefined, one: ToldSpan): ToldSpan =>
  held === undefined || isShownBefore(one, held) ? one : held

export function wireSpan({ span, source }: ToldSpan): Span {
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
