import type { Database, Statement } from 'better-sqlite3'
import type { EnvelopeItemFrame } from '../../../lib/protocol/envelope'
import type { Segment, SegmentSpan } from '../../../lib/protocol/trace/segment'
import type {
  BreadcrumbRow,
  EnvelopeRow,
  EventRow,
  ItemRow,
  RowVisitor,
  SignalWithService,
  Source,
} from '../../../lib/protocol/traversal/rows'
import { eventTexts, signalTexts } from '../../../lib/wire/list-filter'
import { prepareAll } from '../../runtime/database'
import { RecordTerms } from './terms-records'
import { SegmentTerms } from './terms-traces'
import {
  bindBreadcrumbs,
  breadcrumbDetails,
  eventContribution,
  segmentContribution,
  signalContribution,
} from './write-columns'
import { Contributions, EVENTS, SEGMENTS, SIGNALS } from './write-contributions'
import { combineStaged, RowCounts, type Staged } from './write-staged'
import { TraceTable } from './write-traces'

class Tables {
  readonly segments: Contributions
  readonly events: Contributions
  readonly signals: Contributions
  readonly traces: TraceTable
  readonly counts: RowCounts
  readonly segmentTerms: SegmentTerms
  readonly recordTerms: RecordTerms
  readonly #staged: Staged
  /** Segments of the current envelope so far: their slots in the list. */
  #segmentCount = 0

  constructor(db: Database) {
    this.counts = new RowCounts(db)
    this.segments = new Contributions(db, SEGMENTS)
    this.events = new Contributions(db, EVENTS, breadcrumbDetails(db, this.counts))
    this.signals = new Contributions(db, SIGNALS)
    this.traces = new TraceTable(db, this.counts)
    this.segmentTerms = new SegmentTerms(db)
    this.recordTerms = new RecordTerms(db)
    // Traces first: their totals change counts.
    this.#staged = combineStaged([this.traces, this.segmentTerms, this.counts, this.recordTerms])
  }

  nextSegmentSlot(): number {
    this.#segmentCount += 1
    return this.#segmentCount - 1
  }

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

/** A batch of changes to the tables, with a savepoint per envelope. */
class RowChanges {
  protected readonly tables: Tables

  constructor(db: Database) {
    this.tables = new Tables(db)
  }

  commitEnvelope(): void {
    this.tables.commitEnvelope()
  }

  rollbackEnvelope(): void {
    this.tables.rollbackEnvelope()
  }

  rollbackBatch(): void {
    this.tables.rollbackBatch()
  }
}

/** Late, repeated and out-of-order arrival produce the same rows: contributions decide, never their order. */
export class RowWriter extends RowChanges implements RowVisitor {
  readonly #sql: Readonly<Record<keyof typeof WRITE_SQL, Statement>>

  constructor(db: Database) {
    super(db)
    this.#sql = prepareAll(db, WRITE_SQL)
  }

  envelope(row: EnvelopeRow): void {
    this.#sql.envelope.run({ ...row, copy: Number(row.copy), traceOfHeader: Number(row.traceOfHeader) })
    this.tables.traces.endEnvelope()
    this.tables.recordTerms.endEnvelope(row.seq, row.stamp)
  }

  item(row: ItemRow, _frame: EnvelopeItemFrame, { copy }: Pick<Source, 'copy'>): void {
    this.#sql.item.run(row)
    if (!copy) this.tables.counts.add('inner_span', row.innerSpans)
  }

  segment(segment: Segment, position: number, source: Source): void {
    const { segments, counts, segmentTerms, traces } = this.tables
    const contribution = segmentContribution(segment, position, this.tables.nextSegmentSlot(), source)
    const added = segments.add(contribution)
    if (added.shows === 'new') counts.add('segment', 1)
    if (added.shows === 'this') segmentTerms.hide(added.before)
    if (added.shows !== 'another') segmentTerms.show(contribution.row)
    traces.contribution(segment.traceId, source).addSegment()
  }

  /** Spans have no rows: only their ids are kept, with the trace. */
  span(span: SegmentSpan, _position: number, source: Source): void {
    this.tables.traces.contribution(span.traceId, source).addSpan(span)
  }

  event(event: EventRow, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const { events, counts, recordTerms, traces } = this.tables
    const added = events.add(eventContribution(event, source), bindBreadcrumbs(breadcrumbs))
    if (added.shows === 'new') counts.add('event', 1)
    recordTerms.add('event', { ...event, texts: eventTexts(event) })
    if (event.traceId !== null) traces.contribution(event.traceId, source)
    // Two events with the same id may name different traces.
    if (added.shows === 'this' && typeof added.before.traceId === 'string') traces.touch(added.before.traceId)
  }

  signal(signal: SignalWithService, position: number, source: Source): void {
    const { signals, counts, recordTerms } = this.tables
    const contribution = signalContribution(signal, position, source)
    if (signals.add(contribution).shows === 'new') counts.add(signal.kind, 1)
    recordTerms.add(signal.kind, {
      ...signal,
      timestampUs: Number(contribution.row.timestampUs),
      texts: signalTexts(signal),
    })
  }

  /** Moves the cursor in the transaction of the rows. @param done the number of records in the batch. */
  finish(upTo: number, done: number): void {
    this.tables.finish()
    this.#sql.moveCursor.run({ seq: upTo, done })
  }
}

/** Erases rows by the traversal that wrote them; hidden contributions of other records become visible. */
export class RowEraser extends RowChanges implements RowVisitor {
  readonly #sql: Readonly<Record<keyof typeof ERASE_SQL, Statement>>

  constructor(db: Database) {
    super(db)
    this.#sql = prepareAll(db, ERASE_SQL)
  }

  /** Erases the rows that belong to one record alone, by its number. The traversal erases the others. */
  record(seq: number): void {
    this.#sql.envelope.run(seq)
    this.#sql.items.run(seq)
    this.tables.recordTerms.remove(seq)
  }

  /** `record` erases these rows. */
  readonly envelope = (): void => undefined
  item(row: ItemRow, _frame: EnvelopeItemFrame, { copy }: Pick<Source, 'copy'>): void {
    if (!copy) this.tables.counts.add('inner_span', -row.innerSpans)
  }

  segment(segment: Segment, position: number, source: Source): void {
    const { segments, counts, segmentTerms, traces } = this.tables
    const contribution = segmentContribution(segment, position, this.tables.nextSegmentSlot(), source)
    const gone = segments.remove(contribution)
    if (gone.removed === 'last') counts.add('segment', -1)
    if (gone.removed !== 'hidden') segmentTerms.hide(contribution.row)
    if (gone.removed === 'shown') segmentTerms.show(gone.next)
    traces.removeContribution(segment.traceId, source)
  }

  span(span: SegmentSpan, _position: number, source: Source): void {
    this.tables.traces.removeContribution(span.traceId, source)
  }

  event(event: EventRow, _breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const { events, counts, traces } = this.tables
    const gone = events.remove(eventContribution(event, source))
    if (gone.removed === 'last') counts.add('event', -1)
    if (event.traceId !== null) traces.removeContribution(event.traceId, source)
    if (gone.removed === 'shown' && typeof gone.next.traceId === 'string') traces.touch(gone.next.traceId)
  }

  signal(signal: SignalWithService, position: number, source: Source): void {
    const { signals, counts } = this.tables
    const { removed } = signals.remove(signalContribution(signal, position, source))
    if (removed === 'last') counts.add(signal.kind, -1)
  }

  finish(): void {
    this.tables.finish()
  }
}

const WRITE_SQL = {
  envelope: `INSERT OR REPLACE INTO envelopes (seq, journal, digested_at, received_at, endpoint, state, copy, event_id, trace_id,
      trace_of_header, sdk, environment, stamp)
    VALUES (@seq, @journal, @digestedAt, @receivedAt, @endpoint, @state, @copy, @eventId, @traceId, @traceOfHeader,
      @sdk, @environment, @stamp)`,
  item: `INSERT OR REPLACE INTO items (seq, item, journal, type, category, quantity, bytes, inner_spans, trace_id, event_id, problem)
    VALUES (@seq, @item, @journal, @type, @category, @quantity, @bytes, @innerSpans, @traceId, @eventId, @problem)`,
  moveCursor: 'UPDATE cursor SET seq = @seq, done = done + @done',
} as const

const ERASE_SQL = {
  envelope: 'DELETE FROM envelopes WHERE seq = ?',
  items: 'DELETE FROM items WHERE seq = ?',
} as const
