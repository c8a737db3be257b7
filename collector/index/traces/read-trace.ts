import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../../lib/protocol/items/signal'
import type { TraceSummary } from '../../../lib/wire/trace'
import { journalHead } from '../../spool/local'
import { MAX_BREADCRUMBS, readBreadcrumbs } from '../lists/read-breadcrumbs'
import { readEventsOfTrace } from '../lists/read-events'
import { readSegmentIds, readSegmentsOfTrace } from '../lists/read-segments'
import { readTraceSummary } from '../lists/read-traces'
import { columnsOf } from './read-columns'
import {
  planTrace,
  type SerializedSpan,
  serializeSpan,
  type TracePart,
  type TracePlan,
  TraceSpans,
} from './trace-spans'

/** Segments in one answer; a longer one has `truncated: true`. */
export const MAX_SEGMENTS = 5000
/** Up to this many spans are sorted by start; larger traces come record by record, the earliest record first. */
export const MAX_SORTED_SPANS = 20_000
/** JSON that is collected for sorting. Spans beyond it follow, sorted among themselves. */
export const MAX_GATHERED_CHARACTERS = 32 * 1024 * 1024
const PIECE_CHARACTERS = 512 * 1024
/** Events whose breadcrumbs are read at once: one event may have a megabyte of them. */
const EVENTS_AT_ONCE = 10
/** Entries between two checks whether the piece is long enough. */
const SEGMENTS_AT_ONCE = 200
const SPANS_AT_ONCE = 500

interface TracePiece {
  readonly text: string
  readonly done: boolean
}

/**
 * Reads a trace as one JSON document in the shape of `TraceDetail`, or as lines with spans in columns, in pieces that take
 * little time each. It keeps no connection: between two pieces the index may be replaced and records may be evicted.
 */
export class TraceReading {
  readonly #texts: Texts

  private constructor(texts: Texts) {
    this.#texts = texts
  }

  /** @param most number of spans; up to 20,000 are sorted by start, more come in the order of their records. @returns `null` when there is no such trace. */
  static open(db: Database, traceId: string, most: number, sizeLimits: ReadLimits): TraceReading | null {
    // One read transaction: the trace may grow in between.
    return db.transaction(() => {
      const summary = readTraceSummary(db, traceId)
      if (summary === null) return null
      const plan = planTrace(db, traceId, summary.spanCount)
      const segmentIds = readSegmentIds(db, traceId, MAX_SEGMENTS + 1)
      return new TraceReading(textsOf(summary, plan, segmentIds, most, sizeLimits))
    })()
  }

  /** The lines of `lib/wire/trace-columns`. @returns `null` when there is no such trace. */
  static openColumns(...[db, traceId, part, sizeLimits, limits]: Parameters<typeof columnsOf>): TraceReading | null {
    const texts = columnsOf(db, traceId, part, sizeLimits, limits)
    return texts === null ? null : new TraceReading(texts)
  }

  /** @param isOver ends the piece early; a record that was started is read to its end. */
  next(db: Database, isOver: () => boolean): TracePiece {
    let text = ''
    do {
      const { value, done } = this.#texts.next(db)
      text += value ?? ''
      if (done === true) return { text, done }
    } while (text.length < PIECE_CHARACTERS && !isOver())
    return { text, done: false }
  }
}

/** The texts of the document in order; each `next` passes the connection to read with. */
type Texts = Generator<string, string, Database>

function* textsOf(
  summary: TraceSummary,
  plan: TracePlan,
  segmentIds: readonly string[],
  most: number,
  sizeLimits: ReadLimits,
): Texts {
  const { traceId } = summary
  let db = yield `{"summary":${JSON.stringify(summary)},"segments":[`
  const shownIds = segmentIds.slice(0, MAX_SEGMENTS)
  for (let [at, areFirst] = [0, true]; at < shownIds.length; at += SEGMENTS_AT_ONCE) {
    const ids = shownIds.slice(at, at + SEGMENTS_AT_ONCE)
    const segments = readSegmentsOfTrace(db, traceId, ids, plan.spansOfSegment).map(jsonOf)
    db = yield listed(segments, areFirst)
    // All segments of this part may have been evicted.
    areFirst = areFirst && segments.length === 0
  }
  const errors = readEventsOfTrace(db, traceId)
  db = yield `],"errors":${JSON.stringify(errors)},"breadcrumbs":[`
  const eventIds = errors.map(({ eventId }) => eventId).sort()
  for (let [at, count] = [0, 0]; at < eventIds.length && count < MAX_BREADCRUMBS; at += EVENTS_AT_ONCE) {
    const crumbs = readBreadcrumbs(db, eventIds.slice(at, at + EVENTS_AT_ONCE), MAX_BREADCRUMBS - count)
    db = yield listed(crumbs.map(jsonOf), count === 0)
    count += crumbs.length
  }
  db = yield '],"spans":['
  const spans = new TraceSpans(traceId, plan, sizeLimits, serializeSpan)
  db = yield* spansOf(db, spans, most, plan.spans <= MAX_SORTED_SPANS)
  const truncated = plan.spans > most || segmentIds.length > shownIds.length
  return `],"truncated":${truncated},"journal":${journalHead(db)}}`
}

type SpanTexts = Generator<string, Database, Database>

/** @param sortsAll whether to collect all spans for sorting, up to `MAX_GATHERED_CHARACTERS`. */
function* spansOf(given: Database, spans: TraceSpans, most: number, sortsAll: boolean): SpanTexts {
  let db = given
  let [left, characters] = [most, 0]
  let gathered: SerializedSpan[] = []
  while (left > 0 && !spans.isDone) {
    for (const one of spans.next(db)) {
      gathered.push(one)
      characters += one.text.length
    }
    if (sortsAll && characters <= MAX_GATHERED_CHARACTERS && !spans.isDone) {
      db = yield ''
      continue
    }
    const texts = inOrder(gathered).slice(0, left)
    gathered = []
    characters = 0
    db = yield* inParts(db, texts, left === most)
    left -= texts.length
  }
  return db
}

function* inParts(given: Database, texts: readonly string[], areFirst: boolean): SpanTexts {
  let db = given
  for (let at = 0; at < texts.length; ) {
    const from = at
    for (let characters = 0; at < texts.length && at - from < SPANS_AT_ONCE && characters < PIECE_CHARACTERS; at += 1)
      characters += texts[at]?.length ?? 0
    db = yield listed(texts.slice(from, at), areFirst && from === 0)
  }
  // Yields after a record without spans too: reading it took time.
  return texts.length > 0 ? db : yield ''
}

/** Entries of a JSON list, with a comma before them unless they are the first. */
const listed = (texts: readonly string[], areFirst: boolean): string =>
  texts.length === 0 || areFirst ? texts.join(',') : `,${texts.join(',')}`

const jsonOf = (value: object): string => JSON.stringify(value)

const inOrder = (spans: readonly SerializedSpan[]): readonly string[] =>
  [...spans].sort(byStart).map(({ text }) => text)

const byStart = (one: SerializedSpan, other: SerializedSpan): number =>
  one.startUs - other.startUs ||
  one.source.seq - other.source.seq ||
  one.source.item - other.source.item ||
  one.position - other.position

/** Traces that are read at the same time: each keeps unsent JSON in memory. */
export const MAX_READINGS = 16
/** When all readings are in use, one that was idle for this long is closed. Slow clients are faster than that. */
const IDLE_MS = 30_000
/** Time per piece: other queries run between two pieces. */
const PIECE_MS = 4

/** A piece of the document, and the number of the reading for the next piece; `null` after the last one. */
export interface TraceBytes {
  readonly bytes: Uint8Array
  readonly reading: number | null
}

/** The traces that are being read. A caller that opens one must read it to its end or close it. */
export class TraceReadings {
  readonly #sizeLimits: ReadLimits
  readonly #now: () => number
  readonly #open = new Map<number, { readonly reading: TraceReading; readonly usedAt: number }>()
  #last = 0

  constructor(sizeLimits: ReadLimits, now: () => number) {
    this.#sizeLimits = sizeLimits
    this.#now = now
  }

  /** @returns `null` when there is no such trace, `busy` when too many are being read. */
  open(db: Database, traceId: string, most: number): TraceBytes | null | 'busy' {
    return this.#begin(db, () => TraceReading.open(db, traceId, most, this.#sizeLimits))
  }

  /** The same with spans in columns. */
  openColumns(db: Database, traceId: string, part: TracePart): TraceBytes | null | 'busy' {
    return this.#begin(db, () => TraceReading.openColumns(db, traceId, part, this.#sizeLimits))
  }

  #begin(db: Database, open: () => TraceReading | null): TraceBytes | null | 'busy' {
    this.#evictIdle()
    if (this.#open.size >= MAX_READINGS) return 'busy'
    const reading = open()
    if (reading === null) return null
    this.#last += 1
    this.#open.set(this.#last, { reading, usedAt: this.#now() })
    return this.next(db, this.#last)
  }

  /** @throws when no reading has this number: it was closed, or its last piece was read. */
  next(db: Database, number: number): TraceBytes {
    const reading = this.#open.get(number)?.reading
    if (reading === undefined) throw new Error(`no trace is being read under the number ${number}`)
    const usedAt = this.#now()
    const until = usedAt + PIECE_MS
    try {
      const { text, done } = reading.next(db, () => this.#now() >= until)
      this.#open.delete(number)
      if (!done) this.#open.set(number, { reading, usedAt })
      return { bytes: encoder.encode(text), reading: done ? null : number }
    } catch (error) {
      this.#open.delete(number)
      throw error
    }
  }

  close(number: number): void {
    this.#open.delete(number)
  }

  /** An answer that is neither read nor closed, whatever the reason, must not block others forever. */
  #evictIdle(): void {
    if (this.#open.size < MAX_READINGS) return
    const before = this.#now() - IDLE_MS
    for (const [number, { usedAt }] of this.#open) if (usedAt < before) this.#open.delete(number)
  }
}

const encoder = new TextEncoder()
