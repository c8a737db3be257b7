/** What is in hand to be posted: so much of it that nothing more may be begun, or none, when everybody can go. */
export class OpenPosts {
  readonly #bytesOf = new Map<number, number>()
  readonly #mostBytes: number
  #bytes = 0
  #idle: (() => void)[] = []

  /** @param mostBytes from here on nothing more is begun. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get size(): number {
    return this.#bytesOf.size
  }

  has(seq: number): boolean {
    return this.#bytesOf.has(seq)
  }

  /** @param window so many at most. */
  hasRoom(window: number): boolean {
    return this.#bytesOf.size < window && this.#bytes < this.#mostBytes
  }

  begin({ seq, bytes }: { readonly seq: number; readonly bytes: number }): void {
    this.#bytesOf.set(seq, bytes)
    this.#bytes += bytes
  }

  end(seq: number): void {
    this.#bytes -= this.#bytesOf.get(seq) ?? 0
    this.#bytesOf.delete(seq)
    if (this.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Resolves when nothing is in hand any more. */
  async whenNone(): Promise<void> {
    if (this.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }
}
