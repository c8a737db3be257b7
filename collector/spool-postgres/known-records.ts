import type { KnownRecord } from './batch'
import type { StoreConnection } from './connection'
import { readKnown } from './reads'

/** Records that are kept in memory: about 1 MB. The oldest go first. */
const MOST_KEPT = 5000

/**
 * Keeps the part of pending records on which their outcomes depend, so that most results need no read: of those that this
 * collector stored. An entry may be of a record that another collector deleted: `commit_batch` ignores its result.
 */
export class KnownRecords {
  readonly #kept = new Map<number, KnownRecord>()
  #opened = 0

  add(seq: number, record: Omit<KnownRecord, 'journal'>): void {
    this.#kept.set(seq, { ...record, journal: seq })
    if (this.#kept.size <= MOST_KEPT) return
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest)
      return
    }
  }

  forget(seqs: readonly number[]): void {
    for (const seq of seqs) this.#kept.delete(seq)
  }

  /** Reads those that are not in memory. One that is missing is gone. @throws StoreAwayError */
  async read(connection: StoreConnection, seqs: readonly number[]): Promise<ReadonlyMap<number, KnownRecord>> {
    const opened = await connection.opened()
    // In a copy that was restored meanwhile, a number may be of another record.
    if (opened !== this.#opened) this.#kept.clear()
    this.#opened = opened
    const missing = seqs.filter((seq) => !this.#kept.has(seq))
    const found = new Map(missing.length === 0 ? [] : await readKnown(connection, missing))
    for (const seq of seqs) {
      const kept = this.#kept.get(seq)
      if (kept !== undefined) found.set(seq, kept)
    }
    return found
  }
}
