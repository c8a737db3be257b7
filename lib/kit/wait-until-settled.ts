import { checkMs, checkNames } from './check-options'
import { type Clock, pause } from './clock'
import type { Follower } from './collector'

export const IDLE_MS = 300
export const SETTLE_MS = 5_000
/** The last read starts when the time is over and may take this long. */
const LAST_ANSWER_MS = 500

export interface SettleOptions {
  /** ms without new telemetry of this recording; 300 by default. 0 only reads what is recorded now. */
  readonly idle?: number
  /** Time-out in ms; by default 5,000 or twice `idle`, whichever is longer. */
  readonly timeout?: number
  /** `true` keeps the test's pages open. By default Playwright closes them first, because pages send telemetry while they close. */
  readonly keepPages?: boolean
}

const OPTIONS = ['idle', 'timeout', 'keepPages']

/** @throws TypeError for unknown or invalid options */
export function readSettleOptions(
  options: SettleOptions,
  defaultIdle: number,
): { readonly idle: number; readonly timeout: number } {
  checkNames('settle', options, OPTIONS)
  const { idle = defaultIdle } = options
  const { timeout = Math.max(SETTLE_MS, idle * 2) } = options
  checkMs('settle: idle', idle, 0)
  checkMs('settle: timeout', timeout)
  return { idle, timeout }
}

export interface Settled {
  readonly settled: boolean
  readonly waitedMs: number
  readonly message: string
}

export interface SettledWaitPlan {
  readonly follower: Pick<Follower, 'readToHead'>
  /** Requests a flush of the servers that follow the collector. */
  readonly flush: (until: AbortSignal) => Promise<void>
  /** Why nothing more will come; `null` while more may. */
  readonly endReason: () => string | null
  readonly clock: Clock
  /** When telemetry of this recording arrived last, by the clock; `null` without any. */
  readonly lastCame: () => number | null
  readonly defaultIdle: number
  /** Reports whether the journal was read up to its head. */
  readonly onRead: (isAll: boolean) => void
}

/**
 * Waits until telemetry settles: the journal was read up to its head, and nothing of this recording arrived for the idle
 * time. Idle time starts with the call, because the latest action may not have sent anything yet. Telemetry of other tests
 * does not extend the wait, nor does a frozen collector.
 */
export function createWaitUntilSettled(plan: SettledWaitPlan): (options?: SettleOptions) => Promise<Settled> {
  const { follower, endReason, clock, lastCame, onRead } = plan
  return async (options = {}) => {
    const { idle, timeout } = readSettleOptions(options, plan.defaultIdle)
    const began = clock.now()
    const late = new AbortController()
    const cancel = clock.startTimer(() => late.abort(), timeout + LAST_ANSWER_MS)
    try {
      if (idle > 0) await plan.flush(late.signal)
      for (;;) {
        const isAll = await follower.readToHead(late.signal)
        const now = clock.now()
        const waitedMs = Math.round(now - began)
        const why = endReason()
        if (why !== null) return { settled: false, waitedMs, message: why }
        onRead(isAll)
        if (!isAll) return { settled: false, waitedMs, message: `the collector did not answer within ${waitedMs} ms` }
        const came = lastCame() ?? began
        const idleSince = Math.max(began, came)
        if (now - idleSince >= idle) return { settled: true, waitedMs, message: `nothing arrived for ${idle} ms` }
        if (now - began >= timeout)
          return { settled: false, waitedMs, message: timeoutMessage(idle, timeout, came > began) }
        await pause(clock, Math.max(1, Math.min(idleSince + idle, began + timeout) - now))
      }
    } finally {
      cancel()
    }
  }
}

const timeoutMessage = (idle: number, timeout: number, hasCome: boolean): string =>
  hasCome
    ? `telemetry still arrived after ${timeout} ms; it was never idle for ${idle} ms`
    : `nothing arrived, but the time-out of ${timeout} ms is shorter than the idle time of ${idle} ms`

export interface ExpectationTracker {
  readonly keep: <Judged>(judged: Promise<Judged>) => Promise<Judged>
  /** Resolves when none is running, and unhandled rejections were reported. */
  readonly none: () => Promise<void>
}

export function trackExpectations(): ExpectationTracker {
  const open = new Set<Promise<unknown>>()
  return {
    keep: (judged) => {
      open.add(judged)
      const remove = (): boolean => open.delete(judged)
      judged.then(remove, remove)
      return judged
    },
    none: async () => {
      if (open.size === 0) return
      await Promise.allSettled(open)
      // Node reports unhandled rejections at the end of the turn.
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}
