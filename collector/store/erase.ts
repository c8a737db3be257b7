import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/trace/segment'
import { prepareAll } from '../spool/prepare'
import type { BreadcrumbRow, EventRow, Rows, SignalToKeep, Source } from '../walk/rows'
import { eventContribution, segmentContribution, signalContribution, spanContribution } from './bound-rows'
import { breadcrumbDetails } from './breadcrumbs'
import { Contributions } from './contributions'
import { EVENTS, SEGMENTS, SIGNALS, SPANS } from './row-tables'
import { TraceSums } from './trace-sums'
import { ERASE_SQL } from './write-sql'

/**
 * Takes a record's rows away: the same walk that made them, with the opposite effect. What others told of the same
 * things comes forward, so that the rows are those of the records that are left. Erasing twice is erasing once.
 */
export class RowEraser implements Rows {
  readonly #sql: Readonly<Record<keyof typeof ERASE_SQL, Statement>>
  readonly #segments: Contributions
  readonly #spans: Contributions
  readonly #events: Contributions
  readonly #signals: Contributions
  readonly #traces: TraceSums

  constructor(db: Database) {
    this.#sql = prepareAll(db, ERASE_SQL)
    this.#segments = new Contributions(db, SEGMENTS)
    this.#spans = new Contributions(db, SPANS)
    this.#events = new Contributions(db, EVENTS, breadcrumbDetails(db))
    this.#signals = new Contributions(db, SIGNALS)
    this.#traces = new TraceSums(db)
  }

  /** What a record alone tells goes by its number; the walk finds the rest. */
  record(seq: number): void {
    this.#sql.envelope.run(seq)
    this.#sql.items.run(seq)
  }

  /** Gone with `record`. */
  readonly envelope = (): void => undefined
  readonly item = (): void => undefined

  segment(segment: Segment, place: number, source: Source): void {
    this.#segments.remove(segmentContribution(segment, place, source))
    this.#traces.untell(segment.traceId, source)
  }

  span(span: SegmentSpan, place: number, source: Source): void {
    const { removed } = this.#spans.remove(spanContribution(span, place, source))
    this.#traces.untell(span.traceId, source)
    if (removed === 'last') this.#traces.touch(span.traceId, -1)
  }

  event(event: EventRow, _breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const gone = this.#events.remove(eventContribution(event, source))
    if (event.traceId !== null) this.#traces.untell(event.traceId, source)
    if (gone.removed === 'shown' && typeof gone.next.traceId === 'string') this.#traces.touch(gone.next.traceId)
  }

  signal(signal: SignalToKeep, place: number, source: Source): void {
    this.#signals.remove(signalContribution(signal, place, source))
  }

  /** Sums up the traces of this batch; belongs to the same transaction. */
  finish(): void {
    this.#traces.finish()
  }

  keepEnvelope(): void {
    this.#traces.keepEnvelope()
  }

  dropEnvelope(): void {
    this.#traces.dropEnvelope()
  }

  abandon(): void {
    this.#traces.abandon()
  }
}
