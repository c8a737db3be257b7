import type { Database, Statement } from 'better-sqlite3'
import { NO_ERRORS } from '../../../lib/protocol/trace/span-status'
import type { Source } from '../../../lib/protocol/traversal/rows'
import { prepareAll } from '../../runtime/database'
import { POSITION_OF_TRACE } from '../traces/trace-position'
import { EARLIEST_START, TraceContribution, TraceRecords } from '../traces/write-trace-records'
import { TermIndex } from './terms-index'
import { traceTerms } from './terms-traces'
import type { RecordSender } from './write-columns'
import type { RowCounts, Staged } from './write-staged'

interface Change {
  /** The set of its spans may have changed. */
  readonly spansChanged: boolean
  /** Its list position before the batch; `null` when no record contributed to it. */
  readonly positionBefore: number | null
}

/** One row per trace, computed once per batch: a trace may hold 100,000 errors, and each batch may bring one more. */
export class TraceTable implements Staged {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  readonly #records: TraceRecords
  readonly #terms: TermIndex
  readonly #counts: RowCounts
  readonly #contributions = new Map<string, { readonly source: Source; readonly contribution: TraceContribution }>()
  readonly #envelope = new Map<string, Change>()
  readonly #batch = new Map<string, Change>()

  constructor(db: Database, counts: RowCounts) {
    this.#sql = prepareAll(db, SQL)
    this.#terms = new TermIndex(db, 'trace_terms')
    this.#counts = counts
    this.#records = new TraceRecords(db)
  }

  /** The traces that the envelopes of the batch so far changed. */
  get touched(): Iterable<string> {
    return this.#batch.keys()
  }

  touch(traceId: string): void {
    this.#stage(traceId, false)
  }

  /** @returns the contribution of the current envelope to this trace, to which segments and spans are added. */
  contribution(traceId: string, source: Source): TraceContribution {
    const known = this.#contributions.get(traceId)
    if (known !== undefined) return known.contribution
    const contribution = new TraceContribution(this.#contributions.size)
    this.#contributions.set(traceId, { source, contribution })
    return contribution
  }

  /** Removes the contributions of a record. */
  removeRecord(seq: number): void {
    for (const traceId of this.#records.tracesOf(seq)) this.#stage(traceId, true)
    this.#records.remove(seq)
  }

  endEnvelope(sender: RecordSender): void {
    for (const [traceId, { source, contribution }] of this.#contributions) {
      this.#stage(traceId, contribution.spanCount > 0)
      this.#records.add(traceId, { ...source, ...sender }, contribution)
    }
    this.#contributions.clear()
  }

  commitEnvelope(): void {
    for (const [traceId, { spansChanged, positionBefore }] of this.#envelope)
      this.#batch.set(traceId, {
        spansChanged: spansChanged || this.#batch.get(traceId)?.spansChanged === true,
        positionBefore,
      })
    this.#envelope.clear()
  }

  rollbackEnvelope(): void {
    this.#contributions.clear()
    this.#envelope.clear()
  }

  rollbackBatch(): void {
    this.rollbackEnvelope()
    this.#batch.clear()
  }

  finish(): void {
    for (const [traceId, change] of this.#batch) this.#update(traceId, change)
    this.#batch.clear()
  }

  /** Must be called before `trace_records` changes: the position of a trace follows from that table. */
  #stage(traceId: string, spansChanged: boolean): void {
    const staged = this.#envelope.get(traceId)
    if (staged !== undefined && (staged.spansChanged || !spansChanged)) return
    const known = staged ?? this.#batch.get(traceId)
    const positionBefore = known === undefined ? this.#positionOf(traceId) : known.positionBefore
    this.#envelope.set(traceId, { spansChanged, positionBefore })
  }

  #positionOf(traceId: string): number | null {
    return this.#sql.position.pluck().get({ traceId }) as number | null
  }

  #update(traceId: string, { spansChanged, positionBefore }: Change): void {
    const before =
      positionBefore === null ? undefined : (this.#sql.before.get(positionBefore) as TraceBefore | undefined)
    const totals = this.#records.totals(traceId, spansChanged ? null : (before?.spanCount ?? 0))
    if (totals === null) {
      this.#drop(before, positionBefore)
      return
    }
    const segments = this.#sql.segments.get(traceId) as SegmentTotals
    const errorCount = Number(this.#sql.errorCount.pluck().get(traceId))
    const error = errorCount === 0 ? undefined : (this.#sql.firstError.get(traceId) as FirstError | undefined)
    const bounds = boundsOf(segments) ?? boundsOf(totals) ?? boundsOfError(error)
    if (bounds === null) {
      this.#drop(before, positionBefore)
      return
    }
    if (before !== undefined && positionBefore !== totals.listPosition) this.#remove(positionBefore)
    // A trace of one segment without errors is the common case: the totals already hold that segment's columns.
    const isOneSegment = segments.count === 1 && errorCount === 0
    const main = segments.count === 1 ? segments : (this.#sql.mainSegment.get(traceId) as MainSegment | undefined)
    const services = isOneSegment ? [segments.service] : (this.#sql.services.pluck().all({ traceId }) as string[])
    // One literal without a spread, because V8 builds it several times faster.
    const trace = {
      traceId,
      listPosition: totals.listPosition,
      journal: totals.journal,
      receivedAt: totals.receivedAt,
      lastSeq: totals.lastSeq,
      startUs: bounds.startUs,
      endUs: bounds.endUs,
      name: main?.name ?? error?.title ?? totals.name ?? '(unnamed)',
      op: main?.op ?? null,
      status: segments.anyFailed === 1 ? 'error' : segments.anyHasStatus === 1 ? 'ok' : null,
      environment: main?.environment ?? error?.environment ?? null,
      release: main?.release ?? error?.release ?? null,
      segmentCount: segments.count,
      spanCount: totals.spanCount,
      errorCount,
      services: JSON.stringify(services),
      copy: totals.copy,
      own: totals.own,
    } as const
    this.#sql.write.run(trace)
    const texts = isOneSegment ? [] : (this.#sql.texts.pluck().all({ traceId }) as string[])
    const terms = traceTerms(trace, {
      services,
      stamps: totals.stamps,
      pages: totals.pages,
      projects: totals.projects,
      texts: [trace.name, ...texts],
    })
    this.#terms.write(totals.listPosition, terms)
    this.#count(before, totals)
  }

  #drop(before: TraceBefore | undefined, position: number | null): void {
    if (before !== undefined) this.#remove(position)
    this.#count(before, undefined)
  }

  #remove(position: number | null): void {
    this.#sql.remove.run(position)
    this.#terms.remove(position ?? 0)
  }

  #count(before: TraceBefore | undefined, after: TraceBefore | undefined): void {
    this.#counts.add('trace', Number(after !== undefined) - Number(before !== undefined))
    this.#counts.add('span', (after?.spanCount ?? 0) - (before?.spanCount ?? 0))
  }
}

interface TraceBefore {
  readonly spanCount: number
}

interface MainSegment {
  readonly name: string
  readonly op: string | null
  readonly environment: string | null
  readonly release: string | null
}

/** Without segments every column but `count` is `null`; with several, `MainSegment` is any of them. */
interface SegmentTotals extends MainSegment {
  readonly count: number
  readonly startUs: number | null
  readonly endUs: number | null
  readonly anyHasStatus: number | null
  readonly anyFailed: number | null
  readonly service: string
}

interface FirstError {
  readonly title: string
  readonly timestampUs: number
  readonly environment: string | null
  readonly release: string | null
}

interface Bounds {
  readonly startUs: number
  readonly endUs: number
}

const boundsOf = ({ startUs, endUs }: { readonly startUs: number | null; readonly endUs: number | null }) =>
  startUs === null || endUs === null ? null : ({ startUs, endUs } satisfies Bounds)

const boundsOfError = (error: FirstError | undefined): Bounds | null =>
  error === undefined ? null : { startUs: error.timestampUs, endUs: error.timestampUs }

/** Texts of a trace that `text=` searches: the first hundreds, so that one more error does not read them all. */
export const TEXTS_OF_TRACE = `SELECT name FROM (SELECT name FROM segments WHERE trace_id = @traceId ORDER BY segment_id LIMIT 100)
    UNION ALL SELECT title FROM (SELECT title FROM events WHERE trace_id = @traceId ORDER BY timestamp_us, event_id LIMIT 100)`

/** Each ORDER BY ends with a unique column, so that the result does not depend on the order of arrival. */
const SQL = {
  // A status of `unset` counts as none.
  segments: `SELECT count(*) AS count, ${EARLIEST_START} AS startUs, max(end_us) AS endUs, max(coalesce(status <> 'unset', 0)) AS anyHasStatus,
      max(status NOT IN (${NO_ERRORS.map((status) => `'${status}'`).join(', ')})) AS anyFailed,
      name, op, environment, release, service
    FROM segments WHERE trace_id = ?`,
  // The segment that names the trace: a page load or navigation (even after the server segment that rendered the page),
  // else the root, else the earliest.
  mainSegment: `SELECT name, op, environment, release FROM segments WHERE trace_id = ?
    ORDER BY CASE WHEN op IN ('pageload', 'navigation') THEN 0 WHEN parent_span_id IS NULL THEN 1 ELSE 2 END,
      start_us, segment_id LIMIT 1`,
  errorCount: 'SELECT count(*) FROM events WHERE trace_id = ?',
  firstError: `SELECT title, timestamp_us AS timestampUs, environment, release FROM events WHERE trace_id = ?
    ORDER BY timestamp_us, event_id LIMIT 1`,
  // Senders choose service names freely, so their number is bounded.
  services: `SELECT service FROM segments WHERE trace_id = @traceId UNION SELECT service FROM events WHERE trace_id = @traceId
    ORDER BY service LIMIT 100`,
  texts: TEXTS_OF_TRACE,
  position: `SELECT ${POSITION_OF_TRACE}`,
  before: 'SELECT span_count AS spanCount FROM traces WHERE list_position = ?',
  write: `INSERT OR REPLACE INTO traces (list_position, trace_id, journal, received_at, last_seq, start_us, end_us, name, op, status, segment_count, span_count,
      error_count, services, environment, release, copy, own)
    VALUES (@listPosition, @traceId, @journal, @receivedAt, @lastSeq, @startUs, @endUs, @name, @op, @status, @segmentCount, @spanCount, @errorCount,
      @services, @environment, @release, @copy, @own)`,
  remove: 'DELETE FROM traces WHERE list_position = ?',
} as const
