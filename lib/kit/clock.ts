/** Time as a recording is given it. */
export interface Clock {
  /** ms that only ever grow. */
  readonly now: () => number
  /** ms since the epoch. */
  readonly today: () => number
  /** Does it once, so many ms from now. @returns what takes it back */
  readonly later: (ms: number, work: () => void) => () => void
}

// Taken when this is loaded: a test that replaces the timers of the program it tests must not stop the waiting.
const { setTimeout, clearTimeout } = globalThis
const monotonic = performance.now.bind(performance)
const today = Date.now

/** The process's own time. */
export const SYSTEM_CLOCK: Clock = {
  now: monotonic,
  today,
  later: (ms, work) => {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}

/** Resolves so many ms from now, or as soon as the signal ends it: whoever waits looks at that itself. */
export const pause = (clock: Clock, ms: number, until?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (until?.aborted) return resolve()
    const cancel = clock.later(ms, done)
    function done(): void {
      until?.removeEventListener('abort', stopped)
      resolve()
    }
    function stopped(): void {
      cancel()
      resolve()
    }
    until?.addEventListener('abort', stopped, { once: true })
  })

/** What went wrong, for a person: whatever was thrown, or given as the reason to stop. */
export const sentenceOf = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason))
