import { type Clock, pause } from './clock'
import type { Follower } from './follow'

/** Nothing for so long counts as quiet. */
export const QUIET_MS = 300
/** So long quiet is waited for at most. */
export const SETTLE_MS = 5_000

export interface SettleOptions {
  /** ms in which nothing of this recording may come; 300 when left out. */
  readonly quiet?: number
  /** ms for which that is waited for at most; 5,000 when left out. */
  readonly timeout?: number
}

/** What settling came to. */
export interface Settled {
  readonly settled: boolean
  readonly waitedMs: number
  /** What it waited for, and why that did not come: a sentence for a person. */
  readonly sentence: string
}

export interface SettlePlan {
  readonly follower: Pick<Follower, 'readToHead' | 'lost'>
  readonly clock: Clock
  /** When something of this recording came last, by the clock; `null` when nothing did. */
  readonly lastCame: () => number | null
}

/**
 * Waits until it is quiet: up to the head of the journal everything was read, and of this recording nothing came for a
 * while, counted from when it was asked: what was caused just before has yet to be sent. What others send does not keep
 * it waiting.
 */
export function createSettle({ follower, clock, lastCame }: SettlePlan): (options?: SettleOptions) => Promise<Settled> {
  return async ({ quiet = QUIET_MS, timeout = SETTLE_MS } = {}) => {
    const began = clock.now()
    await follower.readToHead()
    for (;;) {
      const now = clock.now()
      const waitedMs = Math.round(now - began)
      const lost = follower.lost()
      if (lost !== null) return { settled: false, waitedMs, sentence: `nothing more can be read: ${lost}` }
      const quietSince = Math.max(began, lastCame() ?? began)
      if (now - quietSince >= quiet) return { settled: true, waitedMs, sentence: `nothing came for ${quiet} ms` }
      if (now - began >= timeout)
        return {
          settled: false,
          waitedMs,
          sentence: `something still came after ${timeout} ms: it was never quiet for ${quiet} ms`,
        }
      await pause(clock, Math.max(1, Math.min(quietSince + quiet, began + timeout) - now))
      await follower.readToHead()
    }
  }
}
