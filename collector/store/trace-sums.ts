import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../spool/prepare'
import type { Source } from '../walk/rows'
import { traceTerms } from './described'
import type { RowCounts } from './row-counts'
import { TermIndex } from './term-index'
import { Telling, TraceRecords } from './trace-records'
import { TRACE_SQL } from './write-sql'

interface NamedSegment {
  readonly name: string
  readonly op: string | null
  readonly environment: string | null
  readonly release: string | null
}

/** Where there is no segment, all but the count is `null`; what it is named by counts where there is one. */
interface SegmentSums extends NamedSegment {
  readonly count: number
  readonly startUs: number | null
  readonly endUs: number | null
  readonly someSay: number | null
  readonly someFail: number | null
  readonly service: string
}

interface TraceBefore {
  readonly listPlace: number
  readonly spanCount: number
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
  readonly #terms: TermIndex
  readonly #counts: RowCounts
  /** What the envelope at hand tells of each trace. */
  readonly #telling = new Map<string, { readonly source: Source; readonly telling: Telling }>()
  /** Traces that the envelope at hand changes, and whether there may be other spans in them; they count once it is through. */
  readonly #staged = new Map<string, boolean>()
  /** The same of the whole batch. */
  readonly #batch = new Map<string, boolean>()

  constructor(db: Database, counts: RowCounts) {
    this.#sql = prepareAll(db, TRACE_SQL)
    this.#terms = new TermIndex(db, 'trace_terms')
    this.#counts = counts
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
    const telling = new Telling(this.#telling.size)
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
    const before = this.#sql.before.get(traceId) as TraceBefore | undefined
    if (before !== undefined) this.#terms.remove(before.listPlace)
    const told = this.#records.sum(traceId, otherSpans ? null : (before?.spanCount ?? 0))
    const segments = this.#sql.segments.get(traceId) as SegmentSums
    const errorCount = Number(this.#sql.errorCount.pluck().get(traceId))
    const error = errorCount === 0 ? undefined : (this.#sql.firstError.get(traceId) as FirstError | undefined)
    const bounds = told === null ? null : (boundsOf(segments) ?? boundsOf(told) ?? boundsOfError(error))
    if (told === null || bounds === null) {
      this.#sql.remove.run(traceId)
      this.#count(before, undefined)
      return
    }
    const isAlone = segments.count === 1 && errorCount === 0
    const named = segments.count === 1 ? segments : (this.#sql.named.get(traceId) as NamedSegment | undefined)
    const services = isAlone ? [segments.service] : (this.#sql.services.pluck().all({ traceId }) as string[])
    const trace = {
      name: named?.name ?? error?.title ?? told.name ?? '(unnamed)',
      op: named?.op ?? null,
      status: segments.someFail === 1 ? 'error' : segments.someSay === 1 ? 'ok' : null,
      environment: named?.environment ?? error?.environment ?? null,
      release: named?.release ?? error?.release ?? null,
      errorCount,
      ...bounds,
    } as const
    this.#sql.upsert.run({
      ...trace,
      traceId,
      listPlace: told.listPlace,
      journal: told.journal,
      receivedAt: told.receivedAt,
      lastSeq: told.lastSeq,
      segmentCount: segments.count,
      spanCount: told.spanCount,
      services: JSON.stringify(services),
      copy: told.copy,
    })
    const texts = isAlone ? [] : (this.#sql.texts.pluck().all({ traceId }) as string[])
    this.#terms.add(told.listPlace, traceTerms({ ...trace, services, stamps: told.stamps }, [trace.name, ...texts]))
    this.#count(before, told)
  }

  #count(before: { readonly spanCount: number } | undefined, after: { readonly spanCount: number } | undefined): void {
    this.#counts.add('trace', Number(after !== undefined) - Number(before !== undefined))
    this.#counts.add('span', (after?.spanCount ?? 0) - (before?.spanCount ?? 0))
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
