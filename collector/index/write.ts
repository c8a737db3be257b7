import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/protocol/trace/segment'
import type {
  BreadcrumbRow,
  EnvelopeRow,
  EventRow,
  ItemRow,
  Rows,
  SignalToKeep,
  Source,
} from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/prepare'
import { eventContribution, segmentContribution, signalContribution } from './bound-rows'
import { bindBreadcrumbs, breadcrumbDetails } from './breadcrumbs'
import { Contributions } from './contributions'
import { RecordTerms } from './record-terms'
import { RowCounts } from './row-counts'
import { EVENTS, SEGMENTS, SIGNALS } from './row-tables'
import { SegmentTerms } from './segment-terms'
import { type Staged, together } from './staged'
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
  readonly #segmentTerms: SegmentTerms
  readonly #staged: Staged
  /** How many segments the envelope at hand has told of. */
  #segmentsTold = 0
  readonly #recordTerms: RecordTerms
  readonly #counts: RowCounts

  constructor(db: Database) {
    this.#sql = prepareAll(db, RECORD_SQL)
    this.#recordTerms = new RecordTerms(db)
    this.#counts = new RowCounts(db)
    this.#segments = new Contributions(db, SEGMENTS)
    this.#events = new Contributions(db, EVENTS, breadcrumbDetails(db, this.#counts))
    this.#signals = new Contributions(db, SIGNALS)
    this.#traces = new TraceSums(db, this.#counts)
    this.#segmentTerms = new SegmentTerms(db)
    this.#staged = together([this.#traces, this.#segmentTerms, this.#counts, this.#recordTerms])
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: Number(row.copy), traceOfHeader: Number(row.traceOfHeader) })
    this.#traces.endEnvelope()
    this.#recordTerms.endEnvelope(row.seq, row.stamp)
  }

  item(row: ItemRow): void {
    this.#sql.item.run(row)
  }

  segment(segment: Segment, place: number, source: Source): void {
    const given = segmentContribution(segment, place, this.#segmentsTold, source)
    const added = this.#segments.add(given)
    this.#segmentsTold += 1
    if (added.shows === 'new') this.#counts.add('segment', 1)
    if (added.shows === 'this') this.#segmentTerms.hide(added.before)
    if (added.shows !== 'another') this.#segmentTerms.show(given.row)
    this.#traces.tell(segment.traceId, source).segment()
  }

  /** Which spans there are is kept, and not what is told of them. */
  span(span: SegmentSpan, _place: number, source: Source): void {
    this.#traces.tell(span.traceId, source).span(span)
  }

  event(event: EventRow, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const added = this.#events.add(eventContribution(event, source), bindBreadcrumbs(breadcrumbs))
    if (added.shows === 'new') this.#counts.add('event', 1)
    this.#recordTerms.add('event', { ...event, texts: eventTexts(event) })
    if (event.traceId !== null) this.#traces.tell(event.traceId, source)
    // Two that call themselves the same event may each name a trace of their own.
    if (added.shows === 'this' && typeof added.before.traceId === 'string') this.#traces.touch(added.before.traceId)
  }

  signal(signal: SignalToKeep, place: number, source: Source): void {
    const given = signalContribution(signal, place, source)
    const { shows } = this.#signals.add(given)
    if (shows === 'new') this.#counts.add(signal.kind, 1)
    this.#recordTerms.add(signal.kind, {
      ...signal,
      timestampUs: Number(given.row.timestampUs),
      texts: signalTexts(signal),
    })
  }

  /**
   * Sums up the traces of this batch and moves the cursor; belongs to the same transaction as the rows.
   * @param done how many records the batch had.
   */
  finish(upTo: number, done: number): void {
    this.#staged.finish()
    this.#sql.moveCursor.run({ seq: upTo, done })
  }

  /** The envelope at hand is through: what it touched belongs to the batch. */
  keepEnvelope(): void {
    this.#staged.keepEnvelope()
    this.#segmentsTold = 0
  }

  /** The envelope at hand threw, and its rows are rolled back: it touched nothing. */
  dropEnvelope(): void {
    this.#staged.dropEnvelope()
    this.#segmentsTold = 0
  }

  /** Forgets what a batch that failed had touched. */
  abandon(): void {
    this.#staged.abandon()
    this.#segmentsTold = 0
  }
}
