import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../spool/prepare'
import type { Source } from '../walk/rows'
import { TRACE_SQL } from './write-sql'

interface SegmentSums {
  readonly count: number
  /** `null` where there is no segment; so are all below. */
  readonly startUs: number | null
  readonly endUs: number | null
  readonly someSay: number | null
  readonly someFail: number | null
}

interface NamedSegment {
  readonly name: string
  readonly op: string | null
  readonly environment: string | null
  readonly release: string | null
}

interface FirstError {
  readonly title: string
  readonly timestampUs: number
  readonly environment: string | null
  readonly release: string | null
}

/**
 * Keeps a trace's one row the sum of the rows that are shown and of the records that tell of it. Traces are summed up
 * once a batch, by SQLite: a trace may hold a hundred thousand errors, and each batch may bring one more. The number of
 * spans is carried on, for counting them again would take as long as they are many.
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
    const segments = this.#sql.segments.get(traceId) as SegmentSums
    const error = this.#sql.firstError.get(traceId) as FirstError | undefined
    const bounds = boundsOf(segments) ?? this.#looseBounds(traceId, newSpans, error)
    const first = this.#sql.first.get(traceId) as { journal: number; receivedAt: number } | undefined
    if (first === undefined || bounds === null) {
      this.#sql.remove.run(traceId)
      return
    }
    const records = this.#sql.records.get(traceId) as { lastSeq: number; allCopies: number; someCopies: number }
    const named = this.#sql.named.get(traceId) as NamedSegment | undefined
    this.#sql.upsert.run({
      traceId,
      ...first,
      lastSeq: records.lastSeq,
      startUs: bounds.startUs,
      endUs: bounds.endUs,
      name: named?.name ?? error?.title ?? bounds.name ?? '(unnamed)',
      op: named?.op ?? null,
      status: segments.someFail === 1 ? 'error' : segments.someSay === 1 ? 'ok' : null,
      segmentCount: segments.count,
      newSpans,
      errorCount: Number(this.#sql.errorCount.pluck().get(traceId)),
      services: JSON.stringify(this.#sql.services.pluck().all({ traceId })),
      environment: named?.environment ?? error?.environment ?? null,
      release: named?.release ?? error?.release ?? null,
      copy: records.allCopies === 1 ? 'only' : records.someCopies === 1 ? 'also' : 'no',
    })
  }

  /** @returns `null` when nothing of the trace is shown. */
  #looseBounds(traceId: string, newSpans: number, error: FirstError | undefined): Bounds | null {
    const before = Number(this.#sql.spanCount.pluck().get(traceId) ?? 0)
    if (before + newSpans > 0) return this.#sql.loose.get(traceId) as Bounds
    return error === undefined ? null : { startUs: error.timestampUs, endUs: error.timestampUs, name: null }
  }
}

interface Bounds {
  readonly startUs: number
  readonly endUs: number
  readonly name: string | null
}

const boundsOf = ({ startUs, endUs }: SegmentSums): Bounds | null =>
  startUs === null || endUs === null ? null : { startUs, endUs, name: null }
