import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/trace/segment'
import { prepareAll } from '../spool/prepare'
import type { BreadcrumbRow, EnvelopeRow, EventRow, ItemRow, Rows, SignalToKeep, Source } from '../walk/rows'
import { eventContribution, segmentContribution, signalContribution, spanContribution } from './bound-rows'
import { bindBreadcrumbs, breadcrumbDetails } from './breadcrumbs'
import { Contributions } from './contributions'
import { EVENTS, SEGMENTS, SIGNALS, SPANS } from './row-tables'
import { TraceSums } from './trace-sums'
import { RECORD_SQL } from './write-sql'

/**
 * Writes rows. Late, repeated and out-of-order arrival end in the same rows: which of several contributions is shown is
 * decided by themselves, never by who came first.
 */
export class RowWriter implements Rows {
  readonly #sql: Readonly<Record<keyof typeof RECORD_SQL, Statement>>
  readonly #segments: Contributions
  readonly #spans: Contributions
  readonly #events: Contributions
  readonly #signals: Contributions
  readonly #traces: TraceSums

  constructor(db: Database) {
    this.#sql = prepareAll(db, RECORD_SQL)
    this.#segments = new Contributions(db, SEGMENTS)
    this.#spans = new Contributions(db, SPANS)
    this.#events = new Contributions(db, EVENTS, breadcrumbDetails(db))
    this.#signals = new Contributions(db, SIGNALS)
    this.#traces = new TraceSums(db)
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: row.copy ? 1 : 0 })
  }

  item(row: ItemRow): void {
    this.#sql.item.run(row)
  }

  segment(segment: Segment, place: number, source: Source): void {
    this.#segments.add(segmentContribution(segment, place, source))
    this.#traces.tell(segment.traceId, source)
  }

  span(span: SegmentSpan, place: number, source: Source): void {
    const { shows } = this.#spans.add(spanContribution(span, place, source))
    this.#traces.tell(span.traceId, source)
    if (shows === 'new') this.#traces.touch(span.traceId, 1)
  }

  event(event: EventRow, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const added = this.#events.add(eventContribution(event, source), bindBreadcrumbs(breadcrumbs))
    if (event.traceId !== null) this.#traces.tell(event.traceId, source)
    // Two that call themselves the same event may each name a trace of their own.
    if (added.shows === 'this' && typeof added.before.traceId === 'string') this.#traces.touch(added.before.traceId)
  }

  signal(signal: SignalToKeep, place: number, source: Source): void {
    this.#signals.add(signalContribution(signal, place, source))
  }

  /**
   * Sums up the traces of this batch and moves the cursor; belongs to the same transaction as the rows.
   * @param done how many records the batch had.
   */
  finish(upTo: number, done: number): void {
    this.#traces.finish()
    this.#sql.moveCursor.run({ seq: upTo, done })
  }

  /** The envelope at hand is through: what it touched belongs to the batch. */
  keepEnvelope(): void {
    this.#traces.keepEnvelope()
  }

  /** The envelope at hand threw, and its rows are rolled back: it touched nothing. */
  dropEnvelope(): void {
    this.#traces.dropEnvelope()
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#traces.abandon()
  }
}
