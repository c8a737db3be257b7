import { type StartTimer, sleep } from '../time'

/** The clock of a recording. Tests pass one that they control. */
export interface Clock {
  /** Monotonic time in ms. */
  readonly now: () => number
  /** ms since the epoch. */
  readonly today: () => number
  readonly startTimer: StartTimer
}

// Captured when this module is loaded, because tests may replace the timers of the program under test.
const { setTimeout, clearTimeout } = globalThis
const monotonic = performance.now.bind(performance)
const today = Date.now

export const SYSTEM_CLOCK: Clock = {
  now: monotonic,
  today,
  startTimer: (work, ms) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves after `ms`, or earlier when the signal aborts. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  sleep(ms, signal, clock.startTimer)

export const errorMessage = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
