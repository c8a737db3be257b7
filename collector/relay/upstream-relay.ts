import { setMaxListeners } from 'node:events'
import { EVENT_BUFFER_ITEMS } from '../../lib/contract/values'
import type { Dsn } from '../../lib/protocol/dsn'
import { limitsOfAnswer } from '../../lib/protocol/rate-limits'
import type { UpstreamState } from '../../lib/wire/overview'
import { faultPoint } from '../fault-point'
import type { Spool } from '../spool/spool'
import { type Attempt, BodyDamagedError, type StoredLimit } from '../spool/submission'
import type { Reader } from '../store/reader'
import { attemptAtDamaged } from './attempt'
import { Backlog, type FreshRecord, type Waiting } from './backlog'
import { LONGEST_WAIT_MS, waitAfter } from './backoff'
import { decide } from './decide'
import { type LimitBook, storedLimits } from './limits'
import { post } from './post'
import type { Send } from './send'

/** "Error-reporting event buffer": so many posts are open at once; the relay waits when its window is full. */
export const OPEN_POSTS = EVENT_BUFFER_ITEMS
/** So many while intake goes first: what is owed goes on, and each that ends begins the next. */
const FEW_POSTS = 2
const OPEN_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 10_000

export interface RelayTools {
  readonly spool: Pick<Spool, 'deliver' | 'limit'>
  readonly reader: Pick<Reader, 'owed' | 'record'>
  readonly limits: LimitBook
  /** Intake has its hands full: it goes first. */
  readonly isIntakeBusy: () => boolean
  readonly send: Send
  readonly now: () => number
  readonly random: () => number
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
  /** A failure of our own disk or threads: the process ends with it. */
  readonly onDeath: (error: Error) => void
}

/**
 * Works off what is owed to one upstream, oldest first. Posts start in spool order. A network failure stops new posts,
 * waits, and then sends one probe: only when that is answered does the window open again.
 */
export class UpstreamRelay {
  readonly #dsn: Dsn
  readonly #standIn: boolean
  readonly #tools: RelayTools
  readonly #abort = new AbortController()
  readonly #backlog: Backlog
  readonly #open = new Map<number, number>()
  /** Answered for good, while the answer could not be written down: at most as many as posts are open at once. */
  readonly #answered = new Map<number, Made>()
  #failures = 0
  #retryAt: number | null = null
  #cancelRetry: () => void = () => undefined
  #last: UpstreamState['last'] = null
  #idle: (() => void)[] = []

  constructor(dsn: Dsn, standIn: boolean, tools: RelayTools) {
    this.#dsn = dsn
    this.#standIn = standIn
    this.#tools = tools
    this.#backlog = new Backlog(dsn, tools.reader, OPEN_POSTS * 2)
    // Each open post listens.
    setMaxListeners(OPEN_POSTS, this.#abort.signal)
  }

  /** Host and project, never the key. */
  get label(): string {
    return `${this.#dsn.host}${this.#dsn.path}/${this.#dsn.projectId}`
  }

  get dsn(): Dsn {
    return this.#dsn
  }

  /** The spool grew. @param upTo the newest record. */
  wake(upTo = Number.POSITIVE_INFINITY): void {
    this.#backlog.grew(upTo)
    this.#pump()
  }

  /** A record became owed this moment, and is at hand: it is posted now, or read when its turn comes. */
  offer(fresh: FreshRecord): void {
    if (this.#hasRoom()) this.#backlog.offer(fresh)
    else this.#backlog.grew(fresh.seq)
    this.#pump()
  }

  state(owed: number): UpstreamState {
    return {
      label: this.label,
      state: this.#retryAt !== null ? 'backing_off' : this.#open.size > 0 ? 'relaying' : 'idle',
      owed,
      open: this.#open.size,
      deadLetters: 0,
      held: 0,
      paused: null,
      retryAt: this.#retryAt,
      last: this.#last,
      standIn: this.#standIn,
    }
  }

  /** Starts nothing more, gives open posts a moment, then cuts them off; they stay owed. */
  async close(graceMs: number): Promise<void> {
    this.#backlog.end()
    this.#cancelRetry()
    this.#retryAt = Number.POSITIVE_INFINITY
    if (this.#open.size === 0) return
    const settled = new Promise<void>((resolve) => this.#idle.push(resolve))
    const takeBack = this.#tools.later(() => this.#abort.abort(), graceMs)
    await settled
    takeBack()
  }

  #pump(): void {
    if (this.#retryAt !== null) return
    while (this.#hasRoom()) {
      const next = this.#backlog.next()
      if (next === undefined) break
      this.#open.set(next.seq, next.bytes)
      this.#deliver(next).catch(this.#tools.onDeath)
    }
    if (this.#backlog.length < OPEN_POSTS) this.#read().catch(this.#tools.onDeath)
  }

  async #read(): Promise<void> {
    if (await this.#backlog.read()) this.#pump()
  }

  async #deliver(owed: Waiting): Promise<void> {
    // What was answered and could only not be written down is not posted again.
    const made = this.#answered.get(owed.seq) ?? (await this.#attempt(owed))
    if (made === null) {
      this.#done(owed)
      this.#pump()
      return
    }
    const { attempt, limits } = made
    const isFinal = attempt.decision !== null
    const unwritten = await this.#write(attempt, limits)
    this.#last = { at: attempt.endedAt, status: attempt.status, error: unwritten ?? attempt.error }
    if (isFinal && unwritten === null) this.#failures = 0
    else this.#backOff(owed, isFinal ? null : attempt.status)
    if (isFinal && unwritten !== null) this.#answered.set(owed.seq, made)
    else this.#answered.delete(owed.seq)
    this.#done(owed)
    this.#pump()
  }

  /** Posts it. @returns `null` when it expired or was cleared since it was read: its outcome is set. */
  async #attempt(owed: Waiting): Promise<Made | null> {
    const { now, reader, limits } = this.#tools
    const record =
      owed.record ??
      (await reader.record(owed.seq).catch((error: Error) => {
        if (error.name !== BodyDamagedError.NAME) throw error
        return error
      }))
    if (record === null) return null
    // It is settled, so that those behind it go on.
    if (record instanceof Error)
      return { attempt: attemptAtDamaged(owed.seq, this.label, now(), record.message), limits: [] }
    const startedAt = now()
    const posted = await post({
      upstream: this.#dsn,
      door: record.door,
      body: record.body,
      facts: record.facts,
      send: this.#tools.send,
      timeoutMs: TIMEOUT_MS,
      signal: this.#abort.signal,
    })
    if (posted.status !== null) faultPoint('relayed')
    const endedAt = now()
    const told = posted.status === null ? [] : limitsOfAnswer({ ...posted, status: posted.status }, endedAt)
    const verdict = posted.status === null ? { final: false as const } : decide(posted.status, told, record.quantities)
    const stored = storedLimits(told, this.#dsn, owed.seq, endedAt)
    limits.tell(stored)
    const attempt: Attempt = {
      seq: owed.seq,
      upstream: this.label,
      startedAt,
      endedAt,
      ...posted,
      form: ['received'],
      bytes: record.body.length,
      leftOut: [],
      removed: [],
      decision: verdict.final ? verdict.decision : null,
      dead: false,
      toReport: [],
    }
    return { attempt, limits: stored }
  }

  /** Its post is not open any more. */
  #done(owed: Waiting): void {
    this.#open.delete(owed.seq)
    if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /**
   * Writes what came of an attempt. A disk that is full just now must not end the process: the envelope stays owed, and
   * the writing is tried again.
   * @returns why it could not be written; `null` when it was.
   */
  async #write(attempt: Attempt, limits: readonly StoredLimit[]): Promise<string | null> {
    try {
      if (limits.length > 0) await this.#tools.spool.limit(limits)
      await this.#tools.spool.deliver(attempt)
      return null
    } catch (error) {
      return `what it answered could not be written down: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  /** @param status of an answer that was not final; `null` where there was none, or where it could not be written down. */
  #backOff(owed: Waiting, status: number | null): void {
    this.#backlog.putBack(owed)
    // Of thirty posts that fail together the first starts the clock.
    if (this.#retryAt !== null) return
    this.#failures += 1
    // A refusal of the address itself is probed once a minute: nothing here mends it.
    const refused = status !== null && status >= 300 && status < 408
    const wait = refused ? LONGEST_WAIT_MS : waitAfter(this.#failures, this.#tools.random())
    this.#retryAt = this.#tools.now() + wait
    this.#cancelRetry = this.#tools.later(() => {
      this.#retryAt = null
      this.#pump()
    }, wait)
  }

  /** May one more be posted now? */
  #hasRoom(): boolean {
    // After a failure one probe goes first.
    const window = this.#failures > 0 ? 1 : this.#tools.isIntakeBusy() ? FEW_POSTS : OPEN_POSTS
    return this.#retryAt === null && this.#open.size < window && this.#openBytes() < OPEN_BYTES
  }

  #openBytes(): number {
    let bytes = 0
    for (const size of this.#open.values()) bytes += size
    return bytes
  }
}

/** What came of a post, ready to be written down. */
interface Made {
  readonly attempt: Attempt
  readonly limits: readonly StoredLimit[]
}
