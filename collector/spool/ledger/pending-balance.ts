import type { Database } from 'better-sqlite3'
import { isDamage, isMissingTable } from '../../runtime/sqlite-errors'

/** With more pending records, a start does not count their items: that would take seconds. */
const MOST_COUNTED = 5000

const COUNTED = "SELECT coalesce(sum(items), 0) FROM ledger_totals WHERE entry = 'pending'"
const FOUND = `SELECT coalesce(sum(CASE WHEN json_valid(quantities) THEN json_array_length(quantities) END), 0)
  FROM submissions WHERE seq IN (SELECT seq FROM pending_deliveries UNION ALL SELECT seq FROM dead_letters)`

/**
 * Finds lost rows of `pending_deliveries`: the ledger totals then count more pending items than the pending records have.
 * Counts once, and again whenever nothing is pending.
 */
export class PendingBalance {
  readonly #db: Database
  readonly #records: () => number
  readonly #isLost: boolean

  /** @param records pending records and dead letters, now */
  constructor(db: Database, records: () => number) {
    this.#db = db
    this.#records = records
    this.#isLost = records() <= MOST_COUNTED && this.#read(COUNTED) > this.#read(FOUND)
  }

  get isLost(): boolean {
    return this.#isLost || (this.#records() === 0 && this.#read(COUNTED) > 0)
  }

  /** A damaged page or a missing table is reported by itself. */
  #read(sql: string): number {
    try {
      return Number(this.#db.prepare(sql).pluck().get())
    } catch (error) {
      if (isDamage(error) || isMissingTable(error)) return 0
      throw error
    }
  }
}
