import { performance } from 'node:perf_hooks'

/** The share of its time, from 0 to 1, in which this thread had something to do since it was asked last. */
export function shareOfLoop(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/** Runs work every so many ms; returns how to end that. */
export function repeat(work: () => void, ms: number): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}

/** Runs work in so many ms; returns how to take it back. */
export function later(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}
