import type { SubmissionContent } from '../../lib/protocol/submission'
import type { UpstreamIdentity } from '../../lib/protocol/upstream-address'
import type { Spool } from '../spool/spool'
import { inlineContent, MAX_INLINE_BODY_BYTES, type PendingSubmission } from '../spool/spool'

/** A record that just became pending, with its bytes in memory. */
export interface FreshSubmission {
  readonly seq: number
  readonly pendingAfter: number
  readonly content: SubmissionContent
}

/**
 * Records pending to one upstream and not posted yet, oldest first. While the relay keeps up with intake they come from
 * memory; else from pages on disk (small records themselves, 1 MiB at most).
 */
export class Backlog {
  readonly #upstream: UpstreamIdentity
  readonly #reader: Pick<Spool, 'pending'>
  readonly #pageSize: number
  readonly #isElsewhere: (seq: number) => boolean
  #queue: PendingSubmission[] = []
  /** Queued records that were requeued: the position of reading is past them, so they are not read again. */
  readonly #requeued = new Set<number>()
  /** Every pending record up to this one was queued. */
  #upTo = 0
  /** The current read. Records that are finished or decided meanwhile may still be in its result. */
  #reading: { isStale: boolean; readonly finished: Set<number>; readonly decided: Set<number> } | null = null
  #more = true
  #hasEnded = false

  /** @param isElsewhere whether a pending record is already being posted, or is deferred. */
  constructor(
    upstream: UpstreamIdentity,
    reader: Pick<Spool, 'pending'>,
    pageSize: number,
    isElsewhere: (seq: number) => boolean,
  ) {
    this.#upstream = upstream
    this.#reader = reader
    this.#pageSize = pageSize
    this.#isElsewhere = isElsewhere
  }

  get length(): number {
    return this.#queue.length
  }

  /** Whether the disk may have more: `unread`, or `reading` while a read is in progress. */
  get rest(): 'none' | 'unread' | 'reading' {
    if (this.#reading !== null) return 'reading'
    return this.#more && !this.#hasEnded ? 'unread' : 'none'
  }

  grew(upTo: number): void {
    if (upTo > this.#upTo) this.#more = true
  }

  /**
   * Queues a fresh record if it is the next one; otherwise it is read when its turn comes. Offer only what is posted at
   * once, so that memory stays bounded.
   */
  offer({ seq, pendingAfter, content }: FreshSubmission): void {
    const isNext = pendingAfter <= this.#upTo && seq > this.#upTo && this.#reading === null && this.#queue.length === 0
    if (isNext && content.body.length <= MAX_INLINE_BODY_BYTES && !this.#hasEnded) {
      this.#upTo = seq
      this.#queue.push({ seq, bytes: content.body.length, content })
    }
    this.grew(seq)
  }

  /**
   * @param which only requeued ones, or any. @param rank the lowest goes first; of several, or without it, the oldest.
   */
  next(
    which: 'any' | 'requeued' = 'any',
    rank: ((seq: number) => number) | null = null,
  ): PendingSubmission | undefined {
    const at = which === 'any' && rank === null ? 0 : this.#lowestOf(which, rank ?? (() => 0))
    if (at < 0) return undefined
    const [next] = at === 0 ? [this.#queue.shift()] : this.#queue.splice(at, 1)
    if (next === undefined) return undefined
    const { seq, bytes, content = inlineContent(next) } = next
    this.#requeued.delete(seq)
    return content === undefined ? { seq, bytes } : { seq, bytes, content }
  }

  /** These stay pending and go before younger ones. The time of their turn is unknown, so their bytes stay on disk. */
  requeue(...pending: readonly PendingSubmission[]): void {
    if (this.#hasEnded || pending.length === 0) return
    for (const { seq, bytes } of pending) {
      this.#queue.push({ seq, bytes })
      this.#requeued.add(seq)
    }
    this.#queue.sort((one, other) => one.seq - other.seq)
  }

  finished(seq: number): void {
    this.#reading?.finished.add(seq)
  }

  /** An outcome was written, perhaps by another part (expired, cleared): the record is read again, and found gone. */
  decided(seq: number): void {
    this.#reading?.decided.add(seq)
    const [first] = this.#queue
    if (first === undefined || seq < first.seq) return
    this.#queue = this.#queue.map((one) => (one.seq === seq ? { seq, bytes: one.bytes } : one))
  }

  /** This record, and perhaps later ones, are pending again: reads from it on. */
  rewind(seq: number): void {
    this.#more = true
    if (this.#reading !== null) this.#reading.isStale = true
    if (seq > this.#upTo) return
    this.#upTo = seq - 1
    this.#queue = this.#queue.filter((one) => one.seq < seq || this.#requeued.has(one.seq))
  }

  end(): void {
    this.#hasEnded = true
    this.#queue = []
  }

  /** Reads the next page where there may be one. @returns whether `next` may find more. */
  async read(): Promise<boolean> {
    if (!this.#more || this.#reading !== null || this.#hasEnded) return false
    const reading = { isStale: false, finished: new Set<number>(), decided: new Set<number>() }
    this.#reading = reading
    this.#more = false
    const { publicKey, projectId } = this.#upstream
    const found = await this.#reader.pending(publicKey, projectId, this.#upTo, this.#pageSize)
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
    const added = found
      .filter(({ seq }) => !reading.finished.has(seq) && !this.#requeued.has(seq) && !this.#isElsewhere(seq))
      .map((one) => (reading.decided.has(one.seq) ? { seq: one.seq, bytes: one.bytes } : one))
    this.#queue = [...this.#queue, ...added].sort((one, other) => one.seq - other.seq)
    return true
  }

  #lowestOf(which: 'any' | 'requeued', rank: (seq: number) => number): number {
    let found = -1
    let lowest = Number.POSITIVE_INFINITY
    for (const [at, { seq }] of this.#queue.entries()) {
      if (which === 'requeued' && !this.#requeued.has(seq)) continue
      if (rank(seq) >= lowest) continue
      found = at
      lowest = rank(seq)
    }
    return found
  }
}
