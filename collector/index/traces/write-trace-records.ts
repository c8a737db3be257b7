import type { Database, Statement } from 'better-sqlite3'
import type { SegmentSpan } from '../../../lib/protocol/trace/segment'
import { EARLIEST_US } from '../../../lib/protocol/trace/span-tree'
import type { Source } from '../../../lib/protocol/traversal/rows'
import { prepareAll } from '../../runtime/database'
import type { RecordSender } from '../rows/write-columns'
import { countDistinct, packSpanIds } from './span-ids'
import { SLOTS } from './trace-position'

/** In larger traces span counts of records are added up: comparing all ids would take longer than the batch. */
export const MAX_SPANS_DEDUPLICATED = 200_000

export class TraceContribution {
  readonly slot: number
  readonly #segmentOf = new Map<string, string | null>()
  #startUs = Number.POSITIVE_INFINITY
  #endUs = Number.NEGATIVE_INFINITY
  #name: string | null = null
  #hasSegment = false

  /** @param slot the index of this trace among the traces of the record. */
  constructor(slot: number) {
    this.slot = slot
  }

  addSegment(): void {
    this.#hasSegment = true
  }

  addSpan({ spanId, segmentId, startUs, endUs, name }: SegmentSpan): void {
    // A span that occurs twice in a record belongs to the segment of its first occurrence.
    if (!this.#segmentOf.has(spanId)) this.#segmentOf.set(spanId, segmentId)
    if (startUs < this.#startUs) this.#startUs = startUs
    if (endUs > this.#endUs) this.#endUs = endUs
    if (this.#name === null || name < this.#name) this.#name = name
  }

  get spanCount(): number {
    return this.#segmentOf.size
  }

  columns() {
    // Only a trace without any segment is named by its spans.
    const name = this.#hasSegment ? null : this.#name
    if (this.spanCount === 0) return { spanCount: 0, startUs: null, endUs: null, name, segments: null, spans: null }
    const packed = packSpanIds(this.#segmentOf)
    return { spanCount: this.spanCount, startUs: this.#startUs, endUs: this.#endUs, name, ...packed }
  }
}

interface TraceTotals {
  readonly journal: number
  readonly listPosition: number
  readonly receivedAt: number
  readonly lastSeq: number
  readonly copy: 'no' | 'also' | 'only'
  /** Of the spans: `null` when there are none. */
  readonly startUs: number | null
  readonly endUs: number | null
  readonly name: string | null
  readonly stamps: readonly string[]
  readonly pages: readonly string[]
  readonly projects: readonly string[]
  /** 1 when all records are own telemetry. */
  readonly own: number
}

interface TotalsRow extends Omit<TraceTotals, 'copy' | 'stamps' | 'pages' | 'projects'> {
  readonly anyStamp: string | null
  readonly anyPage: string | null
  readonly firstProject: string
  readonly lastProject: string
  readonly records: number
  readonly allCopies: number
  readonly anyCopy: number
  readonly recordsWithSpans: number
  readonly spans: number
}

export class TraceRecords {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  add(
    traceId: string,
    { seq, journal, receivedAt, copy, stamp, own, page, project }: Source & RecordSender,
    contribution: TraceContribution,
  ): void {
    const { slot } = contribution
    const sender = { stamp, own, page, project }
    this.#sql.add.run({
      ...{ traceId, seq, journal, receivedAt, copy: copy ? 1 : 0, slot },
      ...sender,
      ...contribution.columns(),
    })
  }

  tracesOf(seq: number): readonly string[] {
    return this.#sql.tracesOf.pluck().all(seq) as string[]
  }

  remove(seq: number): void {
    this.#sql.remove.run(seq)
  }

  /** @param knownSpanCount `null` counts them. @returns `null` when no record contributes to the trace. */
  totals(traceId: string, knownSpanCount: number | null): (TraceTotals & { readonly spanCount: number }) | null {
    const row = this.#sql.totals.get(traceId) as TotalsRow
    const {
      records,
      recordsWithSpans,
      spans,
      allCopies,
      anyCopy,
      anyStamp,
      anyPage,
      firstProject,
      lastProject,
      ...totals
    } = row
    if (records === 0) return null
    const countSpans = () =>
      recordsWithSpans < 2 || spans > MAX_SPANS_DEDUPLICATED ? spans : this.#countDistinctSpans(traceId)
    return {
      ...totals,
      stamps: anyStamp === null ? [] : (this.#sql.stamps.pluck().all(traceId) as string[]),
      pages: anyPage === null ? [] : (this.#sql.pages.pluck().all(traceId) as string[]),
      projects: firstProject === lastProject ? [firstProject] : (this.#sql.projects.pluck().all(traceId) as string[]),
      copy: allCopies === 1 ? 'only' : anyCopy === 1 ? 'also' : 'no',
      spanCount: knownSpanCount ?? countSpans(),
    }
  }

  #countDistinctSpans(traceId: string): number {
    return countDistinct(this.#sql.ids.pluck().all(traceId) as Uint8Array[])
  }
}

/** The start of a trace. A segment or record that starts before 2000 counts from its end; one of 1970 alone as it is. */
export const EARLIEST_START = `coalesce(
    min(CASE WHEN start_us >= ${EARLIEST_US} THEN start_us WHEN end_us >= ${EARLIEST_US} THEN end_us END), min(start_us))`

const SQL = {
  add: `INSERT INTO trace_records (trace_id, seq, journal, received_at, is_copy, slot, stamp, own, page, project, span_count, start_us, end_us,
      name, segments, spans)
    VALUES (@traceId, @seq, @journal, @receivedAt, @copy, @slot, @stamp, @own, @page, @project, @spanCount, @startUs, @endUs, @name, @segments, @spans)`,
  tracesOf: 'SELECT trace_id FROM trace_records WHERE seq = ?',
  remove: 'DELETE FROM trace_records WHERE seq = ?',
  totals: `SELECT count(*) AS records, min(journal) AS journal, min(journal * ${SLOTS} + slot) AS listPosition, max(stamp) AS anyStamp,
      max(page) AS anyPage, min(project) AS firstProject, max(project) AS lastProject, min(own) AS own, min(received_at) AS receivedAt, max(seq) AS lastSeq,
      min(is_copy) AS allCopies, max(is_copy) AS anyCopy, ${EARLIEST_START} AS startUs, max(end_us) AS endUs, min(name) AS name,
      count(start_us) AS recordsWithSpans, sum(span_count) AS spans
    FROM trace_records WHERE trace_id = ?`,
  // Senders choose these freely, so their number is bounded.
  stamps: 'SELECT DISTINCT stamp FROM trace_records WHERE trace_id = ? AND stamp IS NOT NULL ORDER BY stamp LIMIT 100',
  pages: 'SELECT DISTINCT page FROM trace_records WHERE trace_id = ? AND page IS NOT NULL ORDER BY page LIMIT 100',
  projects: 'SELECT DISTINCT project FROM trace_records WHERE trace_id = ? ORDER BY project LIMIT 100',
  ids: 'SELECT spans FROM trace_records WHERE trace_id = ? AND span_count > 0',
} as const
