/** Each batch has its cost, however small: while envelopes keep coming they are gathered for so long. */
const GATHER_MS = 20
/** So often it is asked whether intake still has its hands full. */
const ASK_MS = 50
/** Giving way to intake ends after so long: then the rows catch up, whoever waits. */
export const MAX_LAG_MS = 10_000

/** When the next batch is digested: at once where nothing is going on, gathered under load, later while intake is busy. */
export class Pace {
  readonly #isIntakeBusy: () => boolean
  readonly #monotonic: () => number
  #steppedAt = Number.NEGATIVE_INFINITY
  #isBehind = false
  /** Since when it gives way; `null` when it does not, or has caught up since. */
  #gaveWayAt: number | null = null

  constructor(parts: { readonly isIntakeBusy: () => boolean; readonly monotonic: () => number }) {
    this.#isIntakeBusy = parts.isIntakeBusy
    this.#monotonic = parts.monotonic
  }

  /** A batch was digested. @param more there is more to do at once. */
  stepped(more: boolean): void {
    this.#steppedAt = this.#monotonic()
    this.#isBehind = more
    if (!more) this.#gaveWayAt = null
  }

  /** For how many ms the next batch has to wait. */
  wait(): number {
    const now = this.#monotonic()
    if (this.#isIntakeBusy()) {
      this.#gaveWayAt ??= now
      if (now - this.#gaveWayAt < MAX_LAG_MS) return ASK_MS
    }
    return this.#isBehind ? 0 : Math.max(0, this.#steppedAt + GATHER_MS - now)
  }
}
