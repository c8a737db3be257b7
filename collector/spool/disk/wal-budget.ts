import { DiskFullError } from '../../runtime/sqlite-errors'

/** The ballast frees enough for a log of this size. */
const COVERED_BYTES = 4 * 1024 * 1024
/** Free space for rows and outcomes that are written meanwhile. */
const SPARE_BYTES = 2 * 1024 * 1024

/**
 * Refuses appends whose log could not be checkpointed any more: a checkpoint needs as much disk space as the log has. A
 * log that a reader let grow until the disk was full would block even deletions.
 */
export class WalBudget {
  readonly #freeBytes: () => number
  readonly #walBytes: () => number
  #added = 0

  constructor(parts: { readonly freeBytes: () => number; readonly walBytes: () => number }) {
    this.#freeBytes = parts.freeBytes
    this.#walBytes = parts.walBytes
  }

  /** Reserves space for an append. @throws DiskFullError if there is none. */
  reserve(bytes: number): void {
    const log = this.#walBytes() + this.#added + bytes
    if (log > COVERED_BYTES && this.#freeBytes() < log + SPARE_BYTES)
      throw new DiskFullError('the disk is full: the free space that is left is needed to checkpoint spool.db')
    this.#added += bytes
  }

  batchEnded(): void {
    this.#added = 0
  }
}
