import { checkMs, checkNames } from './check-options'
import { type Clock, pause } from './clock'
import type { Follower } from './collector'

/** Nothing for so long counts as quiet. */
export const QUIET_MS = 300
/** So long quiet is waited for at most. */
export const SETTLE_MS = 5_000
/** The last look begins when the time is over; so long its answer may take. */
const LAST_ANSWER_MS = 500

export interface SettleOptions {
  /** ms in which nothing of this recording may come; 300 when left out. 0 waits for nothing, and reads what is recorded by now. */
  readonly quiet?: number
  /** ms for which that is waited for at most; 5,000 when left out, and not less than twice `quiet`. */
  readonly timeout?: number
  /** `true` leaves the test's pages open, which are closed first in Playwright: what a page has not sent yet is not in then. */
  readonly keepPages?: boolean
}

const OPTIONS = ['quiet', 'timeout', 'keepPages']

/** @throws TypeError where an option is none, or is wrong */
export function readSettle(
  options: SettleOptions,
  defaultQuiet: number,
): { readonly quiet: number; readonly timeout: number } {
  checkNames('settle', options, OPTIONS)
  const { quiet = defaultQuiet } = options
  const { timeout = Math.max(SETTLE_MS, quiet * 2) } = options
  checkMs('settle: quiet', quiet, 0)
  checkMs('settle: timeout', timeout)
  return { quiet, timeout }
}

/** What settling came to. */
export interface Settled {
  readonly settled: boolean
  readonly waitedMs: number
  /** What it waited for, and why that did not come: a sentence for a person. */
  readonly sentence: string
}

export interface SettlePlan {
  readonly follower: Pick<Follower, 'readToHead'>
  /** Why nothing more will come; `null` while more may. */
  readonly over: () => string | null
  readonly clock: Clock
  /** When something of this recording came last, by the clock; `null` when nothing did. */
  readonly lastCame: () => number | null
  /** ms of quiet where nobody says. */
  readonly defaultQuiet: number
  /** Was all read that was recorded by then? `false` where the collector did not say. */
  readonly onRead: (isAll: boolean) => void
}

/**
 * Waits until it is quiet: up to the head of the journal everything was read, and of this recording nothing came for a
 * while, counted from when it was asked: what was caused just before has yet to be sent. What others send does not keep
 * it waiting, nor does a collector that no longer answers.
 */
export function createSettle(plan: SettlePlan): (options?: SettleOptions) => Promise<Settled> {
  const { follower, over, clock, lastCame, onRead } = plan
  return async (options = {}) => {
    const { quiet, timeout } = readSettle(options, plan.defaultQuiet)
    const began = clock.now()
    const late = new AbortController()
    const cancel = clock.later(timeout + LAST_ANSWER_MS, () => late.abort())
    try {
      for (;;) {
        const isAll = await follower.readToHead(late.signal)
        const now = clock.now()
        const waitedMs = Math.round(now - began)
        const why = over()
        if (why !== null) return { settled: false, waitedMs, sentence: why }
        onRead(isAll)
        if (!isAll) return { settled: false, waitedMs, sentence: `the collector did not answer within ${waitedMs} ms` }
        const came = lastCame() ?? began
        const quietSince = Math.max(began, came)
        if (now - quietSince >= quiet) return { settled: true, waitedMs, sentence: `nothing came for ${quiet} ms` }
        if (now - began >= timeout)
          return { settled: false, waitedMs, sentence: lateWords(quiet, timeout, came > began) }
        await pause(clock, Math.max(1, Math.min(quietSince + quiet, began + timeout) - now))
      }
    } finally {
      cancel()
    }
  }
}

const lateWords = (quiet: number, timeout: number, hasCome: boolean): string =>
  hasCome
    ? `something still came after ${timeout} ms: it was never quiet for ${quiet} ms`
    : `nothing came, but only ${timeout} ms were waited: that it is quiet for ${quiet} ms cannot be known by then`

/** Expectations that judge a recording just now. */
export interface Judging {
  /** Keeps one until it is judged. */
  readonly keep: <Judged>(judged: Promise<Judged>) => Promise<Judged>
  /** Resolves when none is left, and the process has told of what failed and nobody awaited. */
  readonly none: () => Promise<void>
}

export function createJudging(): Judging {
  const open = new Set<Promise<unknown>>()
  return {
    keep: (judged) => {
      open.add(judged)
      const over = (): boolean => open.delete(judged)
      judged.then(over, over)
      return judged
    },
    none: async () => {
      if (open.size === 0) return
      await Promise.allSettled(open)
      // It tells when its turn is over.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
