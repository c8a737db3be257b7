import { parseRetryAfter } from '../../lib/protocol/upstream-answer'
import type { UpstreamState } from '../../lib/wire/overview'
import { LONGEST_WAIT_MS, waitAfter } from './backoff'

/** What a post came to: an answer, or the lack of one. */
export type LastAnswer = NonNullable<UpstreamState['last']>

export interface BreakerTools {
  /** ms since the epoch. */
  readonly now: () => number
  /** 0 to 1. */
  readonly random: () => number
  /** Runs work later; returns how to take it back. */
  readonly later: (work: () => void, ms: number) => () => void
}

/**
 * Whether an upstream takes envelopes. It is away (no answer, or one that says "not now": back off, each time longer), it
 * refuses us (an answer that speaks of the DSN: ask again once a minute), or it is well. After either a single probe
 * goes first: only when that is answered for good does the window open again.
 */
export class CircuitBreaker {
  readonly #tools: BreakerTools
  readonly #onRetry: () => void
  readonly #onPause: (paused: UpstreamState['paused']) => void
  /** The last that was told: one that refuses us, and then is not there, and refuses us again, is paused once. */
  #isToldPaused = false
  #failures = 0
  #paused: UpstreamState['paused'] = null
  #why: LastAnswer | null = null
  #retryAt: number | null = null
  #cancel: () => void = () => undefined

  /**
   * @param onRetry the wait is over: a probe may go.
   * @param onPause it began to refuse us, or takes what it is sent again (`null`); not once per probe.
   */
  constructor(tools: BreakerTools, onRetry: () => void, onPause: (paused: UpstreamState['paused']) => void) {
    this.#tools = tools
    this.#onRetry = onRetry
    this.#onPause = onPause
  }

  /** When the next probe goes, ms since the epoch; `null` when nothing has to wait. */
  get retryAt(): number | null {
    return this.#retryAt
  }

  /** Since when and in which words it refuses us; `null` where it does not. */
  get paused(): UpstreamState['paused'] {
    return this.#paused
  }

  /** What it is waited for: the answer, or the lack of one, that began the wait; `null` when nothing has to wait. */
  get why(): LastAnswer | null {
    return this.#retryAt === null ? null : this.#why
  }

  /** As a person is told of it. @param last the last answer, or the lack of one. */
  told(open: number, last: UpstreamState['last']): Pick<UpstreamState, 'state' | 'paused' | 'retryAt' | 'last'> {
    const state = this.#retryAt !== null ? 'backing_off' : open > 0 ? 'relaying' : 'idle'
    const paused = this.#paused
    return { state: paused !== null ? 'paused' : state, paused, retryAt: this.#retryAt, last: this.why ?? last }
  }

  get mayPost(): boolean {
    return this.#retryAt === null
  }

  /** Whoever goes next is a probe, and goes alone. */
  get isProbing(): boolean {
    return this.#failures > 0 || this.#paused !== null
  }

  /**
   * @param why kept while it is waited: posts from before it are answered meanwhile, and say nothing of it.
   * @param retryAfter upstream's own word for how long, where it gave one: it can lengthen the wait up to the longest.
   */
  failed(why: LastAnswer, retryAfter: string | null = null): void {
    // Of thirty posts that fail together the first starts the clock.
    if (this.#retryAt !== null) return
    this.#paused = null
    this.#why = why
    this.#failures += 1
    const wait = waitAfter(this.#failures, this.#tools.random())
    const now = this.#tools.now()
    const asked = retryAfter?.trim() ? parseRetryAfter(retryAfter, now) * 1000 : 0
    this.#waitFor(Math.max(wait, Math.min(asked, LONGEST_WAIT_MS)), now)
  }

  /** It refuses us, whatever we send. Nothing here mends it, and a probe a minute finds out when somebody did. */
  refused(status: number, answer: string | null): void {
    // Thirty posts are refused together; one that is refused after others found nobody says more than they did.
    if (this.#retryAt !== null && this.#paused !== null) return
    this.#failures = 0
    this.#why = null
    const now = this.#tools.now()
    this.#paused = { since: this.#paused?.since ?? now, status, answer }
    this.#waitFor(LONGEST_WAIT_MS, now)
    if (!this.#isToldPaused) this.#onPause(this.#paused)
    this.#isToldPaused = true
  }

  /** It answered for good. While a wait is on, that is one of the posts from before it: a probe has to go all the same. */
  answered(): void {
    if (this.#retryAt !== null) return
    this.#failures = 0
    this.#paused = null
    if (this.#isToldPaused) this.#onPause(null)
    this.#isToldPaused = false
  }

  /** Somebody knows better than the wait: a probe may go at once. @returns whether there was anything to wait for. */
  tryNow(): boolean {
    if (this.#retryAt === null || this.#retryAt === Number.POSITIVE_INFINITY) return false
    this.#cancel()
    this.#retryAt = null
    this.#onRetry()
    return true
  }

  /** Nothing is to be posted any more. */
  end(): void {
    this.#cancel()
    this.#retryAt = Number.POSITIVE_INFINITY
  }

  #waitFor(ms: number, now: number): void {
    if (this.#retryAt === Number.POSITIVE_INFINITY) return
    this.#cancel()
    this.#retryAt = now + ms
    this.#cancel = this.#tools.later(() => {
      this.#retryAt = null
      this.#onRetry()
    }, ms)
  }
}
