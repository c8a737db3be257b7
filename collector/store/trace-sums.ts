import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../spool/prepare'
import type { Source } from '../walk/rows'
import { Telling, TraceRecords } from './trace-records'
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
 * once a batch, by SQLite: a trace may hold a hundred thousand errors, and each batch may bring one more.
 */
export class TraceSums {
  readonly #sql: Readonly<Record<keyof typeof TRACE_SQL, Statement>>
  readonly #records: TraceRecords
  /** What the envelope at hand tells of each trace. */
  readonly #telling = new Map<string, { readonly source: Source; readonly telling: Telling }>()
  /** Traces that the envelope at hand changes, and whether there may be other spans in them; they count once it is through. */
  readonly #staged = new Map<string, boolean>()
  /** The same of the whole batch. */
  readonly #batch = new Map<string, boolean>()

  constructor(db: Database) {
    this.#sql = prepareAll(db, TRACE_SQL)
    this.#records = new TraceRecords(db)
  }

  /** Something of this trace is shown that was not, or is no longer. */
  touch(traceId: string): void {
    touch(this.#staged, traceId, false)
  }

  /** The envelope at hand tells of this trace: of what in it is said to what this returns. */
  tell(traceId: string, source: Source): Telling {
    const told = this.#telling.get(traceId)
    if (told !== undefined) return told.telling
    const telling = new Telling()
    this.#telling.set(traceId, { source, telling })
    return telling
  }

  /** It does no longer, for it goes. */
  untell(traceId: string, source: Source): void {
    if (this.#staged.get(traceId) === true) return
    this.#records.untell(traceId, source)
    touch(this.#staged, traceId, true)
  }

  /** Writes what the envelope at hand tells, beside its rows. */
  endEnvelope(): void {
    for (const [traceId, { source, telling }] of this.#telling) {
      this.#records.tell(traceId, source, telling)
      touch(this.#staged, traceId, telling.spanCount > 0)
    }
    this.#telling.clear()
  }

  keepEnvelope(): void {
    for (const [traceId, otherSpans] of this.#staged) touch(this.#batch, traceId, otherSpans)
    this.#staged.clear()
  }

  /** The envelope at hand threw, and its rows are rolled back. */
  dropEnvelope(): void {
    this.#telling.clear()
    this.#staged.clear()
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.dropEnvelope()
    this.#batch.clear()
  }

  /** Sums up what the batch touched, in its transaction. */
  finish(): void {
    for (const [traceId, otherSpans] of this.#batch) this.#sumUp(traceId, otherSpans)
    this.#batch.clear()
  }

  #sumUp(traceId: string, otherSpans: boolean): void {
    const told = this.#records.sum(traceId, otherSpans ? null : this.#spansSoFar(traceId))
    const segments = this.#sql.segments.get(traceId) as SegmentSums
    const error = this.#sql.firstError.get(traceId) as FirstError | undefined
    const bounds = told === null ? null : (boundsOf(segments) ?? boundsOf(told) ?? boundsOfError(error))
    if (told === null || bounds === null) {
      this.#sql.remove.run(traceId)
      return
    }
    const named = this.#sql.named.get(traceId) as NamedSegment | undefined
    this.#sql.upsert.run({
      traceId,
      journal: told.journal,
      receivedAt: told.receivedAt,
      lastSeq: told.lastSeq,
      startUs: bounds.startUs,
      endUs: bounds.endUs,
      name: named?.name ?? error?.title ?? told.name ?? '(unnamed)',
      op: named?.op ?? null,
      status: segments.someFail === 1 ? 'error' : segments.someSay === 1 ? 'ok' : null,
      segmentCount: segments.count,
      spanCount: told.spanCount,
      errorCount: Number(this.#sql.errorCount.pluck().get(traceId)),
      services: JSON.stringify(this.#sql.services.pluck().all({ traceId })),
      environment: named?.environment ?? error?.environment ?? null,
      release: named?.release ?? error?.release ?? null,
      copy: told.copy,
    })
  }

  #spansSoFar(traceId: string): number {
    return Number(this.#sql.spanCount.pluck().get(traceId) ?? 0)
  }
}

interface Bounds {
  readonly startUs: number
  readonly endUs: number
}

const boundsOf = ({ startUs, endUs }: { readonly startUs: number | null; readonly endUs: number | null }) =>
  startUs === null || endUs === null ? null : ({ startUs, endUs } satisfies Bounds)

const boundsOfError = (error: FirstError | undefined): Bounds | null =>
  error === undefined ? null : { startUs: error.timestampUs, endUs: error.timestampUs }

function touch(traces: Map<string, boolean>, traceId: string, otherSpans: boolean): void {
  if (otherSpans || !traces.has(traceId)) traces.set(traceId, otherSpans)
}
