import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { TraceReading } from './read-trace'

/** So many traces are read at the same time: each keeps what it has not given out yet. */
export const MOST_READINGS = 16
/** One that nobody has asked for longer makes room when there is none: whoever asks slowly has been quicker than that. */
const FORGOTTEN_MS = 30_000
/** Other questions are answered between two pieces. */
const PIECE_MS = 4

/** A piece of a trace's JSON, and the number to ask for the next one with: `null` after the last. */
export interface TraceBytes {
  readonly bytes: Uint8Array
  readonly reading: number | null
}

/** Traces that are being read, piece by piece. Whoever opens one asks until there is no more, or closes it. */
export class TraceReadings {
  readonly #limits: ReadLimits
  readonly #now: () => number
  readonly #open = new Map<number, { readonly reading: TraceReading; readonly askedAt: number }>()
  #last = 0

  /** @param now a clock that only ever goes on, in ms. */
  constructor(limits: ReadLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** @returns `null` where no such trace is kept, `busy` where too many are being read. */
  open(db: Database, traceId: string, most: number): TraceBytes | null | 'busy' {
    this.#makeRoom()
    if (this.#open.size >= MOST_READINGS) return 'busy'
    const reading = TraceReading.open(db, traceId, most, this.#limits)
    if (reading === null) return null
    this.#last += 1
    this.#open.set(this.#last, { reading, askedAt: this.#now() })
    return this.next(db, this.#last)
  }

  /** @throws when nothing is open under this number: it was closed, or its last piece given. */
  next(db: Database, number: number): TraceBytes {
    const reading = this.#open.get(number)?.reading
    if (reading === undefined) throw new Error(`no trace is being read under the number ${number}`)
    const askedAt = this.#now()
    const until = askedAt + PIECE_MS
    try {
      const { text, done } = reading.next(db, () => this.#now() >= until)
      this.#open.delete(number)
      if (!done) this.#open.set(number, { reading, askedAt })
      return { bytes: encoder.encode(text), reading: done ? null : number }
    } catch (error) {
      this.#open.delete(number)
      throw error
    }
  }

  close(number: number): void {
    this.#open.delete(number)
  }

  /** An answer that was begun and is neither taken nor given up, by whatever accident, must not keep its place. */
  #makeRoom(): void {
    if (this.#open.size < MOST_READINGS) return
    const before = this.#now() - FORGOTTEN_MS
    for (const [number, { askedAt }] of this.#open) if (askedAt < before) this.#open.delete(number)
  }
}

const encoder = new TextEncoder()
