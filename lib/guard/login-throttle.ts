/** So many failed logins cost nothing: people mistype. */
const FREE_FAILURES = 3
const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000
/** After this long without a failure, the count starts again. */
const FORGET_AFTER_MS = 10 * 60_000

export interface LoginThrottle {
  /** Milliseconds until the next attempt is judged; 0 when it is judged now. */
  readonly waitMs: () => number
  /** Counts a wrong token. @returns the number of failures in a row */
  readonly failed: () => number
  readonly succeeded: () => void
}

/**
 * Delays logins after failures, from the fourth on 1 s, then twice as long each time up to 30 s. All clients share one count,
 * because a client can forge its address.
 * @param monotonic milliseconds that never go back
 */
export function createLoginThrottle(monotonic: () => number): LoginThrottle {
  let failures = 0
  let failedAt = 0

  function delayMs(): number {
    const counted = failures - FREE_FAILURES
    return counted <= 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (counted - 1))
  }

  return {
    waitMs: () => Math.max(0, failedAt + delayMs() - monotonic()),
    failed() {
      if (monotonic() - failedAt >= FORGET_AFTER_MS) failures = 0
      failures += 1
      failedAt = monotonic()
      return failures
    },
    succeeded() {
      failures = 0
    },
  }
}
