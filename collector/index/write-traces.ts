import type { Database, Statement } from 'better-sqlite3'
import type { Source } from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/database'
import { TermIndex } from './terms-index'
import { traceTerms } from './terms-traces'
import { TRACE_SQL } from './write-sql'
import type { RowCounts, Staged } from './write-staged'
import { TraceContribution, TraceRecords } from './write-trace-records'

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
  readonly spanCount: number
}

interface Change {
  /** There may be other spans in it. */
  readonly otherSpans: boolean
  /** Where it stood before the batch; `null` where no record told of it. */
  readonly positionBefore: number | null
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
export class TraceSums implements Staged {
  readonly #sql: Readonly<Record<keyof typeof TRACE_SQL, Statement>>
  readonly #records: TraceRecords
  readonly #terms: TermIndex
  readonly #counts: RowCounts
  /** What the envelope at hand tells of each trace. */
  readonly #contribution = new Map<string, { readonly source: Source; readonly contribution: TraceContribution }>()
  /** Traces that the envelope at hand changes; they count once it is through. */
  readonly #staged = new Map<string, Change>()
  /** The same of the whole batch. */
  readonly #batch = new Map<string, Change>()

  constructor(db: Database, counts: RowCounts) {
    this.#sql = prepareAll(db, TRACE_SQL)
    this.#terms = new TermIndex(db, 'trace_terms')
    this.#counts = counts
    this.#records = new TraceRecords(db)
  }

  /** Something of this trace is shown that was not, or is no longer. */
  touch(traceId: string): void {
    this.#stage(traceId, false)
  }

  /** The envelope at hand tells of this trace: of what in it is said to what this returns. */
  tell(traceId: string, source: Source): TraceContribution {
    const told = this.#contribution.get(traceId)
    if (told !== undefined) return told.contribution
    const contribution = new TraceContribution(this.#contribution.size)
    this.#contribution.set(traceId, { source, contribution })
    return contribution
  }

  /** It does no longer, for it goes. */
  untell(traceId: string, source: Source): void {
    if (this.#staged.get(traceId)?.otherSpans === true) return
    this.#stage(traceId, true)
    this.#records.untell(traceId, source)
  }

  /** Writes what the envelope at hand tells, beside its rows. */
  endEnvelope(): void {
    for (const [traceId, { source, contribution }] of this.#contribution) {
      this.#stage(traceId, contribution.spanCount > 0)
      this.#records.tell(traceId, source, contribution)
    }
    this.#contribution.clear()
  }

  commitEnvelope(): void {
    for (const [traceId, { otherSpans, positionBefore }] of this.#staged)
      this.#batch.set(traceId, {
        otherSpans: otherSpans || this.#batch.get(traceId)?.otherSpans === true,
        positionBefore,
      })
    this.#staged.clear()
  }

  rollbackEnvelope(): void {
    this.#contribution.clear()
    this.#staged.clear()
  }

  rollbackBatch(): void {
    this.rollbackEnvelope()
    this.#batch.clear()
  }

  /** Sums up what the batch touched, in its transaction. */
  finish(): void {
    for (const [traceId, change] of this.#batch) this.#sumUp(traceId, change)
    this.#batch.clear()
  }

  /** Is called before the records that tell of the trace are others: they find it where it stands. */
  #stage(traceId: string, otherSpans: boolean): void {
    const staged = this.#staged.get(traceId)
    if (staged !== undefined && (staged.otherSpans || !otherSpans)) return
    const known = staged ?? this.#batch.get(traceId)
    const positionBefore = known === undefined ? this.#positionOf(traceId) : known.positionBefore
    this.#staged.set(traceId, { otherSpans, positionBefore })
  }

  #positionOf(traceId: string): number | null {
    return this.#sql.position.pluck().get({ traceId }) as number | null
  }

  #sumUp(traceId: string, { otherSpans, positionBefore }: Change): void {
    const before =
      positionBefore === null ? undefined : (this.#sql.before.get(positionBefore) as TraceBefore | undefined)
    const told = this.#records.sum(traceId, otherSpans ? null : (before?.spanCount ?? 0))
    const segments = this.#sql.segments.get(traceId) as SegmentSums
    const errorCount = Number(this.#sql.errorCount.pluck().get(traceId))
    const error = errorCount === 0 ? undefined : (this.#sql.firstError.get(traceId) as FirstError | undefined)
    const bounds = told === null ? null : (boundsOf(segments) ?? boundsOf(told) ?? boundsOfError(error))
    if (told === null || bounds === null) {
      if (before !== undefined) this.#remove(positionBefore)
      this.#count(before, undefined)
      return
    }
    if (before !== undefined && positionBefore !== told.listPosition) this.#remove(positionBefore)
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
    this.#sql.write.run({
      ...trace,
      traceId,
      listPosition: told.listPosition,
      journal: told.journal,
      receivedAt: told.receivedAt,
      lastSeq: told.lastSeq,
      segmentCount: segments.count,
      spanCount: told.spanCount,
      services: JSON.stringify(services),
      copy: told.copy,
    })
    const texts = isAlone ? [] : (this.#sql.texts.pluck().all({ traceId }) as string[])
    this.#terms.write(
      told.listPosition,
      traceTerms({ ...trace, services, stamps: told.stamps }, [trace.name, ...texts]),
    )
    this.#count(before, told)
  }

  #remove(position: number | null): void {
    this.#sql.remove.run(position)
    this.#terms.remove(position ?? 0)
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
