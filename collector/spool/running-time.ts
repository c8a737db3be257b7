import type { Counters } from './counters'

/**
 * How long the collector has been running, in all its lives, in ms. Age is counted by this: a clock that jumps, and a
 * machine that was off, age nothing.
 */
export class RunningTime {
  readonly #counters: Counters
  readonly #monotonic: () => number
  readonly #before: number
  readonly #startedAt: number

  /** @param monotonic ms that only ever grow, from whatever zero. */
  constructor(counters: Counters, monotonic: () => number) {
    this.#counters = counters
    this.#monotonic = monotonic
    this.#before = counters.get('ran_ms')
    this.#startedAt = monotonic()
  }

  get ran(): number {
    return Math.round(this.#before + this.#monotonic() - this.#startedAt)
  }

  /** Within a transaction. What ran since the last time is lost when the process is killed. */
  save(): void {
    this.#counters.set('ran_ms', this.ran)
  }
}
