import type { Dsn } from '../../lib/protocol/dsn'
import type { UpstreamState } from '../../lib/wire/overview'
import type { Pending } from '../index/read-pending'
import type { Reader } from '../index/reader'
import type { PendingRecord } from '../index/stored-record'
import type { Spool } from '../spool/spool'
import { Backlog, type FreshRecord, type QueuedRecord } from './backlog'
import { type BreakerTools, CircuitBreaker, type LastAnswer, LONGEST_WAIT_MS, pauseMessage } from './circuit-breaker'
import { settledByCut } from './decide'
import { DeferredPosts, FailingRecords } from './deferred-posts'
import {
  type Attempted,
  attempt,
  attemptAtDamaged,
  lastOf,
  type Made,
  recordOf,
  UNSCRUBBED,
  writeDown,
} from './deliver-record'
import { OPEN_POSTS, OpenPosts, StartOrder, type Turn, WINDOWS } from './open-posts'
import { prepare, type Scrub } from './prepare'
import type { RateLimits } from './rate-limits'
import { labelOf } from './relay'
import type { Send } from './send'
import { sessionsOf } from './session-order'

const OPEN_BYTES = 64 * 1024 * 1024
/** So many are taken up at once, and more as soon as fewer than these wait: while a list is read, two windows are posted. */
const TAKEN_UP = 3 * OPEN_POSTS
const READ_ON_BELOW = 2 * OPEN_POSTS

/**
 * Works off what is pending to one upstream, oldest first. Posts start in spool order. A network failure or a refusal stops
 * new posts, waits, and then sends one probe: only when that is answered does the window open again.
 */
export class UpstreamRelay {
  readonly #dsn: Dsn
  readonly #tools: RelayTools
  readonly #abort = new AbortController()
  readonly #backlog: Backlog
  readonly #condition: CircuitBreaker
  readonly #starts = new StartOrder()
  readonly #aside: DeferredPosts
  readonly #tried = new FailingRecords()
  readonly #open = new OpenPosts(OPEN_BYTES)
  /** Decided, while that could not be written down: what was in hand then, and what waits apart since. */
  readonly #unwritten = new Map<number, Made>()
  #last: UpstreamState['last'] = null

  constructor(
    dsn: Dsn,
    readonly standIn: boolean,
    tools: RelayTools,
    readonly label = labelOf(dsn),
  ) {
    this.#dsn = dsn
    this.#tools = tools
    const tellPause = (paused: UpstreamState['paused']) => tools.log(pauseMessage(label, paused))
    this.#condition = new CircuitBreaker(tools, () => this.#pump(), tellPause)
    this.#aside = new DeferredPosts(tools, (freed) => this.#goOn(freed))
    const isElsewhere = (seq: number): boolean => this.#open.has(seq) || this.#aside.has(seq)
    this.#backlog = new Backlog(dsn, tools.reader, TAKEN_UP, isElsewhere)
  }

  get dsn(): Dsn {
    return this.#dsn
  }

  /** Nothing is wrong with it: it answered when it was last asked, and took what we sent for ours. */
  get isWell(): boolean {
    return !this.#condition.isProbing
  }

  /** The spool grew. @param upTo the newest record. */
  wake(upTo = Number.POSITIVE_INFINITY): void {
    this.#backlog.grew(upTo)
    this.#pump()
  }

  /** Intake has its hands free again: more may be open. */
  readonly resume = (): void => this.#pump()

  /** Outcomes were written of these, whoever did it and whosever they are. */
  decided(seqs: readonly number[]): void {
    for (const seq of seqs) this.#backlog.decided(seq)
    this.#aside.release(seqs)
  }

  /** Records became pending again, though they are older than what was taken up. @param first the oldest of them. */
  again(first: number): void {
    this.#backlog.rewind(first)
    this.#pump()
  }

  /** A record became pending this moment, and is at hand: it is posted now, or read when its turn comes. */
  offer(fresh: FreshRecord): void {
    if (this.#hasRoom() && !this.#aside.isFull) this.#backlog.offer(fresh)
    else this.#backlog.grew(fresh.seq)
    this.#pump()
  }

  /** Whatever is left of a wait, a probe goes now, and so does what waits by itself. @returns whether it was waited for. */
  tryNow(): boolean {
    const didWaitApart = this.#aside.apart.releaseAll()
    return this.#condition.tryNow() || didWaitApart
  }

  state({ pending, deadLetters }: Pending): UpstreamState {
    const { label, standIn } = this
    const open = this.#open.size
    const told = this.#condition.told(open, this.#last)
    return { label, pending, open, deadLetters, deferred: this.#aside.held.size, ...told, standIn }
  }

  /** Starts nothing more, gives open posts a moment, then cuts them off; they stay pending. */
  async close(graceMs: number): Promise<void> {
    this.#backlog.end()
    this.#condition.end()
    this.#aside.end()
    const takeBack = this.#tools.later(() => this.#abort.abort(), graceMs)
    await this.#open.whenNone()
    takeBack()
  }

  /** They waited, and may be tried again. One that was cleared meanwhile is found gone, and leaves its sessions' lines. */
  #goOn(freed: readonly PendingRecord[]): void {
    this.#backlog.requeue(...freed)
    this.#pump()
  }

  #pump(): void {
    if (!this.#condition.mayPost || this.#isChoosingProbe()) return
    while (this.#hasRoom()) {
      const rank = this.#condition.isProbing ? (seq: number) => this.#tried.rank(seq) : null
      const next = this.#backlog.next(this.#aside.isFull ? 'returned' : 'any', rank)
      if (next === undefined) break
      this.#open.begin(next)
      this.#deliver(next, this.#starts.next()).catch(this.#tools.onDeath)
    }
    if (this.#backlog.length < READ_ON_BELOW && !this.#aside.isFull) this.#read().catch(this.#tools.onDeath)
  }

  async #read(): Promise<void> {
    if (this.#backlog.rest !== 'unread') return
    await this.#backlog.read()
    // Also where nothing came: whoever chooses a probe waited for that.
    this.#pump()
  }

  /** Where only what was tried in vain is at hand, the disk may have others: whoever is tried next is one of them. */
  #isChoosingProbe(): boolean {
    const { length, rest } = this.#backlog
    if (!this.#condition.isProbing || length >= OPEN_POSTS || rest === 'none' || this.#aside.isFull) return false
    this.#read().catch(this.#tools.onDeath)
    return true
  }

  async #deliver(pending: QueuedRecord, turn: Turn): Promise<void> {
    // What was decided and could only not be written down is not posted again.
    const made = this.#unwritten.get(pending.seq) ?? (await this.#make(pending, turn))
    turn.passed()
    if (made === 'gone') this.#settled(pending.seq)
    else if (made === 'not now') this.#backlog.requeue(pending)
    else if (made !== 'aside') await this.#conclude(pending, made)
    this.#open.end(pending.seq)
    this.#pump()
  }

  /**
   * Posts it, or finds that there is nothing to post: it expired or was cleared since it was read (`gone`), others
   * have to go first (`aside`), or nobody answers any more since its turn came (`not now`).
   */
  async #make(pending: QueuedRecord, turn: Turn): Promise<Made | 'gone' | 'aside' | 'not now'> {
    const { now, limits, holdErrors, scrub, send, reader } = this.#tools
    const { seq } = pending
    const record = pending.record ?? (await recordOf(reader, seq))
    if (record === null) return 'gone'
    // It is settled, so that those behind it go on.
    if (record instanceof Error) return attemptAtDamaged(seq, this.label, now(), record.message)
    const prepared = await prepare({ record, dsn: this.#dsn, limits, holdErrors, scrub, now: now() })
    await turn.ready
    // It has its place among the updates of its session from here on, also where it is put back.
    if (!this.#aside.sessions.enter(pending, sessionsOf(record))) return 'aside'
    if (!this.#condition.mayPost) return 'not now'
    if (prepared.kind === 'hold') {
      this.#aside.held.add(pending, prepared.until)
      return 'aside'
    }
    if (prepared.kind === 'unscrubbed') return UNSCRUBBED
    if (prepared.kind === 'settled')
      return { kind: 'cut', decision: settledByCut(prepared.leftOut), toReport: prepared.toReport }
    const { signal } = this.#abort
    const attempted = attempt({ seq, dsn: this.#dsn, label: this.label, record, prepared, send, now, signal })
    turn.passed()
    return attempted
  }

  /** Writes down what came of it, and does what that means for it and for the others. */
  async #conclude(pending: QueuedRecord, made: Made): Promise<void> {
    if (made.kind === 'attempted') this.#tools.limits.add(made.limits)
    if (made.kind !== 'attempted' || made.verdict === 'final' || made.verdict === 'dead') {
      this.#open.answered(pending.seq)
      this.#pump()
    }
    const unwritten = await writeDown(this.#tools.spool, pending.seq, made)
    const last = lastOf(made, unwritten, this.#tools.now())
    if (made.kind === 'attempted' || unwritten !== null) this.#last = last
    if (made.kind === 'attempted' && (made.verdict === 'not now' || made.verdict === 'refuses')) {
      this.#stays(pending, made, last)
    } else if (unwritten !== null) {
      this.#unwritten.set(pending.seq, made)
      if (this.#isOwnMatter(pending)) return
      this.#backlog.requeue(pending)
      this.#condition.failed(last)
    } else {
      this.#unwritten.delete(pending.seq)
      // What was not posted says nothing of upstream.
      if (made.kind === 'attempted' && made.attempt.status !== null) {
        this.#tried.taken()
        this.#condition.answered()
      }
      this.#settled(pending.seq)
    }
  }

  /** It was posted in vain, and stays pending. */
  #stays(pending: QueuedRecord, { verdict, attempt: made }: Attempted, why: LastAnswer): void {
    const { status, answer, retryAfter, maybeDelivered } = made
    // Where nobody was reached no envelope is to blame.
    if ((status !== null || maybeDelivered) && this.#isOwnMatter(pending)) return
    this.#backlog.requeue(pending)
    if (verdict === 'refuses') this.#condition.refused(status ?? 0, answer)
    else this.#condition.failed(why, retryAfter)
  }

  /** It was tried in vain again, while others are taken: it waits by itself, and nobody with it. */
  #isOwnMatter(pending: QueuedRecord): boolean {
    if (!this.#tried.again(pending.seq) || !this.isWell || !this.#condition.mayPost) return false
    this.#aside.apart.add(pending, this.#tools.now() + LONGEST_WAIT_MS)
    return true
  }

  /** Nothing more is to be done for it: who waited for it alone may go. */
  #settled(seq: number): void {
    this.#backlog.settled(seq)
    this.#tried.forget(seq)
    this.#backlog.requeue(...this.#aside.sessions.leave(seq))
  }

  /** May one more be posted now? */
  #hasRoom(): boolean {
    const window = this.#condition.isProbing ? WINDOWS.probe : this.#tools.isIntakeBusy() ? WINDOWS.few : WINDOWS.all
    return this.#condition.mayPost && this.#open.hasRoom(window)
  }
}

/** What a relay works with: everything that is not its own. */
export interface RelayTools extends BreakerTools {
  readonly spool: Pick<Spool, 'deliver' | 'limit' | 'settle'>
  readonly reader: Pick<Reader, 'pending' | 'record'>
  readonly limits: RateLimits
  /** Errors wait for the end of their limit instead of being cut. */
  readonly holdErrors: boolean
  /** Takes out what must not leave; `null` where nothing is scrubbed. */
  readonly scrub: Scrub | null
  /** Intake has its hands full: it goes first. */
  readonly isIntakeBusy: () => boolean
  readonly send: Send
  /** Tells whoever reads the terminal. */
  readonly log: (line: string) => void
  /** A failure of our own disk or threads: the process ends with it. */
  readonly onDeath: (error: Error) => void
}
