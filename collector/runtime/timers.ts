import { performance } from 'node:perf_hooks'

/** Returns a function that returns how busy this thread's event loop was since the last call, from 0 to 1. */
export function shareOfLoop(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

export function repeat(work: () => void, ms: number): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}
