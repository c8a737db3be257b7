import type { Schedule } from '../../../lib/tunnel/read-body'

/** A clock with timers that a test advances. */
export function manualClock() {
  let time = 1_700_000_000_000
  const waiting = new Set<{ readonly at: number; readonly work: () => void; readonly ms: number }>()
  const waits: number[] = []
  const schedule: Schedule = (work, ms) => {
    const timer = { at: time + ms, work, ms }
    waits.push(ms)
    waiting.add(timer)
    return () => waiting.delete(timer)
  }
  return {
    now: () => time,
    schedule,
    /** All scheduled waits, in ms. */
    waits,
    waiting: () => [...waiting].map(({ ms }) => ms),
    advance(ms: number): void {
      time += ms
      for (const timer of [...waiting]) {
        if (timer.at > time) continue
        waiting.delete(timer)
        timer.work()
      }
    },
  }
}
