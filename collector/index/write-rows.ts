import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/protocol/trace/segment'
import type {
  BreadcrumbRow,
  EnvelopeRow,
  EventRow,
  ItemRow,
  RowVisitor,
  SignalWithService,
  Source,
} from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/database'
import { RecordTerms } from './terms-records'
import { SegmentTerms } from './terms-traces'
import { eventTexts, signalTexts } from './texts'
import {
  bindBreadcrumbs,
  breadcrumbDetails,
  eventContribution,
  segmentContribution,
  signalContribution,
} from './write-columns'
import { Contributions, EVENTS, SEGMENTS, SIGNALS } from './write-contributions'
import { ERASE_SQL, RECORD_SQL } from './write-sql'
import { combineStaged, RowCounts, type Staged } from './write-staged'
import { TraceSums } from './write-traces'

/**
 * Writes rows. Late, repeated and out-of-order arrival end in the same rows: which of several contributions is shown is
 * decided by themselves, never by who came first.
 */
export class RowWriter implements RowVisitor {
  readonly #sql: Readonly<Record<keyof typeof RECORD_SQL, Statement>>
  readonly #segments: Contributions
  readonly #events: Contributions
  readonly #signals: Contributions
  readonly #traces: TraceSums
  readonly #segmentTerms: SegmentTerms
  readonly #staged: Staged
  /** How many segments the envelope at hand has told of. */
  #segmentCount = 0
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
    this.#staged = combineStaged([this.#traces, this.#segmentTerms, this.#counts, this.#recordTerms])
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: Number(row.copy), traceOfHeader: Number(row.traceOfHeader) })
    this.#traces.endEnvelope()
    this.#recordTerms.endEnvelope(row.seq, row.stamp)
  }

  item(row: ItemRow): void {
    this.#sql.item.run(row)
  }

  segment(segment: Segment, position: number, source: Source): void {
    const given = segmentContribution(segment, position, this.#segmentCount, source)
    const added = this.#segments.add(given)
    this.#segmentCount += 1
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

  signal(signal: SignalWithService, position: number, source: Source): void {
    const given = signalContribution(signal, position, source)
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
  commitEnvelope(): void {
    this.#staged.commitEnvelope()
    this.#segmentCount = 0
  }

  /** The envelope at hand threw, and its rows are rolled back: it touched nothing. */
  rollbackEnvelope(): void {
    this.#staged.rollbackEnvelope()
    this.#segmentCount = 0
  }

  /** Forgets what a batch that failed had touched. */
  rollbackBatch(): void {
    this.#staged.rollbackBatch()
    this.#segmentCount = 0
  }
}

/**
 * Takes a record's rows away: the same walk that made them, with the opposite effect. What others told of the same
 * things comes forward, so that the rows are those of the records that are left. Erasing twice is erasing once.
 */
export class RowEraser implements RowVisitor {
  readonly #sql: Readonly<Record<keyof typeof ERASE_SQL, Statement>>
  readonly #segments: Contributions
  readonly #events: Contributions
  readonly #signals: Contributions
  readonly #traces: TraceSums
  readonly #segmentTerms: SegmentTerms
  readonly #staged: Staged
  /** How many segments the envelope at hand has told of. */
  #segmentCount = 0
  readonly #recordTerms: RecordTerms
  readonly #counts: RowCounts

  constructor(db: Database) {
    this.#sql = prepareAll(db, ERASE_SQL)
    this.#recordTerms = new RecordTerms(db)
    this.#counts = new RowCounts(db)
    this.#segments = new Contributions(db, SEGMENTS)
    this.#events = new Contributions(db, EVENTS, breadcrumbDetails(db, this.#counts))
    this.#signals = new Contributions(db, SIGNALS)
    this.#traces = new TraceSums(db, this.#counts)
    this.#segmentTerms = new SegmentTerms(db)
    this.#staged = combineStaged([this.#traces, this.#segmentTerms, this.#counts])
  }

  /** What a record alone tells goes by its number; the walk finds the rest. */
  record(seq: number): void {
    this.#sql.envelope.run(seq)
    this.#sql.items.run(seq)
    this.#recordTerms.remove(seq)
  }

  /** Gone with `record`. */
  readonly envelope = (): void => undefined
  readonly item = (): void => undefined

  segment(segment: Segment, position: number, source: Source): void {
    const given = segmentContribution(segment, position, this.#segmentCount, source)
    const gone = this.#segments.remove(given)
    this.#segmentCount += 1
    if (gone.removed === 'last') this.#counts.add('segment', -1)
    if (gone.removed !== 'hidden') this.#segmentTerms.hide(given.row)
    if (gone.removed === 'shown') this.#segmentTerms.show(gone.next)
    this.#traces.untell(segment.traceId, source)
  }

  span(span: SegmentSpan, _place: number, source: Source): void {
    this.#traces.untell(span.traceId, source)
  }

  event(event: EventRow, _breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const gone = this.#events.remove(eventContribution(event, source))
    if (gone.removed === 'last') this.#counts.add('event', -1)
    if (event.traceId !== null) this.#traces.untell(event.traceId, source)
    if (gone.removed === 'shown' && typeof gone.next.traceId === 'string') this.#traces.touch(gone.next.traceId)
  }

  signal(signal: SignalWithService, position: number, source: Source): void {
    const { removed } = this.#signals.remove(signalContribution(signal, position, source))
    if (removed === 'last') this.#counts.add(signal.kind, -1)
  }

  /** Sums up the traces of this batch; belongs to the same transaction. */
  finish(): void {
    this.#staged.finish()
  }

  commitEnvelope(): void {
    this.#staged.commitEnvelope()
    this.#segmentCount = 0
  }

  rollbackEnvelope(): void {
    this.#staged.rollbackEnvelope()
    this.#segmentCount = 0
  }

  rollbackBatch(): void {
    this.#staged.rollbackBatch()
    this.#segmentCount = 0
  }
}
