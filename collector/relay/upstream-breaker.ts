import { parseRetryAfter } from '../../lib/protocol/rate-limits'
import type { StartTimer } from '../../lib/time'
import type { UpstreamState } from '../../lib/wire/overview'

export const FIRST_WAIT_MS = 1000
export const LONGEST_WAIT_MS = 60_000
const GROWTH = 1.5
/** Characters of an upstream's answer that a message quotes. */
const QUOTED_CHARS = 200

export type LastAnswer = NonNullable<UpstreamState['last']>

export interface BreakerTools {
  readonly now: () => number
  readonly random: () => number
  readonly later: StartTimer
}

/**
 * After a failure (no answer, or one like 503) it waits, each time longer; after a refused DSN (401, 403, 404,
 * redirects) a minute. Then it allows one probe, and closes again when that probe is answered.
 */
export class UpstreamBreaker {
  readonly #tools: BreakerTools
  readonly #onRetry: () => void
  readonly #onPause: (paused: UpstreamState['paused']) => void
  /** A DSN that is refused, then unreachable, then refused again is reported as one pause. */
  #isPauseReported = false
  #failures = 0
  #paused: UpstreamState['paused'] = null
  #cause: LastAnswer | null = null
  #retryAt: number | null = null
  #cancel: () => void = () => undefined

  /** @param onPause the DSN is refused, or accepted again (`null`). Called once per pause, not once per probe. */
  constructor(tools: BreakerTools, onRetry: () => void, onPause: (paused: UpstreamState['paused']) => void) {
    this.#tools = tools
    this.#onRetry = onRetry
    this.#onPause = onPause
  }

  /** When the next probe goes, ms since the epoch; `null` while posts may go. */
  get retryAt(): number | null {
    return this.#retryAt
  }

  /** Since when and with which answer the DSN is refused; `null` where it is not. */
  get paused(): UpstreamState['paused'] {
    return this.#paused
  }

  /** The answer, or the lack of one, that began the current wait; `null` while posts may go. */
  get cause(): LastAnswer | null {
    return this.#retryAt === null ? null : this.#cause
  }

  get mayPost(): boolean {
    return this.#retryAt === null
  }

  /** The next post is a probe: it goes alone. */
  get isProbing(): boolean {
    return this.#failures > 0 || this.#paused !== null
  }

  state(open: number, last: UpstreamState['last']): Pick<UpstreamState, 'state' | 'paused' | 'retryAt' | 'last'> {
    const state = this.#retryAt !== null ? 'backing_off' : open > 0 ? 'relaying' : 'idle'
    const paused = this.#paused
    return { state: paused !== null ? 'paused' : state, paused, retryAt: this.#retryAt, last: this.cause ?? last }
  }

  /**
   * @param cause kept during the wait: posts from before it are answered meanwhile.
   * @param retryAfter upstream's `Retry-After`, if any: it can lengthen the wait, up to the longest.
   */
  failed(cause: LastAnswer, retryAfter: string | null = null): void {
    // When thirty posts fail together, the first one starts the wait.
    if (this.#retryAt !== null) return
    this.#paused = null
    this.#cause = cause
    this.#failures += 1
    const wait = waitAfter(this.#failures, this.#tools.random())
    const now = this.#tools.now()
    const requested = retryAfter?.trim() ? parseRetryAfter(retryAfter, now) * 1000 : 0
    this.#waitFor(Math.max(wait, Math.min(requested, LONGEST_WAIT_MS)), now)
  }

  /** Opens the breaker because upstream refuses the DSN: only a person can fix that, and a probe each minute finds out. */
  refused(status: number, answer: string | null): void {
    // Thirty posts are refused together. A refusal during the wait after a failure says more than that failure.
    if (this.#retryAt !== null && this.#paused !== null) return
    this.#failures = 0
    this.#cause = null
    const now = this.#tools.now()
    this.#paused = { since: this.#paused?.since ?? now, status, answer }
    this.#waitFor(LONGEST_WAIT_MS, now)
    if (!this.#isPauseReported) this.#onPause(this.#paused)
    this.#isPauseReported = true
  }

  /** Closes the breaker after an answer. During a wait it ignores the answer: that post started before the failure. */
  answered(): void {
    if (this.#retryAt !== null) return
    this.#failures = 0
    this.#paused = null
    if (this.#isPauseReported) this.#onPause(null)
    this.#isPauseReported = false
  }

  /** Ends the wait: a probe may go at once. @returns whether there was a wait. */
  tryNow(): boolean {
    if (this.#retryAt === null || this.#retryAt === Number.POSITIVE_INFINITY) return false
    this.#cancel()
    this.#retryAt = null
    this.#onRetry()
    return true
  }

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

/**
 * 1 s after the first failure, growing by half up to a minute. Each wait is shortened by up to a fifth (`random`, 0 to
 * 1), so that several relays do not retry in step.
 */
export function waitAfter(failures: number, random: number): number {
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * GROWTH ** (failures - 1))
  return Math.round(wait * (1 - random * 0.2))
}

/** Status and answer of a paused upstream, on one line: `403 (no such project)`. */
export function quotedAnswer({ status, answer }: NonNullable<UpstreamState['paused']>): string {
  const text = (answer ?? '')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, QUOTED_CHARS)
  return text === '' ? String(status) : `${status} (${text})`
}

/** The line for the terminal when an upstream is paused, and when its pause ends (`null`). @param refused by upstream */
export const pauseMessage = (
  label: string,
  paused: UpstreamState['paused'],
  refused: 'DSN' | 'address' = 'DSN',
): string =>
  paused === null
    ? `${label} accepts posts again; pending envelopes are relayed`
    : `${label} is paused: it answers ${quotedAnswer(paused)}, which refuses the ${refused} and not one envelope; pending envelopes stay stored, and one probe goes each minute`
