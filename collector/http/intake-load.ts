/** Others give way for so long in a row, then not again before intake has been at ease. */
const LONGEST_MS = 10_000
/** So often it is looked. */
export const LOOK_MS = 100
/**
 * So many envelopes wait at once for their commit, on average. It is busy until far fewer do: who gave way makes it quicker by
 * that, and would else come back each time just to be sent away again.
 */
const BUSY_WAITING = { from: 24, until: 10 }
/** Or of its time the main thread had something to do, */
const BUSY_SHARE = { from: 0.9, until: 0.8 }
/** and that was intake, not a relay that works off its backlog. */
const BUSY_ENVELOPES = 20

export interface IntakeLoad {
  /** Notes how long an envelope waits for its commit. */
  readonly note: <Value>(append: Promise<Value>) => Promise<Value>
  /** One cell: 1 while others should give way. Other threads read it without being told. */
  readonly cell: Int32Array<SharedArrayBuffer>
  readonly isBusy: () => boolean
  /** Runs when who gave way may go on. */
  readonly onEase: (listener: () => void) => void
  readonly stop: () => void
}

/**
 * Watches whether intake needs all that this machine can give, so that what can wait gives way to it.
 * @param given.busyShare the share of its time, from 0 to 1, in which this thread had something to do since it was asked last.
 * @param given.repeat runs work every so many ms; returns how to end that.
 * @param given.monotonic ms that only ever grow.
 */
export function watchIntake(given: {
  readonly busyShare: () => number
  readonly repeat: (work: () => void, ms: number) => () => void
  readonly monotonic: () => number
}): IntakeLoad {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  let envelopes = 0
  let waitedMs = 0
  let busyMs = 0
  const listeners: (() => void)[] = []
  const stop = given.repeat(() => {
    // Little's law: who waits at once, on average, is how long all waited by how long that took.
    const waiting = waitedMs / LOOK_MS
    const share = given.busyShare()
    const edge = busyMs > 0 ? 'until' : 'from'
    const isBusy = waiting >= BUSY_WAITING[edge] || (share > BUSY_SHARE[edge] && envelopes >= BUSY_ENVELOPES)
    busyMs = isBusy ? busyMs + LOOK_MS : 0
    const now = isBusy && busyMs <= LONGEST_MS ? 1 : 0
    const before = Atomics.exchange(cell, 0, now)
    envelopes = 0
    waitedMs = 0
    if (before > now) for (const listener of listeners) listener()
  }, LOOK_MS)
  return {
    note: async (append) => {
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
    onEase: (listener) => listeners.push(listener),
    stop,
  }
}
