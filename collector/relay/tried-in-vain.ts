/**
 * Records that were posted and stayed pending, where that may be their own doing: too long for its time on this line, or
 * refused by a firewall for what it holds. One of those must not keep the others from upstream. So whoever was tried in
 * vain twice is no probe while there are others; and where upstream took others between two tries of one, it is that
 * one's own matter.
 */
export class FailingRecords {
  readonly #tries = new Map<number, { readonly many: number; readonly order: number; readonly taken: number }>()
  #order = 0
  #taken = 0

  /** It stays pending. @returns did upstream take others since it was tried last? */
  again(seq: number): boolean {
    const last = this.#tries.get(seq)
    this.#order += 1
    this.#tries.set(seq, { many: (last?.many ?? 0) + 1, order: this.#order, taken: this.#taken })
    return last !== undefined && last.taken < this.#taken
  }

  /** Upstream answered another for good. */
  taken(): void {
    this.#taken += 1
  }

  /** Nothing more is to be done for it. */
  forget(seq: number): void {
    this.#tries.delete(seq)
  }

  /** The least goes first as a probe: who was tried once or never, the oldest of them; then who was tried longest ago. */
  rank(seq: number): number {
    const tries = this.#tries.get(seq)
    return tries === undefined || tries.many < 2 ? 0 : tries.order
  }
}
