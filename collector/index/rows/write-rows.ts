import type { Database, Statement } from 'better-sqlite3'
import type { Envelope, EnvelopeItemFrame } from '../../../lib/protocol/envelope'
import type { SignalKind } from '../../../lib/protocol/items/signal'
import type { Segment, SegmentSpan } from '../../../lib/protocol/trace/segment'
import { VisitKey } from '../../../lib/protocol/trace/visit-key'
import type {
  BreadcrumbRow,
  EnvelopeRow,
  ItemRow,
  RowVisitor,
  SignalWithService,
  Source,
  TraversedEvent,
} from '../../../lib/protocol/traversal/rows'
import { MAX_NAMED_TRACES } from '../../../lib/wire/journal'
import { eventTexts, signalTexts } from '../../../lib/wire/list-filter'
import { prepareAll } from '../../runtime/database'
import { RecordTerms } from './terms-records'
import { SegmentTerms } from './terms-traces'
import {
  bindBreadcrumbs,
  breadcrumbDetails,
  eventContribution,
  type RecordSender,
  segmentContribution,
  signalContribution,
} from './write-columns'
import { Contributions, EVENTS, SEGMENTS, SIGNALS } from './write-contributions'
import { GroupTable } from './write-groups'
import { combineStaged, RowCounts, type Staged } from './write-staged'
import { TraceTable } from './write-traces'

class Tables {
  readonly segments: Contributions
  readonly events: Contributions
  readonly signals: Contributions
  readonly traces: TraceTable
  readonly groups: GroupTable
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
    this.groups = new GroupTable(db)
    this.segmentTerms = new SegmentTerms(db)
    this.recordTerms = new RecordTerms(db)
    // Traces first: their totals change counts.
    this.#staged = combineStaged([this.traces, this.groups, this.segmentTerms, this.counts, this.recordTerms])
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

/** Late, repeated and out-of-order arrival produce the same rows: contributions decide, never their order. */
export class RowWriter implements RowVisitor {
  readonly #tables: Tables
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Of the current record. */
  #sender: RecordSender = { own: 0, page: null, project: '' }
  readonly #visit = new VisitKey()
  /** The traces of the signals of the batch. */
  readonly #signalTraces = new Set<string>()

  constructor(db: Database) {
    this.#tables = new Tables(db)
    this.#sql = prepareAll(db, SQL)
  }

  /** Starts a record: the rows that follow come from this sender. */
  beginRecord({ own, page, project }: RecordSender): void {
    this.#sender = { own, page, project }
    this.#visit.clear()
  }

  commitEnvelope(): void {
    this.#tables.commitEnvelope()
  }

  rollbackEnvelope(): void {
    this.#tables.rollbackEnvelope()
  }

  rollbackBatch(): void {
    this.#tables.rollbackBatch()
    this.#signalTraces.clear()
  }

  /** The traces to which the batch added something, before `finish`; `null` when they are more than can be named. */
  touchedTraces(): readonly string[] | null {
    const traces = new Set(this.#signalTraces)
    for (const traceId of this.#tables.traces.touched) {
      if (traces.size > MAX_NAMED_TRACES) break
      traces.add(traceId)
    }
    return traces.size > MAX_NAMED_TRACES ? null : [...traces]
  }

  envelope(row: EnvelopeRow, header: Envelope['header']): void {
    this.#visit.readHeader(header)
    this.#sql.envelope.run({
      ...row,
      ...this.#sender,
      visit: this.#visit.key,
      copy: Number(row.copy),
      traceOfHeader: Number(row.traceOfHeader),
    })
    this.#tables.traces.endEnvelope(this.#sender)
    this.#tables.recordTerms.endEnvelope(row.seq, { stamp: row.stamp, ...this.#sender })
  }

  item(row: ItemRow, _frame: EnvelopeItemFrame, { copy }: Pick<Source, 'copy'>): void {
    this.#sql.item.run(row)
    if (!copy) this.#tables.counts.add('inner_span', row.innerSpans)
  }

  segment(segment: Segment, position: number, source: Source): void {
    const { segments, counts, segmentTerms, traces } = this.#tables
    const contribution = segmentContribution(segment, position, this.#tables.nextSegmentSlot(), {
      ...source,
      ...this.#sender,
    })
    const added = segments.add(contribution)
    if (added.shows === 'new') counts.add('segment', 1)
    if (added.shows === 'this') segmentTerms.hide(added.before)
    if (added.shows !== 'another') segmentTerms.show(contribution.row)
    traces.contribution(segment.traceId, source).addSegment()
  }

  /** Spans have no rows: only their ids are kept, with the trace. */
  span(span: SegmentSpan, position: number, source: Source): void {
    if (position === 0) this.#visit.readSpan(span)
    this.#tables.traces.contribution(span.traceId, source).addSpan(span)
  }

  event(event: TraversedEvent, breadcrumbs: readonly BreadcrumbRow[], source: Source): void {
    const { events, counts, groups, recordTerms, traces } = this.#tables
    this.#visit.readEvent(event)
    const contribution = eventContribution(event, source)
    const added = events.add(contribution, bindBreadcrumbs(breadcrumbs))
    if (added.shows === 'new') counts.add('event', 1)
    if (added.shows === 'this') groups.remove(added.before)
    if (added.shows !== 'another') groups.add(contribution.row)
    recordTerms.add('event', { ...event, name: event.transaction, texts: eventTexts(event) })
    if (event.traceId !== null) traces.contribution(event.traceId, source)
    // Two events with the same id may name different traces.
    if (added.shows === 'this' && typeof added.before.traceId === 'string') traces.touch(added.before.traceId)
  }

  signal(signal: SignalWithService, position: number, source: Source): void {
    const { signals, counts, recordTerms } = this.#tables
    const contribution = signalContribution(signal, position, source)
    if (signals.add(contribution).shows === 'new') counts.add(signal.kind, 1)
    if (signal.traceId !== null) this.#signalTraces.add(signal.traceId)
    recordTerms.add(signal.kind, {
      ...signal,
      timestampUs: Number(contribution.row.timestampUs),
      texts: signalTexts(signal),
    })
  }

  /** Moves the cursor in the transaction of the rows. @param done the number of records in the batch. */
  finish(upTo: number, done: number): void {
    this.#tables.finish()
    this.#signalTraces.clear()
    this.#sql.moveCursor.run({ seq: upTo, done })
  }

  /**
   * Erases the rows of some records. Hidden contributions of other records become visible. A record without rows changes
   * nothing. The caller opens the transaction.
   */
  erase(seqs: readonly number[]): void {
    const { traces, recordTerms } = this.#tables
    const records = seqs.flatMap((seq) => (this.#sql.record.get(seq) as ErasedRecord | undefined) ?? [])
    // Hidden contributions of every record first, so that none of them becomes visible.
    for (const { seq } of records) this.#eraseHidden(seq)
    for (const { journal } of records) this.#eraseVisible(journal)
    for (const { seq, copy } of records) {
      traces.removeRecord(seq)
      recordTerms.remove(seq)
      if (copy === 0) this.#tables.counts.add('inner_span', -Number(this.#sql.innerSpans.pluck().get(seq) ?? 0))
      this.#sql.eraseItems.run(seq)
      this.#sql.eraseEnvelope.run(seq)
    }
    this.#tables.commitEnvelope()
    this.#tables.finish()
  }

  #eraseHidden(seq: number): void {
    const { segments, events, signals } = this.#tables
    for (const { kind, key, hiddenCopy } of this.#sql.eraseHidden.all(seq) as ErasedHidden[]) {
      if (hiddenCopy === null) continue
      const table = kind === 'segment' ? segments : kind === 'event' ? events : signals
      table.hiddenCopyDeleted({ kind, key }, hiddenCopy)
    }
  }

  #eraseVisible(journal: number): void {
    const { segments, events, groups, signals, counts, segmentTerms, traces } = this.#tables
    for (const { row, next } of segments.removeVisible(journal)) {
      segmentTerms.hide(row)
      if (next === null) counts.add('segment', -1)
      else segmentTerms.show(next)
    }
    for (const { row, next } of events.removeVisible(journal)) {
      groups.remove(row)
      if (next !== null) groups.add(next)
      if (next === null) counts.add('event', -1)
      // Two events with the same id may name different traces. The trace of the erased one is in `trace_records`.
      else if (typeof next.traceId === 'string') traces.touch(next.traceId)
    }
    for (const { row, next } of signals.removeVisible(journal))
      if (next === null) counts.add(row.kind as SignalKind, -1)
  }
}

interface ErasedRecord {
  readonly seq: number
  readonly journal: number
  readonly copy: number
}

interface ErasedHidden {
  readonly kind: string
  readonly key: string
  /** The text in `repeats`; `null` when it is no copy. */
  readonly hiddenCopy: string | null
}

const SQL = {
  envelope: `INSERT OR REPLACE INTO envelopes (seq, journal, digested_at, received_at, endpoint, state, copy, event_id, trace_id,
      trace_of_header, sdk, environment, stamp, own, page, project, visit)
    VALUES (@seq, @journal, @digestedAt, @receivedAt, @endpoint, @state, @copy, @eventId, @traceId, @traceOfHeader,
      @sdk, @environment, @stamp, @own, @page, @project, @visit)`,
  item: `INSERT OR REPLACE INTO items (seq, item, journal, type, category, quantity, bytes, inner_spans, trace_id, event_id, problem)
    VALUES (@seq, @item, @journal, @type, @category, @quantity, @bytes, @innerSpans, @traceId, @eventId, @problem)`,
  moveCursor: 'UPDATE cursor SET seq = @seq, done = done + @done',
  record: 'SELECT seq, journal, copy FROM envelopes WHERE seq = ?',
  innerSpans: 'SELECT sum(inner_spans) FROM items WHERE seq = ?',
  eraseHidden: 'DELETE FROM repeats WHERE seq = ? RETURNING kind, key, CASE is_copy WHEN 1 THEN row END AS hiddenCopy',
  eraseItems: 'DELETE FROM items WHERE seq = ?',
  eraseEnvelope: 'DELETE FROM envelopes WHERE seq = ?',
} as const
