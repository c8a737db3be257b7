import type { Clock } from '../../../lib/kit/clock'

export interface ManualClock extends Clock {
  /** Advances the time in ms, and runs all due timers and their follow-ups. */
  readonly advance: (ms: number) => Promise<void>
}

/** A clock that only a test advances. */
export function manualClock(): ManualClock {
  let now = 1_000
  const due = new Map<() => void, number>()
  return {
    now: () => now,
    today: () => Date.parse('2026-11-20T10:00:00Z') + now,
    startTimer: (work, ms) => {
      const once = (): void => work()
      due.set(once, now + ms)
      return () => due.delete(once)
    },
    advance: async (ms) => {
      const until = now + ms
      for (;;) {
        await everythingElse()
        const next = [...due].filter(([, at]) => at <= until).sort(([, one], [, other]) => one - other)[0]
        if (next === undefined) break
        due.delete(next[0])
        now = Math.max(now, next[1])
        next[0]()
      }
      now = until
      await everythingElse()
    },
  }
}

/** Resolves when all promises that need no timer have settled. */
export const everythingElse = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A clock that advances by itself: timers fire as soon as everything else is done. */
export function hastyClock(): Clock {
  let now = 1_000
  const due = new Map<() => void, number>()
  const next = (): void => {
    const first = [...due].sort(([, one], [, other]) => one - other)[0]
    if (first === undefined) return
    due.delete(first[0])
    now = Math.max(now, first[1])
    first[0]()
  }
  return {
    now: () => now,
    today: () => Date.parse('2026-11-20T10:00:00Z'),
    startTimer: (work, ms) => {
      const once = (): void => work()
      due.set(once, now + ms)
      setImmediate(next)
      return () => due.delete(once)
    },
  }
}
