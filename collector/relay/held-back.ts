import type { Owed } from '../store/read-owed'
import type { ConditionTools } from './condition'

/** Ends that are this near each other are one: an end is told in ms, and 10,000 timers would tell no more than one. */
const GRAIN_MS = 1000

/**
 * Records that wait until a time, for the end of a limit or by themselves: their numbers and sizes alone. How long is
 * reckoned when they are put aside, so that a clock that is set meanwhile neither shortens nor prolongs it.
 */
export class HeldBack {
  readonly #tools: Pick<ConditionTools, 'now' | 'later'>
  readonly #onEnd: (freed: readonly Owed[]) => void
  readonly #seqs = new Set<number>()
  readonly #groups = new Map<number, { readonly waiting: Owed[]; readonly cancel: () => void }>()

  /** @param onEnd these may go on: they are not kept here any more. */
  constructor(tools: Pick<ConditionTools, 'now' | 'later'>, onEnd: (freed: readonly Owed[]) => void) {
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
  add({ seq, bytes }: Owed, until: number): void {
    this.#seqs.add(seq)
    const end = Math.ceil(until / GRAIN_MS)
    const group = this.#groups.get(end)
    if (group !== undefined) {
      group.waiting.push({ seq, bytes })
      return
    }
    const wait = Math.max(end * GRAIN_MS - this.#tools.now(), GRAIN_MS)
    this.#groups.set(end, { waiting: [{ seq, bytes }], cancel: this.#tools.later(() => this.#free(end), wait) })
  }

  /** They stay owed, and nobody waits for them any more. */
  end(): void {
    for (const { cancel } of this.#groups.values()) cancel()
    this.#groups.clear()
    this.#seqs.clear()
  }

  #free(end: number): void {
    const freed = this.#groups.get(end)?.waiting ?? []
    this.#groups.delete(end)
    for (const { seq } of freed) this.#seqs.delete(seq)
    this.#onEnd(freed)
  }
}
