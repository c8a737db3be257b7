import type { Dsn } from '../../lib/protocol/dsn'
import type { Reader } from '../index/reader'
import {
  MAX_INLINE_BODY_BYTES,
  type ListedPending,
  type PendingRecord,
  type RecordedEnvelope,
  inlineRecord,
} from '../index/stored-record'

/** A record that became pending this moment, and is at hand. */
export interface FreshRecord {
  readonly seq: number
  /** The record that became pending to the same upstream before it. */
  readonly pendingAfter: number
  readonly record: RecordedEnvelope
}

/** A record that is to be posted. */
export interface QueuedRecord extends PendingRecord {
  /** Where it is at hand still. */
  readonly record?: RecordedEnvelope
}

/**
 * What is pending to one upstream and not posted yet, oldest first. It is taken up a few at a time: from memory while the
 * relay keeps up with what arrives, else from the list of what is pending on disk, which brings the records (1 MiB at most).
 */
export class Backlog {
  readonly #dsn: Dsn
  readonly #reader: Pick<Reader, 'pending'>
  readonly #most: number
  readonly #isElsewhere: (seq: number) => boolean
  #waiting: (ListedPending & QueuedRecord)[] = []
  /** Those among the waiting that were put back: they are known here alone, and not read again. */
  readonly #returned = new Set<number>()
  /** All that is pending up to here was taken up. */
  #upTo = 0
  /** What is asked of the disk just now; what is settled or decided meanwhile may still be in its answer. */
  #reading: { isStale: boolean; readonly settled: Set<number>; readonly decided: Set<number> } | null = null
  #more = true
  #hasEnded = false

  /**
   * @param most so many are taken up at once.
   * @param isElsewhere it is pending still, and in somebody's hands already.
   */
  constructor(dsn: Dsn, reader: Pick<Reader, 'pending'>, most: number, isElsewhere: (seq: number) => boolean) {
    this.#dsn = dsn
    this.#reader = reader
    this.#most = most
    this.#isElsewhere = isElsewhere
  }

  get length(): number {
    return this.#waiting.length
  }

  /** There may be more on disk than was taken up; `reading` while it is asked for. */
  get rest(): 'none' | 'unread' | 'reading' {
    if (this.#reading !== null) return 'reading'
    return this.#more && !this.#hasEnded ? 'unread' : 'none'
  }

  /** The spool grew up to this record. */
  grew(upTo: number): void {
    if (upTo > this.#upTo) this.#more = true
  }

  /**
   * Takes it as it is, when nothing that is pending before it would be missed and it is the next; else it is read when its turn
   * comes. Whoever offers posts it at once, so that what waits is no more than a list of the disk brings.
   */
  offer({ seq, pendingAfter, record }: FreshRecord): void {
    const isNext =
      pendingAfter <= this.#upTo && seq > this.#upTo && this.#reading === null && this.#waiting.length === 0
    if (isNext && record.body.length <= MAX_INLINE_BODY_BYTES && !this.#hasEnded) {
      this.#upTo = seq
      this.#waiting.push({ seq, bytes: record.body.length, record })
    }
    this.grew(seq)
  }

  /**
   * @param which only those that were put back, or any.
   * @param rank whose turn it is where it is not the oldest's: the least goes first, of several the oldest.
   */
  next(which: 'any' | 'returned' = 'any', rank: ((seq: number) => number) | null = null): QueuedRecord | undefined {
    const at = which === 'any' && rank === null ? 0 : this.#leastOf(which, rank ?? (() => 0))
    if (at < 0) return undefined
    const [next] = at === 0 ? [this.#waiting.shift()] : this.#waiting.splice(at, 1)
    if (next === undefined) return undefined
    const { seq, bytes, record = inlineRecord(next) } = next
    this.#returned.delete(seq)
    return record === undefined ? { seq, bytes } : { seq, bytes, record }
  }

  /** They stay pending: their turn comes again, before what is younger. Nobody knows when, so their bytes stay on disk. */
  requeue(...pending: readonly PendingRecord[]): void {
    if (this.#hasEnded || pending.length === 0) return
    for (const { seq, bytes } of pending) {
      this.#waiting.push({ seq, bytes })
      this.#returned.add(seq)
    }
    this.#waiting.sort((one, other) => one.seq - other.seq)
  }

  /** It is not pending any more. */
  settled(seq: number): void {
    this.#reading?.settled.add(seq)
  }

  /**
   * An outcome was written of it, perhaps by somebody else: it expired, or a person cleared it. What waits in memory would
   * be posted all the same, so from now on it has to be read.
   */
  decided(seq: number): void {
    this.#reading?.decided.add(seq)
    const [first] = this.#waiting
    if (first === undefined || seq < first.seq) return
    this.#waiting = this.#waiting.map((one) => (one.seq === seq ? { seq, bytes: one.bytes } : one))
  }

  /** This one, and perhaps others after it, are pending again, and wait with nobody: they are read from the disk. */
  rewind(seq: number): void {
    this.#more = true
    if (this.#reading !== null) this.#reading.isStale = true
    if (seq > this.#upTo) return
    this.#upTo = seq - 1
    this.#waiting = this.#waiting.filter((one) => one.seq < seq || this.#returned.has(one.seq))
  }

  /** Nothing more is handed out. */
  end(): void {
    this.#hasEnded = true
    this.#waiting = []
  }

  /** Reads on, where there may be more; resolves to whether anything came. */
  async read(): Promise<boolean> {
    if (!this.#more || this.#reading !== null || this.#hasEnded) return false
    const reading = { isStale: false, settled: new Set<number>(), decided: new Set<number>() }
    this.#reading = reading
    this.#more = false
    const { publicKey, projectId } = this.#dsn
    const found = await this.#reader.pending(publicKey, projectId, this.#upTo, this.#most)
    this.#reading = null
    if (this.#hasEnded) return false
    if (reading.isStale) {
      this.#more = true
      return true
    }
    const last = found.at(-1)
    if (last === undefined) return this.#more
    this.#upTo = last.seq
    this.#more = true
    const mine = found
      .filter(({ seq }) => !reading.settled.has(seq) && !this.#returned.has(seq) && !this.#isElsewhere(seq))
      .map((one) => (reading.decided.has(one.seq) ? { seq: one.seq, bytes: one.bytes } : one))
    this.#waiting = [...this.#waiting, ...mine].sort((one, other) => one.seq - other.seq)
    return true
  }

  /** Its place among the waiting; -1 where there is none. */
  #leastOf(which: 'any' | 'returned', rank: (seq: number) => number): number {
    let found = -1
    let least = Number.POSITIVE_INFINITY
    for (const [at, { seq }] of this.#waiting.entries()) {
      if (which === 'returned' && !this.#returned.has(seq)) continue
      if (rank(seq) >= least) continue
      found = at
      least = rank(seq)
    }
    return found
  }
}
