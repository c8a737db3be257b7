/** So much of the log the ballast makes room for. */
const COVERED_BYTES = 4 * 1024 * 1024
/** Rows and outcomes take some meanwhile. */
const BESIDE_BYTES = 2 * 1024 * 1024

/**
 * Refuses what could not be folded. A log that is folded into its file takes as much of the disk again as it has: one that a
 * reader made grow until the disk was full would stay for ever, and with it all that is pending, for there is no room left to
 * write down that it was taken.
 */
export class LogRoom {
  readonly #free: () => number
  readonly #unfolded: () => number
  /** By the batch at hand. */
  #added = 0

  /**
   * @param parts.free bytes that the disk has left
   * @param parts.unfolded bytes of the log that are not in the file yet
   */
  constructor(parts: { readonly free: () => number; readonly unfolded: () => number }) {
    this.#free = parts.free
    this.#unfolded = parts.unfolded
  }

  /** So many bytes are to be appended. @throws as on a full disk. */
  take(bytes: number): void {
    const log = this.#unfolded() + this.#added + bytes
    if (log > COVERED_BYTES && this.#free() < log + BESIDE_BYTES)
      throw new Error(`the disk is full: what it has left the log of the record needs, to be folded into its file`)
    this.#added += bytes
  }

  /** The batch at hand is in the log, or was rolled back. */
  batchEnded(): void {
    this.#added = 0
  }
}
