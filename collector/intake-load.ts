import { performance } from 'node:perf_hooks'

/** So often it is looked. */
const LOOK_MS = 100
/** Of its time the main thread had something to do. */
const BUSY_SHARE = 0.9
/** And that was intake, not a relay that works off its backlog. */
const BUSY_ENVELOPES = 20

export interface IntakeLoad {
  /** An envelope was received. */
  readonly received: () => void
  /** One cell: 1 while intake has its hands full. Other threads read it without being told. */
  readonly cell: Int32Array<SharedArrayBuffer>
  readonly stop: () => void
}

/** Watches whether intake has all that the main thread can give, so that what can wait gives way to it. */
export function watchIntake(): IntakeLoad {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let envelopes = 0
  let last = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    Atomics.store(cell, 0, utilization > BUSY_SHARE && envelopes >= BUSY_ENVELOPES ? 1 : 0)
    last = now
    envelopes = 0
  }, LOOK_MS)
  return {
    received: () => {
      envelopes += 1
    },
    cell,
    stop: () => clearInterval(timer),
  }
}
