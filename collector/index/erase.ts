import type { Database, Statement } from 'better-sqlite3'
import type { Segment, SegmentSpan } from '../../lib/protocol/trace/segment'
import type { BreadcrumbRow, EventRow, RowVisitor, SignalWithService, Source } from '../../lib/protocol/traversal/rows'
import { prepareAll } from '../spool/prepare'
import { breadcrumbDetails } from './breadcrumbs'
import { EVENTS, SEGMENTS, SIGNALS } from './row-tables'
import { SegmentTerms } from './segment-terms'
import { type Staged, together } from './staged'
import { RecordTerms } from './terms-records'
import { eventContribution, segmentContribution, signalContribution } from './write-columns'
import { Contributions } from './write-contributions'
import { ERASE_SQL } from './write-sql'
import { RowCounts } from './write-staged'
import { TraceSums } from './write-traces'

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
  #segmentsTold = 0
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
    this.#staged = together([this.#traces, this.#segmentTerms, this.#counts])
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

  segment(segment: Segment, place: number, source: Source): void {
    const given = segmentContribution(segment, place, this.#segmentsTold, source)
    const gone = this.#segments.remove(given)
    this.#segmentsTold += 1
    if (gone.removed === 'last') this.#counts.add('segment', -1)
    if (gone.removed !== 'waiting') this.#segmentTerms.hide(given.row)
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

  signal(signal: SignalWithService, place: number, source: Source): void {
    const { removed } = this.#signals.remove(signalContribution(signal, place, source))
    if (removed === 'last') this.#counts.add(signal.kind, -1)
  }

  /** Sums up the traces of this batch; belongs to the same transaction. */
  finish(): void {
    this.#staged.finish()
  }

  keepEnvelope(): void {
    this.#staged.keepEnvelope()
    this.#segmentsTold = 0
  }

  dropEnvelope(): void {
    this.#staged.dropEnvelope()
    this.#segmentsTold = 0
  }

  abandon(): void {
    this.#staged.abandon()
    this.#segmentsTold = 0
  }
}
