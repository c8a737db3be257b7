import type { StartTimer } from '../../lib/time'
import type { PendingRecord } from '../spool/stored-record'
import { SessionOrder } from './session-order'

/** Beyond this many deferred records of one kind, no more pending records are read until some of them resume. */
const MOST_DEFERRED = 10_000
/** Records whose waits end within this time share one timer: 10,000 timers would gain nothing. */
const GRAIN_MS = 1000

interface Clock {
  readonly now: () => number
  readonly later: StartTimer
}

/** Pending records that wait for something other than their turn. Only their numbers and sizes are kept. */
export class DeferredPosts {
  readonly limited: DelayedRecords
  /** Failed repeatedly while upstream accepted others: each waits alone. */
  readonly failing: DelayedRecords
  /** Until an earlier update of their session is settled. */
  readonly sessions = new SessionOrder()

  constructor(clock: Clock, onEnd: (freed: readonly PendingRecord[]) => void) {
    this.limited = new DelayedRecords(clock, onEnd)
    this.failing = new DelayedRecords(clock, onEnd)
  }

  get isFull(): boolean {
    return Math.max(this.limited.size, this.failing.size, this.sessions.parked) >= MOST_DEFERRED
  }

  has(seq: number): boolean {
    return this.limited.has(seq) || this.failing.has(seq) || this.sessions.isParked(seq)
  }

  release(seqs: readonly number[]): void {
    this.limited.release(seqs)
    this.failing.release(seqs)
  }

  end(): void {
    this.limited.end()
    this.failing.end()
  }
}

/** The wait is computed when a record is added, so that setting the clock neither shortens nor prolongs it. */
export class DelayedRecords {
  readonly #clock: Clock
  readonly #onEnd: (freed: readonly PendingRecord[]) => void
  readonly #waiting = new Map<number, { readonly bytes: number; readonly end: number }>()
  readonly #groups = new Map<number, { readonly seqs: number[]; readonly cancel: () => void }>()

  constructor(clock: Clock, onEnd: (freed: readonly PendingRecord[]) => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#waiting.size
  }

  has(seq: number): boolean {
    return this.#waiting.has(seq)
  }

  add({ seq, bytes }: PendingRecord, until: number): void {
    const end = Math.ceil(until / GRAIN_MS)
    this.#waiting.set(seq, { bytes, end })
    const group = this.#groups.get(end)
    if (group !== undefined) {
      group.seqs.push(seq)
      return
    }
    const wait = Math.max(end * GRAIN_MS - this.#clock.now(), GRAIN_MS)
    this.#groups.set(end, { seqs: [seq], cancel: this.#clock.later(() => this.#free(end), wait) })
  }

  release(seqs: readonly number[]): void {
    const freed = seqs.flatMap((seq) => this.#take(seq))
    if (freed.length > 0) this.#onEnd(freed)
  }

  releaseAll(): boolean {
    const all = [...this.#waiting.keys()]
    this.release(all)
    return all.length > 0
  }

  end(): void {
    for (const { cancel } of this.#groups.values()) cancel()
    this.#groups.clear()
    this.#waiting.clear()
  }

  #free(end: number): void {
    const seqs = this.#groups.get(end)?.seqs ?? []
    this.#groups.delete(end)
    // A record that was released and added again waits in another group.
    this.#onEnd(seqs.filter((seq) => this.#waiting.get(seq)?.end === end).flatMap((seq) => this.#take(seq)))
  }

  #take(seq: number): readonly PendingRecord[] {
    const waiting = this.#waiting.get(seq)
    if (waiting === undefined) return []
    this.#waiting.delete(seq)
    return [{ seq, bytes: waiting.bytes }]
  }
}

/**
 * A failure may be caused by the record itself (too large, or rejected by a firewall). It must not block the others:
 * - after two failures it is no longer a probe, unless there is no other record;
 * - if upstream accepted others between two of its failures, it is deferred alone.
 */
export class FailingRecords {
  readonly #failures = new Map<number, { readonly count: number; readonly order: number; readonly successes: number }>()
  #order = 0
  #successes = 0

  /** The record stays pending. @returns whether upstream accepted another record since its previous failure. */
  failed(seq: number): boolean {
    const previous = this.#failures.get(seq)
    this.#order += 1
    this.#failures.set(seq, { count: (previous?.count ?? 0) + 1, order: this.#order, successes: this.#successes })
    return previous !== undefined && previous.successes < this.#successes
  }

  /** Upstream answered another record for good. */
  othersSucceeded(): void {
    this.#successes += 1
  }

  forget(seq: number): void {
    this.#failures.delete(seq)
  }

  /** The lowest rank is the next probe: first records with fewer than two failures, then the one that failed longest ago. */
  rank(seq: number): number {
    const failures = this.#failures.get(seq)
    return failures === undefined || failures.count < 2 ? 0 : failures.order
  }
}
