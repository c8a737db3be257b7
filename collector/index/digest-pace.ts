/** Each batch has a fixed cost: while envelopes keep coming they are collected for this long. */
const GATHER_MS = 20
const POLL_MS = 50
/** The digest yields to busy intake for at most this long, then it catches up. */
export const MAX_LAG_MS = 10_000

/** Decides when the next batch runs: at once when idle, collected under load, later while intake is busy. */
export class Pace {
  readonly #isIntakeBusy: () => boolean
  readonly #monotonic: () => number
  #steppedAt = Number.NEGATIVE_INFINITY
  #hasMore = false
  /** Start of the current yielding; `null` when the digest does not yield or has caught up since. */
  #yieldsSince: number | null = null

  constructor(parts: { readonly isIntakeBusy: () => boolean; readonly monotonic: () => number }) {
    this.#isIntakeBusy = parts.isIntakeBusy
    this.#monotonic = parts.monotonic
  }

  stepped(more: boolean): void {
    this.#steppedAt = this.#monotonic()
    this.#hasMore = more
    if (!more) this.#yieldsSince = null
  }

  /** In ms. */
  delay(): number {
    const now = this.#monotonic()
    if (this.#isIntakeBusy()) {
      this.#yieldsSince ??= now
      if (now - this.#yieldsSince < MAX_LAG_MS) return POLL_MS
    }
    return this.#hasMore ? 0 : Math.max(0, this.#steppedAt + GATHER_MS - now)
  }
}
