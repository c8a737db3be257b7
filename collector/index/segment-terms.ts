import type { Database } from 'better-sqlite3'
import type { BoundRow } from './contributions'
import { segmentTerms } from './described'
import type { Staged } from './staged'
import { TermIndex } from './term-index'

/** The segments that are shown, by what they can be found; the last word of a batch counts. */
export class SegmentTerms implements Staged {
  readonly #index: TermIndex
  /** Of the envelope at hand, by their places: the row that is shown there, `null` where it no longer is. */
  readonly #staged = new Map<number, BoundRow | null>()
  /** The same of the whole batch. */
  readonly #batch = new Map<number, BoundRow | null>()

  constructor(db: Database) {
    this.#index = new TermIndex(db, 'segment_terms')
  }

  show(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), row)
  }

  hide(row: BoundRow): void {
    this.#staged.set(Number(row.listPlace), null)
  }

  keepEnvelope(): void {
    for (const [listPlace, row] of this.#staged) this.#batch.set(listPlace, row)
    this.#staged.clear()
  }

  dropEnvelope(): void {
    this.#staged.clear()
  }

  abandon(): void {
    this.#staged.clear()
    this.#batch.clear()
  }

  finish(): void {
    for (const [listPlace, row] of this.#batch)
      if (row === null) this.#index.remove(listPlace)
      else this.#index.write(listPlace, segmentTerms(row))
    this.#batch.clear()
  }
}
