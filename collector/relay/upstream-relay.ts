import type { Upstream } from '../../lib/protocol/upstream-address'
import type { UpstreamState } from '../../lib/wire/overview'
import type { Pending, PendingSubmission, Spool } from '../spool/spool'
import { Backlog, type FreshSubmission } from './backlog'
import { DeferredPosts, FailingRecords, type Failure, MOST_FAILURES } from './deferred-posts'
import { type Conclusion, type DeliveryResult, type DeliveryTools, deliverRecord } from './deliver-record'
import { OPEN_POSTS, OpenPosts, StartOrder, type Turn, WINDOWS } from './open-posts'
import type { Posted } from './post-record'
import { type BreakerTools, type LastAnswer, type UpstreamBreaker, waitAfter } from './upstream-breaker'
import { UpstreamPosts } from './upstream-posts'

/** No post starts while the open posts have this many bytes. */
const OPEN_BYTES = 64 * 1024 * 1024
/** Reads up to 90 pending records; reads more when fewer than 60 remain, so that two windows are posted meanwhile. */
const READ_AT_ONCE = 3 * OPEN_POSTS
const READ_MORE_BELOW = 2 * OPEN_POSTS

export interface RelayTools extends DeliveryTools, BreakerTools {
  readonly reader: Pick<Spool, 'pending' | 'record'>
  /** Intake has priority: the relay keeps fewer posts open. */
  readonly isIntakeBusy: () => boolean
  readonly log: (line: string) => void
  /** Ends the process: our own disk or a thread failed. */
  readonly onDeath: (error: Error) => void
}

/** Conclusions of posts whose write failed, by record. */
export type UnwrittenResults = Map<number, Conclusion>

/**
 * Delivers the pending records of one upstream, or of one of its lanes. Oldest first; posts start in spool order. A network failure or a refused DSN stops new posts; after a wait one probe
 * is sent, and only its success opens the window again.
 */
export class UpstreamRelay {
  readonly #tools: RelayTools
  readonly #abort = new AbortController()
  readonly #backlog: Backlog
  readonly #posts: UpstreamPosts
  readonly #breaker: UpstreamBreaker
  readonly #starts = new StartOrder()
  readonly #deferred: DeferredPosts
  readonly #failing: FailingRecords
  readonly #open: OpenPosts
  readonly #unwritten: UnwrittenResults
  /** Records that are being deleted, and those among them whose turn came meanwhile. */
  readonly #withheld = new Map<number, PendingSubmission | null>()
  #hasEnded = false

  /**
   * @param unwritten results of an earlier relay of these records: they are not posted again
   * @param posts which the lanes of this upstream share
   */
  constructor(
    readonly upstream: Upstream,
    readonly standIn: boolean,
    readonly label: string,
    tools: RelayTools,
    unwritten: UnwrittenResults = new Map(),
    posts = new UpstreamPosts(upstream, label, tools),
  ) {
    this.#tools = tools
    this.#unwritten = unwritten
    this.#posts = posts
    this.#breaker = posts.breaker
    this.#failing = new FailingRecords(posts.successes)
    this.#open = new OpenPosts(OPEN_BYTES, posts.totals)
    this.#deferred = new DeferredPosts(tools, (freed) => this.#requeue(freed))
    const isElsewhere = (seq: number): boolean => this.#open.has(seq) || this.#deferred.has(seq)
    this.#backlog = new Backlog(upstream, tools.reader, READ_AT_ONCE, isElsewhere)
    posts.add(this)
  }

  /** Whether the last post was answered and the DSN is not refused. */
  get isHealthy(): boolean {
    return !this.#breaker.isProbing
  }

  wake(upTo = Number.POSITIVE_INFINITY): void {
    this.#backlog.grew(upTo)
    this.#pump()
  }

  /** Intake is no longer busy: more posts may be open. */
  readonly resume = (): void => this.#pump()

  /** Outcomes of these records were written, by this relay or by another part; the records may belong to any upstream. */
  decided(seqs: readonly number[]): void {
    for (const seq of seqs) this.#backlog.decided(seq)
    this.#deferred.release(seqs)
  }

  /** Starts no post of these records until `release`; `ended` resolves with the number of posts that were in progress. */
  withhold(seqs: readonly number[]): { readonly ended: Promise<number>; readonly release: () => void } {
    for (const seq of seqs) this.#withheld.set(seq, null)
    return {
      ended: this.#open.whenEnded(seqs),
      release: () => {
        const skipped = seqs.map((seq) => this.#withheld.get(seq) ?? null).filter((one) => one !== null)
        for (const seq of seqs) this.#withheld.delete(seq)
        this.#requeue(skipped)
      },
    }
  }

  rewind(first: number): void {
    this.#backlog.rewind(first)
    this.#pump()
  }

  /** A record just became pending, and its bytes are in memory: it is posted now, or read when its turn comes. */
  offer(fresh: FreshSubmission): void {
    if (this.#mayOpen() && !this.#deferred.isFull) this.#backlog.offer(fresh)
    else this.#backlog.grew(fresh.seq)
    this.#pump()
  }

  /** Ends the current wait, and the waits of repeatedly failing records. @returns whether there was one. */
  tryNow(): boolean {
    const hadFailing = this.#deferred.failing.releaseAll()
    return this.#breaker.tryNow() || hadFailing
  }

  state({ pending, deadLetters }: Pending): UpstreamState {
    const { label, standIn } = this
    const open = this.#open.size
    const deferred = this.#deferred.limited.size
    const state = this.#breaker.state(open, this.#posts.last)
    // All that is left waits after a failure, and nothing has succeeded since.
    const isWaiting = state.state === 'idle' && this.#posts.successes.failedSince > 0
    const retryAt = isWaiting ? this.#deferred.failing.next : null
    const waiting = retryAt === null ? {} : { state: 'backing_off' as const, retryAt }
    return { label, pending, open, deadLetters, deferred, ...state, ...waiting, standIn }
  }

  /**
   * Starts nothing more and aborts open posts after `graceMs`, with 0 at once; aborted records stay pending. A later call
   * can shorten the time. Resolves when the results of all posts were written, or could not be.
   */
  async close(graceMs: number): Promise<void> {
    this.#hasEnded = true
    this.#backlog.end()
    this.#posts.remove(this)
    this.#deferred.end()
    const abort = (): void => this.#abort.abort()
    if (graceMs <= 0) abort()
    const cancel = this.#tools.later(abort, graceMs)
    await this.#open.whenNone()
    cancel()
  }

  /** Their wait is over. A record that was cleared meanwhile is found gone, and leaves the order of its sessions. */
  #requeue(freed: readonly PendingSubmission[]): void {
    this.#backlog.requeue(...freed)
    this.#pump()
  }

  #pump(): void {
    this.#posts.pump()
  }

  /** Starts the next delivery if the window allows it. @returns whether it did */
  startNext(): boolean {
    if (!this.#breaker.mayPost || this.#waitsForProbeCandidates()) return false
    while (this.#mayOpen()) {
      const rank = this.#breaker.isProbing ? (seq: number) => this.#failing.rank(seq) : null
      const next = this.#backlog.next(this.#deferred.isFull ? 'requeued' : 'any', rank)
      if (next === undefined) return false
      if (this.#withheld.has(next.seq)) {
        this.#withheld.set(next.seq, next)
        continue
      }
      this.#open.begin(next)
      this.#failing.began(next.seq)
      this.#deliver(next, this.#starts.next()).catch(this.#tools.onDeath)
      return true
    }
    return false
  }

  /** Reads more pending records when few remain. */
  readMore(): void {
    if (!this.#breaker.mayPost || this.#backlog.length >= READ_MORE_BELOW || this.#deferred.isFull) return
    this.#read().catch(this.#tools.onDeath)
  }

  async #read(): Promise<void> {
    if (this.#backlog.rest !== 'unread') return
    await this.#backlog.read()
    // Also when nothing was found: the choice of a probe waits for this answer.
    this.#pump()
  }

  /** Whether the choice of a probe waits for the disk: the few records in memory may all be failing ones. */
  #waitsForProbeCandidates(): boolean {
    const { length, rest } = this.#backlog
    if (!this.#breaker.isProbing || length >= OPEN_POSTS || rest === 'none' || this.#deferred.isFull) return false
    this.#read().catch(this.#tools.onDeath)
    return true
  }

  async #deliver(queued: PendingSubmission, turn: Turn): Promise<void> {
    const { seq } = queued
    const result = await deliverRecord(queued, {
      upstream: this.upstream,
      label: this.label,
      standIn: this.standIn,
      tools: this.#tools,
      turn,
      sessions: this.#deferred.sessions,
      mayPost: () => !this.#hasEnded && this.#breaker.mayPost,
      signal: this.#abort.signal,
      unwritten: this.#unwritten.get(seq),
      // A commit takes longer than many posts: the next post starts meanwhile.
      onConcluded: () => {
        this.#open.answered(seq)
        this.#pump()
      },
    })
    turn.passed()
    this.#apply(queued, result)
    this.#open.end(seq)
    this.#pump()
  }

  #apply(queued: PendingSubmission, result: DeliveryResult): void {
    if (result.kind === 'gone') this.#finish(queued.seq)
    else if (result.kind === 'blocked') this.#backlog.requeue(queued)
    else if (result.kind === 'deferred') this.#deferred.limited.add(queued, result.until)
    else if (result.kind === 'concluded') this.#conclude(queued, result.conclusion, result.writeError)
  }

  /** Updates the breaker and the queues from what became of a record. */
  #conclude(queued: PendingSubmission, conclusion: Conclusion, writeError: string | null): void {
    const attempt = conclusion.kind === 'attempted' ? conclusion.attempt : null
    const last: LastAnswer =
      attempt === null
        ? { at: this.#tools.now(), status: null, error: writeError }
        : { at: attempt.endedAt, status: attempt.status, error: writeError ?? attempt.error }
    // A post that was aborted with its lane says nothing about upstream, to which other lanes are posted.
    const isAborted = this.#hasEnded && (attempt === null || attempt.status === null)
    if ((attempt !== null || writeError !== null) && !isAborted) this.#posts.last = last

    if (
      conclusion.kind === 'attempted' &&
      (conclusion.outcome === 'unavailable' || conclusion.outcome === 'dsnRefused')
    ) {
      if (this.#hasEnded) return
      const { status, answer, retryAfter, maybeDelivered } = conclusion.attempt
      const failure = this.#failing.failed(queued.seq)
      const isAlone = isFailureOfRecord(conclusion.outcome, { status, retryAfter, maybeDelivered }, failure)
      if (isAlone && this.#deferAlone(queued, failure)) return
      this.#backlog.requeue(queued)
      if (conclusion.outcome === 'dsnRefused') this.#breaker.refused(status ?? 0, answer)
      else this.#breaker.failed(last, retryAfter)
      return
    }

    if (writeError !== null) {
      this.#unwritten.set(queued.seq, conclusion)
      if (this.#hasEnded) return
      const failure = this.#failing.failed(queued.seq)
      if (failure.othersSucceeded && this.#deferAlone(queued, failure)) return
      this.#backlog.requeue(queued)
      this.#breaker.failed(last)
      return
    }

    this.#unwritten.delete(queued.seq)
    // Only an answer says something about upstream.
    if (attempt !== null && attempt.status !== null) {
      this.#failing.othersSucceeded()
      this.#breaker.answered()
    }
    this.#finish(queued.seq)
  }

  /** Defers a record alone, each time longer, while posts go on. The other records do not wait for it. */
  #deferAlone(queued: PendingSubmission, { count }: Failure): boolean {
    if (!this.isHealthy || !this.#breaker.mayPost) return false
    this.#deferred.failing.add(queued, this.#tools.now() + waitAfter(count, this.#tools.random()))
    return true
  }

  #finish(seq: number): void {
    this.#backlog.finished(seq)
    this.#failing.forget(seq)
    this.#backlog.requeue(...this.#deferred.sessions.leave(seq))
  }

  #mayOpen(): boolean {
    const window = this.#breaker.isProbing ? WINDOWS.probe : this.#tools.isIntakeBusy() ? WINDOWS.few : WINDOWS.all
    return this.#breaker.mayPost && this.#open.hasRoom(window)
  }
}

/** Whether a failure concerns one record, and says nothing about upstream. */
function isFailureOfRecord(
  outcome: 'unavailable' | 'dsnRefused',
  { status, retryAfter, maybeDelivered }: Pick<Posted, 'status' | 'retryAfter' | 'maybeDelivered'>,
  failure: Failure,
): boolean {
  // Without a connection no record is to blame.
  if (status === null && !maybeDelivered) return false
  const isPlainError = outcome === 'unavailable' && status !== null && !retryAfter?.trim()
  return isPlainError ? failure.sinceSuccess < MOST_FAILURES : failure.othersSucceeded
}
