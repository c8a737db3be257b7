import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/trace/segment'
import { prepareAll } from '../spool/prepare'
import type { BreadcrumbRow, EnvelopeRow, EventRow, ItemRow, Rows, SignalToKeep, Source } from '../walk/rows'
import { eventContribution, segmentContribution, signalContribution } from './bound-rows'
import { bindBreadcrumbs, breadcrumbDetails } from './breadcrumbs'
import { Contributions } from './contributions'
import { RecordWords } from './record-words'
import { RowCounts } from './row-counts'
import { EVENTS, SEGMENTS, SIGNALS } from './row-tables'
import { eventTexts, signalTexts } from './texts'
import { TraceSums } from './trace-sums'
import { RECORD_SQL } from './write-sql'

/**
 * Writes rows. Late, repeated and out-of-order arrival end in the same rows: which of several contributions is shown is
 * decided by themselves, never by who came first.
 */
export class RowWriter implements Rows {
  readonly #sql: Readonly<Record<keyof typeof RECORD_SQL, Statement>>
  readonly #segments: Contributions
  readonly #events: Contributions
  readonly #signals: Contributions
  readonly #traces: TraceSums
  readonly #words: RecordWords
  readonly #counts: RowCounts

  constructor(db: Database) {
    this.#sql = prepareAll(db, RECORD_SQL)
    this.#words = new RecordWords(db)
    this.#counts = new RowCounts(db)
    this.#segments = new Contributions(db, SEGMENTS)
    this.#events = new Contributions(db, EVENTS, breadcrumbDetails(db, this.#counts))
    this.#signals = new Contributions(db, SIGNALS)
    this.#traces = new TraceSums(db)
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: row.copy ? 1 : 0 })
    this.#traces.endEnvelope()
    this.#words.write(row.seq)
  }

  item(row: ItemRow): void {
    this.#sql.item.run(row)
  }

  segment(segment: Segment, place: number, source: Source): void {
    const { shows } = this.#segments.add(segmentContribution(segment, place, source))
    if (shows === 'new') this.#counts.add('segment', 1)
    this.#traces.tell(segment.traceId, source).segment()
  }

  /** Which spans there are is kept, and not what is told of them. */
  span(span: SegmentSpan, _place: number, source: Source): void {
    this.#traces.tell(span.traceId, source).span(span)
  }

  event(event: EventRow, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const added = this.#events.add(eventContribution(event, source), bindBreadcrumbs(breadcrumbs))
    if (added.shows === 'new') this.#counts.add('event', 1)
    this.#words.add('event', eventTexts(event))
    if (event.traceId !== null) this.#traces.tell(event.traceId, source)
    // Two that call themselves the same event may each name a trace of their own.
    if (added.shows === 'this' && typeof added.before.traceId === 'string') this.#traces.touch(added.before.traceId)
  }

  signal(signal: SignalToKeep, place: number, source: Source): void {
    const { shows } = this.#signals.add(signalContribution(signal, place, source))
    if (shows === 'new') this.#counts.add(signal.kind, 1)
    this.#words.add(signal.kind, signalTexts(signal))
  }

  /**
   * Sums up the traces of this batch and moves the cursor; belongs to the same transaction as the rows.
   * @param done how many records the batch had.
   */
  finish(upTo: number, done: number): void {
    this.#traces.finish()
    this.#counts.finish()
    this.#sql.moveCursor.run({ seq: upTo, done })
  }

  /** The envelope at hand is through: what it touched belongs to the batch. */
  keepEnvelope(): void {
    this.#traces.keepEnvelope()
    this.#counts.keepEnvelope()
  }

  /** The envelope at hand threw, and its rows are rolled back: it touched nothing. */
  dropEnvelope(): void {
    this.#traces.dropEnvelope()
    this.#counts.dropEnvelope()
    this.#words.drop()
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#traces.abandon()
    this.#counts.abandon()
    this.#words.drop()
  }
}
