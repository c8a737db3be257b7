import type { Database, Statement } from 'better-sqlite3'
import type { SegmentSpan } from '../../lib/protocol/trace/segment'
import type { Source } from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/database'
import { SLOTS } from './list-page'
import { countDistinct } from './span-ids'

/**
 * Up to so many spans those that several records tell of are counted once. Of a trace that grew beyond, each record's own
 * are added up: a count over all of them with each batch would take longer than the batch.
 */
export const MAX_SPANS_DEDUPLICATED = 200_000

/** What a record tells of a trace, gathered while it is walked. */
export class TraceContribution {
  readonly slot: number
  readonly #segmentOf = new Map<string, string | null>()
  #startUs = Number.POSITIVE_INFINITY
  #endUs = Number.NEGATIVE_INFINITY
  #name: string | null = null
  #hasSegment = false

  /** @param slot which of the traces that the record tells of. */
  constructor(slot: number) {
    this.slot = slot
  }

  segment(): void {
    this.#hasSegment = true
  }

  span({ spanId, segmentId, startUs, endUs, name }: SegmentSpan): void {
    // Told twice by one record, it belongs where it was told of first.
    if (!this.#segmentOf.has(spanId)) this.#segmentOf.set(spanId, segmentId)
    if (startUs < this.#startUs) this.#startUs = startUs
    if (endUs > this.#endUs) this.#endUs = endUs
    if (this.#name === null || name < this.#name) this.#name = name
  }

  get spanCount(): number {
    return this.#segmentOf.size
  }

  /** Ids in the order of the groups, each 8 bytes; a group is the 8 bytes of a segment and, in 4, how many are of it. */
  columns() {
    const groups = new Map<string, string[]>()
    const loose: string[] = []
    for (const [spanId, segmentId] of this.#segmentOf) {
      const group = segmentId === null ? loose : groups.get(segmentId)
      if (group !== undefined) group.push(spanId)
      else if (segmentId !== null) groups.set(segmentId, [spanId])
    }
    const heads = [...groups].map(([segmentId, ids]) => segmentId + ids.length.toString(16).padStart(8, '0'))
    const hasSpans = this.spanCount > 0
    return {
      spanCount: this.spanCount,
      startUs: hasSpans ? this.#startUs : null,
      endUs: hasSpans ? this.#endUs : null,
      // Only a trace without any segment is named by its spans.
      name: this.#hasSegment ? null : this.#name,
      segments: hasSpans ? Buffer.from(heads.join(''), 'hex') : null,
      spans: hasSpans ? Buffer.from([...groups.values(), loose].map((ids) => ids.join('')).join(''), 'hex') : null,
    }
  }
}

/** What the records of a trace tell of it together. */
export interface TraceTotals {
  /** Of the first of them. */
  readonly journal: number
  readonly listPosition: number
  readonly receivedAt: number
  readonly lastSeq: number
  readonly copy: 'no' | 'also' | 'only'
  /** Of its spans: `null` where none is told of. */
  readonly startUs: number | null
  readonly endUs: number | null
  readonly name: string | null
  readonly stamps: readonly string[]
}

interface Sums extends Omit<TraceTotals, 'copy' | 'stamps'> {
  readonly someStamp: string | null
  readonly records: number
  readonly allCopies: number
  readonly someCopies: number
  readonly contribution: number
  readonly spans: number
}

/** Which records tell of a trace, and of which of its spans: the spans themselves are read from the records. */
export class TraceRecords {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  tell(traceId: string, { seq, journal, receivedAt, copy, stamp }: Source, contribution: TraceContribution): void {
    const { slot } = contribution
    this.#sql.tell.run({
      traceId,
      seq,
      journal,
      receivedAt,
      copy: copy ? 1 : 0,
      slot,
      stamp,
      ...contribution.columns(),
    })
  }

  untell(traceId: string, { seq }: Source): void {
    this.#sql.untell.run(traceId, seq)
  }

  /**
   * @param counted how many spans there were, when they are still the same ones; `null` counts them.
   * @returns `null` when no record tells of the trace.
   */
  sum(traceId: string, counted: number | null): (TraceTotals & { readonly spanCount: number }) | null {
    const { records, contribution, spans, allCopies, someCopies, someStamp, ...told } = this.#sql.sums.get(
      traceId,
    ) as Sums
    if (records === 0) return null
    return {
      ...told,
      stamps: someStamp === null ? [] : (this.#sql.stamps.pluck().all(traceId) as string[]),
      copy: allCopies === 1 ? 'only' : someCopies === 1 ? 'also' : 'no',
      spanCount: counted ?? (contribution < 2 || spans > MAX_SPANS_DEDUPLICATED ? spans : this.#count(traceId)),
    }
  }

  #count(traceId: string): number {
    return countDistinct(this.#sql.ids.pluck().all(traceId) as Uint8Array[])
  }
}

const SQL = {
  tell: `INSERT OR REPLACE INTO trace_records (trace_id, seq, journal, received_at, is_copy, slot, stamp, span_count, start_us, end_us,
      name, segments, spans)
    VALUES (@traceId, @seq, @journal, @receivedAt, @copy, @slot, @stamp, @spanCount, @startUs, @endUs, @name, @segments, @spans)`,
  untell: 'DELETE FROM trace_records WHERE trace_id = ? AND seq = ?',
  sums: `SELECT count(*) AS records, min(journal) AS journal, min(journal * ${SLOTS} + slot) AS listPosition, max(stamp) AS someStamp, min(received_at) AS receivedAt, max(seq) AS lastSeq,
      min(is_copy) AS allCopies, max(is_copy) AS someCopies, min(start_us) AS startUs, max(end_us) AS endUs, min(name) AS name,
      count(start_us) AS contribution, sum(span_count) AS spans
    FROM trace_records WHERE trace_id = ?`,
  // A stamp is the sender's word: of hundreds some find the trace.
  stamps: 'SELECT DISTINCT stamp FROM trace_records WHERE trace_id = ? AND stamp IS NOT NULL ORDER BY stamp LIMIT 100',
  ids: 'SELECT spans FROM trace_records WHERE trace_id = ? AND span_count > 0',
} as const
