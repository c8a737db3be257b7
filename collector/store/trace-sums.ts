import type { Database, Statement } from 'better-sqlite3'
import { isErrorStatus } from '../../lib/trace/segment'
import { prepareAll } from './prepare'
import type { Source } from './rows'
import { TRACE_SQL } from './write-sql'

interface SegmentFacts {
  readonly name: string
  readonly op: string | null
  readonly status: string | null
  readonly startUs: number
  readonly endUs: number
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
  readonly parentSpanId: string | null
}

interface EventFacts {
  readonly title: string
  readonly timestampUs: number
  readonly service: string
  readonly environment: string | null
  readonly release: string | null
}

/**
 * Keeps a trace's one row the sum of the rows that are shown and of the records that tell of it. Traces are summed up
 * once a batch; only the number of spans is carried on, for counting a large trace again would take as long as it is.
 */
export class TraceSums {
  readonly #sql: Readonly<Record<keyof typeof TRACE_SQL, Statement>>
  /** Spans that the envelope at hand adds to each trace; they count only once it is through. */
  readonly #staged = new Map<string, number>()
  /** Traces that the envelope at hand is known to tell of: a record's spans are many, and their traces few. */
  readonly #told = new Set<string>()
  /** The same of the whole batch. */
  readonly #batch = new Map<string, number>()

  constructor(db: Database) {
    this.#sql = prepareAll(db, TRACE_SQL)
  }

  /** @param spans how many more are shown. */
  touch(traceId: string, spans = 0): void {
    this.#staged.set(traceId, (this.#staged.get(traceId) ?? 0) + spans)
  }

  /** The envelope at hand tells of this trace. */
  tell(traceId: string, { seq, journal, receivedAt, copy }: Source): void {
    if (this.#told.has(traceId)) return
    this.#told.add(traceId)
    this.#sql.tell.run({ traceId, seq, journal, receivedAt, copy: copy ? 1 : 0 })
    this.touch(traceId)
  }

  /** It does no longer, for it goes. */
  untell(traceId: string, { seq }: Source): void {
    if (this.#told.has(traceId)) return
    this.#told.add(traceId)
    this.#sql.untell.run({ traceId, seq })
    this.touch(traceId)
  }

  keepEnvelope(): void {
    for (const [traceId, spans] of this.#staged) this.#batch.set(traceId, (this.#batch.get(traceId) ?? 0) + spans)
    this.#staged.clear()
    this.#told.clear()
  }

  /** The envelope at hand threw, and its rows are rolled back. */
  dropEnvelope(): void {
    this.#staged.clear()
    this.#told.clear()
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#staged.clear()
    this.#told.clear()
    this.#batch.clear()
  }

  /** Sums up what the batch touched, in its transaction. */
  finish(): void {
    for (const [traceId, spans] of this.#batch) this.#sumUp(traceId, spans)
    this.#batch.clear()
  }

  #sumUp(traceId: string, newSpans: number): void {
    const segments = this.#sql.segments.all(traceId) as SegmentFacts[]
    const events = this.#sql.events.all(traceId) as EventFacts[]
    const [event] = events
    const bounds = segments.length > 0 ? boundsOf(segments) : this.#looseBounds(traceId, newSpans, event)
    const first = this.#sql.first.get(traceId) as { journal: number; receivedAt: number } | undefined
    if (first === undefined || bounds === null) {
      this.#sql.remove.run(traceId)
      return
    }
    const records = this.#sql.records.get(traceId) as { lastSeq: number; allCopies: number; someCopies: number }
    const named = nameGiver(segments)
    this.#sql.upsert.run({
      traceId,
      ...first,
      lastSeq: records.lastSeq,
      startUs: bounds.startUs,
      endUs: bounds.endUs,
      name: named?.name ?? event?.title ?? bounds.name ?? '(unnamed)',
      op: named?.op ?? null,
      status: statusOf(segments),
      segmentCount: segments.length,
      newSpans,
      errorCount: events.length,
      services: JSON.stringify([...new Set([...segments, ...events].map((one) => one.service))].sort()),
      environment: named?.environment ?? event?.environment ?? null,
      release: named?.release ?? event?.release ?? null,
      copy: records.allCopies === 1 ? 'only' : records.someCopies === 1 ? 'also' : 'no',
    })
  }

  /** @returns `null` when nothing of the trace is shown. */
  #looseBounds(traceId: string, newSpans: number, event: EventFacts | undefined): Bounds | null {
    const before = Number(this.#sql.spanCount.pluck().get(traceId) ?? 0)
    if (before + newSpans > 0) return this.#sql.loose.get(traceId) as Bounds
    return event === undefined ? null : { startUs: event.timestampUs, endUs: event.timestampUs, name: null }
  }
}

interface Bounds {
  readonly startUs: number
  readonly endUs: number
  readonly name: string | null
}

function boundsOf(segments: readonly SegmentFacts[]): Bounds {
  let [startUs, endUs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const segment of segments) {
    startUs = Math.min(startUs, segment.startUs)
    endUs = Math.max(endUs, segment.endUs)
  }
  return { startUs, endUs, name: null }
}

/**
 * The segment that a trace is named after: what a person did (a page load or navigation, though the server that rendered
 * the page may come before it), else the root, else the earliest.
 */
function nameGiver(segments: readonly SegmentFacts[]): SegmentFacts | undefined {
  const byPerson = segments.find(({ op }) => op === 'pageload' || op === 'navigation')
  return byPerson ?? segments.find((segment) => segment.parentSpanId === null) ?? segments[0]
}

function statusOf(segments: readonly SegmentFacts[]): 'ok' | 'error' | null {
  if (segments.some((segment) => isErrorStatus(segment.status))) return 'error'
  return segments.some((segment) => segment.status !== null) ? 'ok' : null
}
