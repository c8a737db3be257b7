import type { Clock } from '../../../lib/kit/clock'

export interface ManualClock extends Clock {
  /** Goes on by so many ms, and lets everything happen that is due and what follows from it. */
  readonly advance: (ms: number) => Promise<void>
}

/** Time that stands still until a test moves it. */
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

/** Resolves when every promise that can go on without time has gone on. */
export const everythingElse = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time that goes on by itself, as fast as everything else is done: what waits half a second waits no time at all. */
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
