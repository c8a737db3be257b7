import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { TraceDetail } from '../../lib/wire/trace'
import type { ToldSpan } from '../walk/told-span'
import { readBreadcrumbs } from './read-breadcrumbs'
import { readEventsOfTrace } from './read-events'
import { journalHead } from './read-journal'
import { readSegmentsOfTrace } from './read-segments'
import { readTraceSummary } from './read-traces'
import { planOf } from './trace-plan'
import { TraceSpans, wireSpan } from './trace-spans'

/** One answer carries so many segments of a trace; a longer one says that it was cut. */
export const MOST_SEGMENTS = 5000
/** Up to here the spans of a trace are all put in order; a larger one comes record by record, the earliest first. */
export const MOST_IN_ORDER = 20_000
/** A piece is given out from this length on. */
const PIECE_CHARACTERS = 512 * 1024

/** A piece of a trace's one JSON document. */
export interface TracePiece {
  readonly text: string
  readonly done: boolean
}

type Head = Pick<TraceDetail, 'summary' | 'segments' | 'errors' | 'breadcrumbs'>

/**
 * A trace being read: one JSON document in the shape of `TraceDetail`, in pieces that take little time each. What the
 * rows tell comes first, then the spans, then what is known only at the end. It holds no connection: between two pieces
 * the rows may be exchanged, and records may go.
 */
export class TraceReading {
  readonly #spans: TraceSpans
  readonly #isCut: boolean
  /** Those of a trace that is put in order, until all of it was read. */
  #gathered: Written[] | null
  #ready: readonly string[]
  #at = 0
  #left: number
  #separator = ''
  #text: string

  private constructor(
    head: Head,
    spans: TraceSpans,
    { most, ...plan }: { most: number; spans: number; isCut: boolean },
  ) {
    this.#spans = spans
    this.#left = most
    this.#isCut = plan.isCut || plan.spans > most
    this.#gathered = plan.spans > MOST_IN_ORDER ? null : []
    this.#ready = []
    this.#text = `${JSON.stringify(head).slice(0, -1)},"spans":[`
  }

  /**
   * @param most spans that are given: the earliest.
   * @returns `null` where no trace is kept under this id.
   */
  static open(db: Database, traceId: string, most: number, limits: ReadLimits): TraceReading | null {
    // One moment of both files: the rows may grow meanwhile.
    return db.transaction(() => {
      const summary = readTraceSummary(db, traceId)
      if (summary === null) return null
      const plan = planOf(db, traceId, summary.spanCount)
      const segments = readSegmentsOfTrace(db, traceId, plan.spansOfSegment, MOST_SEGMENTS + 1)
      const errors = readEventsOfTrace(db, traceId)
      const breadcrumbs = readBreadcrumbs(
        db,
        errors.map((error) => error.eventId),
      )
      const head = { summary, segments: segments.slice(0, MOST_SEGMENTS), errors, breadcrumbs }
      const isCut = segments.length > MOST_SEGMENTS
      return new TraceReading(head, new TraceSpans(traceId, plan, limits), { most, spans: plan.spans, isCut })
    })()
  }

  /** @param isOver ends the piece where the reading stands; what is begun of a record is read to its end. */
  next(db: Database, isOver: () => boolean): TracePiece {
    while (!this.#isRead) {
      if (this.#at < this.#ready.length) this.#write()
      else this.#read(db)
      if (this.#text.length >= PIECE_CHARACTERS || isOver()) return { text: this.#take(), done: false }
    }
    return { text: `${this.#take()}],"truncated":${this.#isCut},"journal":${journalHead(db)}}`, done: true }
  }

  get #isRead(): boolean {
    return this.#left === 0 || (this.#spans.isDone && this.#gathered === null && this.#at >= this.#ready.length)
  }

  #read(db: Database): void {
    if (this.#gathered === null) {
      this.#ready = inOrder(this.#spans.next(db).map(written))
      this.#at = 0
    } else if (this.#spans.isDone) {
      this.#ready = inOrder(this.#gathered)
      this.#gathered = null
    } else for (const told of this.#spans.next(db)) this.#gathered.push(written(told))
  }

  #write(): void {
    while (this.#at < this.#ready.length && this.#left > 0 && this.#text.length < PIECE_CHARACTERS) {
      this.#text += this.#separator + this.#ready[this.#at]
      this.#separator = ','
      this.#at += 1
      this.#left -= 1
    }
  }

  #take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}

/** A span as JSON, with what orders it. */
interface Written {
  readonly order: readonly [startUs: number, seq: number, item: number, place: number]
  readonly text: string
}

const written = (told: ToldSpan): Written => ({
  order: [told.span.startUs, told.source.seq, told.source.item, told.place],
  text: JSON.stringify(wireSpan(told)),
})

const inOrder = (spans: readonly Written[]): readonly string[] =>
  [...spans]
    .sort(({ order: one }, { order: other }) => {
      const at = one.findIndex((value, index) => value !== other[index])
      return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
    })
    .map(({ text }) => text)
