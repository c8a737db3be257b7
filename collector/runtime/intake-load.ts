/** Background work pauses for this long at most; it may pause again for as long as intake was idle since. */
const MAX_PAUSE_MS = 10_000
export const SAMPLE_MS = 100
/** The lower end avoids flapping: pausing background work makes intake faster, which would resume that work. */
const BUSY_WAITING = { from: 24, until: 10 }
/** Or when the main thread is busy for this share of its time, */
const BUSY_SHARE = { from: 0.9, until: 0.8 }
/** and received this many envelopes in one sample (otherwise the relay is the load). */
const BUSY_ENVELOPES = 20

export interface IntakeLoad {
  readonly measure: <Value>(append: Promise<Value>) => Promise<Value>
  /** One shared cell for other threads: 1 while background work should pause. */
  readonly cell: Int32Array<SharedArrayBuffer>
  readonly isBusy: () => boolean
  readonly onIdle: (listener: () => void) => void
  readonly stop: () => void
}

/**
 * Background work (digester, relay) pauses while intake needs the machine.
 * @param given.busyShare the utilisation of this thread since the last call, from 0 to 1
 * @param given.monotonic a clock in ms that never goes back
 */
export function watchIntake(given: {
  readonly busyShare: () => number
  readonly repeat: (work: () => void, ms: number) => () => void
  readonly monotonic: () => number
}): IntakeLoad {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let envelopes = 0
  let waitedMs = 0
  let wasBusy = false
  let pausedMs = 0
  const listeners: (() => void)[] = []
  const stop = given.repeat(() => {
    // Little's law: the average number of waiting envelopes is their total waiting time per sample time.
    const waiting = waitedMs / SAMPLE_MS
    const share = given.busyShare()
    const edge = wasBusy ? 'until' : 'from'
    const isBusy = waiting >= BUSY_WAITING[edge] || (share > BUSY_SHARE[edge] && envelopes >= BUSY_ENVELOPES)
    const now = isBusy && pausedMs < MAX_PAUSE_MS ? 1 : 0
    if (now === 1) pausedMs += SAMPLE_MS
    else if (!isBusy) pausedMs = Math.max(0, pausedMs - SAMPLE_MS)
    wasBusy = isBusy
    const before = Atomics.exchange(cell, 0, now)
    envelopes = 0
    waitedMs = 0
    if (before > now) for (const listener of listeners) listener()
  }, SAMPLE_MS)
  return {
    measure: async (append) => {
      const began = given.monotonic()
      try {
        return await append
      } finally {
        envelopes += 1
        waitedMs += given.monotonic() - began
      }
    },
    cell,
    isBusy: () => Atomics.load(cell, 0) === 1,
    onIdle: (listener) => listeners.push(listener),
    stop,
  }
}

/** Each batch has a fixed cost: while envelopes keep coming they are collected for this long. */
const GATHER_MS = 20
const POLL_MS = 50

/**
 * Decides when a thread runs its next batch: at once when idle, collected under load, later while `cell` is 1.
 * @param given.cell that of `watchIntake` @param given.monotonic a clock in ms that never goes back
 */
export function createPace(given: { readonly cell: Int32Array; readonly monotonic: () => number }): {
  /** Notes the end of a batch. @param more another one can follow at once */
  readonly stepped: (more: boolean) => void
  /** Until the next batch, in ms. */
  readonly delay: () => number
} {
  let steppedAt = Number.NEGATIVE_INFINITY
  let hasMore = false
  return {
    stepped: (more) => {
      steppedAt = given.monotonic()
      hasMore = more
    },
    delay: () => {
      if (Atomics.load(given.cell, 0) === 1) return POLL_MS
      return hasMore ? 0 : Math.max(0, steppedAt + GATHER_MS - given.monotonic())
    },
  }
}
