import { isReadAsJson } from '../items/registry'
import { MOST_VALUES, shapeOf, TOO_MANY_VALUES_MESSAGE } from '../json'

/**
 * Rows of entries that one record becomes: signals, spans and breadcrumbs of all its items together. SDKs send a thousand;
 * a hundred containers of empty entries, which deflate to 3 KB, would become a million. Each item has one row at least.
 */
export const MOST_ROWS = 20_000

/** What one record may still take: the same record takes the same for ever, so that its rows can be taken away again. */
export class RowBudget {
  #rows = MOST_ROWS
  #values = MOST_VALUES
  readonly #countsValues: boolean

  /** @param payloads of the record. */
  constructor(payloads: readonly Uint8Array[]) {
    // A value takes a byte at least: in a record that has no more bytes than that, none has to be counted.
    const bytes = payloads.reduce((sum, payload) => sum + payload.length + 1, 0)
    this.#countsValues = bytes > MOST_VALUES
  }

  /** Entries of the item at hand that are read. */
  get most(): number {
    return Math.max(1, this.#rows)
  }

  take(rows: number): void {
    this.#rows -= rows
  }

  /** @returns why this payload is not parsed; `null` when it is. */
  refuse(type: string, payload: Uint8Array): string | null {
    if (!this.#countsValues || !isReadAsJson(type)) return null
    const { excess, values } = shapeOf(payload, { depth: Number.POSITIVE_INFINITY, values: this.#values })
    if (excess !== null) return TOO_MANY_VALUES_MESSAGE
    this.#values -= values
    return null
  }
}
