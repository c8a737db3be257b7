import type { ConditionTools } from './condition'

/** Ends that are this near each other are one: an end is told in ms, and 10,000 timers would tell no more than one. */
const GRAIN_MS = 1000

/**
 * Records that wait for the end of a limit, by their numbers alone. How long is reckoned when they are put aside, so that
 * a clock that is set meanwhile neither shortens nor prolongs it.
 */
export class HeldBack {
  readonly #tools: Pick<ConditionTools, 'now' | 'later'>
  readonly #onEnd: (first: number) => void
  readonly #seqs = new Set<number>()
  readonly #groups = new Map<number, { readonly seqs: number[]; readonly cancel: () => void }>()

  /** @param onEnd what waited may go on; the oldest of it is this. */
  constructor(tools: Pick<ConditionTools, 'now' | 'later'>, onEnd: (first: number) => void) {
    this.#tools = tools
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#seqs.size
  }

  has(seq: number): boolean {
    return this.#seqs.has(seq)
  }

  /** @param until ms since the epoch. */
  add(seq: number, until: number): void {
    this.#seqs.add(seq)
    const end = Math.ceil(until / GRAIN_MS)
    const group = this.#groups.get(end)
    if (group !== undefined) {
      group.seqs.push(seq)
      return
    }
    const wait = Math.max(end * GRAIN_MS - this.#tools.now(), GRAIN_MS)
    this.#groups.set(end, { seqs: [seq], cancel: this.#tools.later(() => this.#free(end), wait) })
  }

  /** They stay owed, and nobody waits for them any more. */
  end(): void {
    for (const { cancel } of this.#groups.values()) cancel()
    this.#groups.clear()
    this.#seqs.clear()
  }

  #free(end: number): void {
    const seqs = this.#groups.get(end)?.seqs ?? []
    this.#groups.delete(end)
    for (const seq of seqs) this.#seqs.delete(seq)
    const first = seqs.reduce((least, seq) => Math.min(least, seq), Number.POSITIVE_INFINITY)
    if (seqs.length > 0) this.#onEnd(first)
  }
}
