/**
 * Records that were posted and stayed owed. One of them may be the reason itself: too long for its time on this line, or
 * refused by a firewall for what it holds. It must not keep the others from upstream, so the probe that goes first after
 * an outage is another each time; and where upstream took others between two tries of one, it is that one's own matter.
 */
export class TriedInVain {
  readonly #tries = new Map<number, { readonly order: number; readonly taken: number }>()
  #order = 0
  #taken = 0

  /** It stays owed. @returns did upstream take others since it was tried last? */
  again(seq: number): boolean {
    const last = this.#tries.get(seq)
    this.#order += 1
    this.#tries.set(seq, { order: this.#order, taken: this.#taken })
    return last !== undefined && last.taken < this.#taken
  }

  /** Upstream answered it for good. */
  taken(): void {
    this.#taken += 1
  }

  /** Nothing more is to be done for it. */
  forget(seq: number): void {
    this.#tries.delete(seq)
  }

  /** The least goes first as a probe: who was never tried, then who was tried longest ago. */
  rank(seq: number): number {
    return this.#tries.get(seq)?.order ?? 0
  }
}
