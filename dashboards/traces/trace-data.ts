import type { Breadcrumb, EventSummary } from '../../lib/wire/event'
import type { JournalFact } from '../../lib/wire/journal'
import type { Segment, TraceSummary } from '../../lib/wire/trace'
import {
  replacesSpan,
  spanOfSegment,
  type TraceEnd,
  type TraceGap,
  type TraceLists,
  type TracePiece,
  type TraceSpan,
  type TraceSubmission,
} from '../../lib/wire/trace-columns'

/** A trace as far as it was read. An array is the same object until its content changes. */
export interface TraceData {
  /** The name of the file from which the trace was read; absent for a recorded one. */
  readonly file?: string
  readonly summary: TraceSummary
  readonly segments: readonly Segment[]
  /** The newest first. */
  readonly submissions: readonly TraceSubmission[]
  /** Also the own span of each segment whose spans are not read yet. */
  readonly spans: readonly TraceSpan[]
  readonly errors: readonly EventSummary[]
  readonly breadcrumbs: readonly Breadcrumb[]
  /** False while pieces of the answer are still arriving. Then `gaps` says what a limit left out. */
  readonly isWhole: boolean
  /** Spans read, and spans that the collector counts. */
  readonly received: number
  readonly expected: number
  readonly gaps: readonly TraceGap[]
  /** Entries of its spans that OpenTelemetry SDKs dropped. */
  readonly dropped: TraceEnd['dropped']
  /** Older submissions were evicted, of this trace or of others. */
  readonly evictedBefore?: number | undefined
  /** The first span of the page after it. */
  readonly next?: TraceEnd['next']
  /** Submissions up to this journal number are in it. */
  readonly journal: number
}

interface Rows {
  readonly summary: TraceSummary
  readonly segments: readonly Segment[]
  readonly submissions: readonly TraceSubmission[]
  readonly errors: readonly EventSummary[]
  readonly breadcrumbs: readonly Breadcrumb[]
}

const NOTHING_DROPPED: TraceEnd['dropped'] = { attributes: 0, events: 0, links: 0 }

/** Rows of the answer that is being read. */
interface GrowingRows {
  readonly summary: TraceSummary
  readonly segments: Segment[]
  readonly submissions: TraceSubmission[]
  readonly errors: EventSummary[]
  readonly breadcrumbs: Breadcrumb[]
}

/** Puts the pieces of several answers about one trace together. */
export class TraceStore {
  #rows: Rows | null = null
  #reading: GrowingRows | null = null
  readonly #copies = new Set<number>()
  readonly #spans = new Map<string, TraceSpan>()
  /** The spans as an array; `null` when some changed since. */
  #listed: readonly TraceSpan[] | null = null
  #listedSegments: readonly Segment[] = []
  #end: Omit<TraceEnd, 'spans'> | null = null

  /** The value of `after` for the next answer; 0 before the first one ended. */
  get journal(): number {
    return this.#end?.journal ?? 0
  }

  /** Adds a piece of an answer about the whole trace, or about what came after `journal`. */
  add(piece: TracePiece): void {
    if (piece.kind === 'head')
      this.#reading = { summary: piece.summary, segments: [], submissions: [], errors: [], breadcrumbs: [] }
    if (piece.kind === 'spans') this.addSpans(piece.spans)
    else if (piece.kind === 'end') this.#finish(piece.end)
    else if (this.#reading !== null) this.#extend(this.#reading, piece.lists)
  }

  addSpans(spans: readonly TraceSpan[]): void {
    for (const span of spans) {
      const known = this.#spans.get(span.spanId)
      const isAgain =
        known !== undefined &&
        (known.isRepeated || (known.seq !== span.seq && !this.#isCopy(known) && !this.#isCopy(span)))
      const isShown = known === undefined || replacesSpan(span, known, this.#copies)
      if (!isAgain && !isShown) continue
      const shown = isShown ? span : known
      this.#spans.set(span.spanId, isAgain ? { ...shown, isRepeated: true } : shown)
      this.#listed = null
    }
  }

  #isCopy({ seq }: TraceSpan): boolean {
    return this.#copies.has(seq)
  }

  /**
   * Whether an answer after `journal` cannot bring this trace up to date: one of its submissions was evicted, so another
   * occurrence of a span may be shown now, or a submission was digested after later ones.
   */
  get isOutdated(): boolean {
    const [before, now] = [this.#rows?.submissions ?? [], this.#reading?.submissions ?? []]
    if (this.#end === null || this.#hasGap('submissions')) return false
    const [had, has] = [new Set(before.map(({ seq }) => seq)), new Set(now.map(({ seq }) => seq))]
    return (
      before.some(({ seq }) => !has.has(seq)) || now.some((one) => one.journal <= this.journal && !had.has(one.seq))
    )
  }

  /** @returns `null` before the first line */
  snapshot(): TraceData | null {
    // Rows are shown as they arrive. A later answer repeats them all, and replaces them at its end.
    if (this.#end === null) this.#takeRows()
    const rows = this.#rows
    if (rows === null) return null
    const [received, expected] = [this.#spans.size, rows.summary.spanCount]
    const gaps = (this.#end?.gaps ?? [])
      .map((gap) => (gap.of === 'spans' ? { ...gap, missing: expected - received } : gap))
      .filter(({ missing }) => missing > 0)
    return {
      ...rows,
      spans: this.#listSpans(rows.segments),
      isWhole: this.#end !== null,
      received,
      expected,
      gaps,
      dropped: this.#end?.dropped ?? NOTHING_DROPPED,
      evictedBefore: this.#end?.evictedBefore,
      next: this.#end?.next,
      journal: this.journal,
    }
  }

  /** Whether a fact of the live stream may change this trace. Facts about other traces and submissions do not. */
  concerns({ kind, seq, traces }: JournalFact, traceId: string): boolean {
    const seqs = this.#rows?.submissions.map((submission) => submission.seq) ?? []
    switch (kind) {
      case 'digested':
        return traces?.includes(traceId) ?? true
      case 'delivered':
      case 'decided':
      case 'pending':
        // Of a trace with more submissions than are named, the older ones are not known.
        return seq === null || seqs.includes(seq) || (this.#hasGap('submissions') && seq < Math.min(...seqs))
      case 'evicted':
        return this.#rows !== null && (seq === null || this.#hasGap('submissions') || seqs.some((own) => own <= seq))
      case 'cleared':
        return true
      default:
        return false
    }
  }

  #finish({ spans: _spans, ...end }: TraceEnd): void {
    this.#takeRows()
    const before = this.#end?.dropped ?? NOTHING_DROPPED
    const dropped = {
      attributes: before.attributes + end.dropped.attributes,
      events: before.events + end.dropped.events,
      links: before.links + end.dropped.links,
    }
    // An answer with news says nothing about the spans that the first one left out.
    const kept = this.#end?.gaps.filter(({ of }) => of === 'spans') ?? []
    this.#end = {
      ...end,
      dropped,
      gaps: [...kept, ...end.gaps.filter(({ of }) => of !== 'spans' || kept.length === 0)],
    }
    // The own spans of segments without spans depend on the gap.
    if (this.#hasGap('spans')) this.#listed = null
  }

  #hasGap(kind: TraceGap['of']): boolean {
    return this.#end?.gaps.some(({ of }) => of === kind) ?? false
  }

  #listSpans(segments: readonly Segment[]): readonly TraceSpan[] {
    const needsSegments = this.#hasGap('spans')
    if (this.#listed !== null && (!needsSegments || this.#listedSegments === segments)) return this.#listed
    const unread = needsSegments ? segments.filter(({ segmentId }) => !this.#spans.has(segmentId)) : []
    this.#listed = [...this.#spans.values(), ...unread.map(spanOfSegment)]
    this.#listedSegments = segments
    return this.#listed
  }

  #extend(rows: GrowingRows, { segments = [], submissions = [], errors = [], breadcrumbs = [] }: TraceLists): void {
    for (const one of segments) rows.segments.push(one)
    for (const one of submissions) rows.submissions.push(one)
    for (const one of errors) rows.errors.push(one)
    for (const one of breadcrumbs) rows.breadcrumbs.push(one)
    for (const { seq, copy } of submissions) if (copy) this.#copies.add(seq)
  }

  #takeRows(): void {
    const [before, now] = [this.#rows, this.#reading]
    if (now === null) return
    // Lists only grow while the first answer arrives.
    const isFirst = this.#end === null
    const listOf = <Entry>(known: readonly Entry[] = [], read: readonly Entry[]): readonly Entry[] =>
      known.length === read.length && (isFirst || isSame(known, read)) ? known : [...read]
    this.#rows = {
      summary: before !== null && isSame(before.summary, now.summary) ? before.summary : now.summary,
      segments: listOf(before?.segments, now.segments),
      submissions: listOf(before?.submissions, now.submissions),
      errors: listOf(before?.errors, now.errors),
      breadcrumbs: listOf(before?.breadcrumbs, now.breadcrumbs),
    }
  }
}

/** Compares values of JSON; much faster than their texts. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  const [keys, values] = [Object.keys(one), other as Readonly<Record<string, unknown>>]
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => isSame((one as Readonly<Record<string, unknown>>)[key], values[key]))
  )
}
