import type { StartTimer } from '../../lib/time'
import type { PendingSubmission } from '../spool/spool'
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
  /** Failed while upstream accepts others: each waits alone. */
  readonly failing: DelayedRecords
  /** Until an earlier update of their session is settled. */
  readonly sessions = new SessionOrder()

  constructor(clock: Clock, onEnd: (freed: readonly PendingSubmission[]) => void) {
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
  readonly #onEnd: (freed: readonly PendingSubmission[]) => void
  readonly #waiting = new Map<number, { readonly bytes: number; readonly end: number }>()
  readonly #groups = new Map<number, { readonly seqs: number[]; readonly cancel: () => void }>()

  constructor(clock: Clock, onEnd: (freed: readonly PendingSubmission[]) => void) {
    this.#clock = clock
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#waiting.size
  }

  /** When the first wait ends, in ms since the epoch; `null` without one. */
  get next(): number | null {
    return this.#groups.size === 0 ? null : Math.min(...this.#groups.keys()) * GRAIN_MS
  }

  has(seq: number): boolean {
    return this.#waiting.has(seq)
  }

  add({ seq, bytes }: PendingSubmission, until: number): void {
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

  #take(seq: number): readonly PendingSubmission[] {
    const waiting = this.#waiting.get(seq)
    if (waiting === undefined) return []
    this.#waiting.delete(seq)
    return [{ seq, bytes: waiting.bytes }]
  }
}

/** As many failures of posts that began after the last success are a failure of upstream. */
export const MOST_FAILURES = 5

export interface Failure {
  /** How often this record failed, this time included. */
  readonly count: number
  /** Failed posts that began after the last success, this one included. */
  readonly sinceSuccess: number
  /** Has upstream accepted another record since the previous failure of this one? */
  readonly othersSucceeded: boolean
}

/** Counts posts to one upstream. */
export class Successes {
  count = 0
  /** Failed posts that began after the last success. */
  failedSince = 0
}

/**
 * A failure may be caused by the record itself (too large, or rejected by a firewall), or by one of many machines behind
 * upstream. It must not block the others:
 * - a record that fails is set aside alone, until five posts that began after the last success have failed;
 * - after two failures it is no longer a probe, unless there is no other record.
 */
export class FailingRecords {
  readonly #failures = new Map<number, { readonly count: number; readonly order: number; readonly successes: number }>()
  readonly #began = new Map<number, number>()
  readonly #successes: Successes
  #order = 0

  /** @param successes of all posts to the upstream, also of those that other instances follow */
  constructor(successes = new Successes()) {
    this.#successes = successes
  }

  /** A post of the record begins. */
  began(seq: number): void {
    this.#began.set(seq, this.#successes.count)
  }

  /** The record stays pending. */
  failed(seq: number): Failure {
    const previous = this.#failures.get(seq)
    this.#order += 1
    const count = (previous?.count ?? 0) + 1
    this.#failures.set(seq, { count, order: this.#order, successes: this.#successes.count })
    if (this.#began.get(seq) === this.#successes.count) this.#successes.failedSince += 1
    this.#began.delete(seq)
    const othersSucceeded = previous !== undefined && previous.successes < this.#successes.count
    return { count, sinceSuccess: this.#successes.failedSince, othersSucceeded }
  }

  /** Upstream answered another record for good. */
  othersSucceeded(): void {
    this.#successes.count += 1
    this.#successes.failedSince = 0
  }

  forget(seq: number): void {
    this.#failures.delete(seq)
    this.#began.delete(seq)
  }

  /** The lowest rank is the next probe: first records with fewer than two failures, then the one that failed longest ago. */
  rank(seq: number): number {
    const failures = this.#failures.get(seq)
    return failures === undefined || failures.count < 2 ? 0 : failures.order
  }
}
