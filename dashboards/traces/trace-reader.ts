import type { JournalFact } from '../../lib/wire/journal'
import type { TraceColumnsOptions, TracePiece } from '../../lib/wire/trace-columns'
import { type TraceData, TraceStore } from './trace-data'

/** While spans arrive, rows are arranged again at most this often, and so that it takes a quarter of the time. */
const SHOW_EVERY_MS = 100
const REST = 4

interface TraceReaderParts {
  readonly pieces: (options: TraceColumnsOptions, signal?: AbortSignal) => AsyncIterable<TracePiece>
  readonly show: (trace: TraceData | null) => void
  /** Ms of a clock that never goes back. */
  readonly now: () => number
}

/** Reads one trace into a store and shows it: its first spans at once, then every 100 ms, and at the end. */
export class TraceReader {
  readonly #traceId: string
  readonly #parts: TraceReaderParts
  /** Segments that were opened: they are read again with a trace that is read again. */
  readonly #opened = new Set<string>()
  #store = new TraceStore()
  /** Facts during a read that may be about a submission which the answer names; `null` while nothing is read. */
  #unsure: JournalFact[] | null = null

  constructor(traceId: string, parts: TraceReaderParts) {
    this.#traceId = traceId
    this.#parts = parts
  }

  /** Whether a fact calls for another read. */
  concerns(fact: JournalFact): boolean {
    const concerns = this.#store.concerns(fact, this.#traceId)
    if (!concerns && fact.kind !== 'digested') this.#unsure?.push(fact)
    return concerns
  }

  /** Reads all of the trace, or what came after the last answer. @throws as the client */
  async read(signal?: AbortSignal): Promise<void> {
    let facts: readonly JournalFact[] = []
    try {
      do {
        this.#unsure = []
        await this.#readOnce(signal)
        facts = this.#unsure
      } while (facts.some((fact) => this.#store.concerns(fact, this.#traceId)))
    } finally {
      this.#unsure = null
    }
  }

  async #readOnce(signal?: AbortSignal): Promise<void> {
    if (this.#store.journal > 0 && (await this.#readNews(signal))) return
    const isShown = this.#store.journal > 0
    const store = new TraceStore()
    // A trace that is shown stays until the new one is whole.
    if (!isShown) this.#store = store
    const { pieces, show, now } = this.#parts
    let [shownAt, notBefore] = [Number.NaN, Number.NEGATIVE_INFINITY]
    for await (const piece of pieces({}, signal)) {
      // The page rendered since, because the client pauses after a piece.
      if (!Number.isNaN(shownAt)) notBefore = shownAt + Math.max(SHOW_EVERY_MS, REST * (now() - shownAt))
      shownAt = Number.NaN
      store.add(piece)
      if (isShown || piece.kind !== 'spans' || now() < notBefore) continue
      shownAt = now()
      show(store.snapshot())
    }
    if (isShown && store.journal === 0) return
    this.#store = store
    for (const segmentId of this.#opened) await this.#readSegment(segmentId, signal)
    show(store.snapshot())
  }

  /** Reads the spans of a segment that a limit left out. @throws as the client */
  async readSegment(segmentId: string, signal?: AbortSignal): Promise<void> {
    this.#opened.add(segmentId)
    await this.#readSegment(segmentId, signal)
    this.#parts.show(this.#store.snapshot())
  }

  /** @returns false when the trace must be read again as a whole */
  async #readNews(signal?: AbortSignal): Promise<boolean> {
    for await (const piece of this.#parts.pieces({ after: this.#store.journal }, signal)) {
      // Its lists are complete only then.
      if (piece.kind === 'end' && this.#store.isOutdated) return false
      this.#store.add(piece)
    }
    this.#parts.show(this.#store.snapshot())
    return true
  }

  async #readSegment(segment: string, signal?: AbortSignal): Promise<void> {
    const store = this.#store
    for await (const piece of this.#parts.pieces({ segment }, signal))
      if (piece.kind === 'spans') store.addSpans(piece.spans)
  }
}
