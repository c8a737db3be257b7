import { performance } from 'node:perf_hooks'

/** So often it is looked. */
const LOOK_MS = 100
/** So many envelopes wait at once for their commit, on average. */
const BUSY_WAITING = 24
/** Or of its time the main thread had something to do, */
const BUSY_SHARE = 0.9
/** and that was intake, not a relay that works off its backlog. */
const BUSY_ENVELOPES = 20

export interface IntakeLoad {
  /** Notes how long an envelope waits for its commit. */
  readonly note: <Value>(append: Promise<Value>) => Promise<Value>
  /** One cell: 1 while intake has its hands full. Other threads read it without being told. */
  readonly cell: Int32Array<SharedArrayBuffer>
  readonly stop: () => void
}

/** Watches whether intake needs all that this machine can give, so that what can wait gives way to it. */
export function watchIntake(): IntakeLoad {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let envelopes = 0
  let waitedMs = 0
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    // Little's law: who waits at once, on average, is how long all waited by how long that took.
    const waiting = waitedMs / LOOK_MS
    const isBusy = waiting >= BUSY_WAITING || (utilization > BUSY_SHARE && envelopes >= BUSY_ENVELOPES)
    Atomics.store(cell, 0, isBusy ? 1 : 0)
    last = now
    envelopes = 0
    waitedMs = 0
  }, LOOK_MS)
  return {
    note: async (append) => {
      const began = performance.now()
      try {
        return await append
      } finally {
        envelopes += 1
        waitedMs += performance.now() - began
      }
    },
    cell,
    stop: () => clearInterval(timer),
  }
}
