import type { Database, Transaction } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import type { RunningTime } from './counters'
import type { DiskBudget } from './disk/disk-budget'
import type { Journal } from './journal'
import type { LedgerEntry } from './ledger/ledger-entries'
import type { LedgerTotals } from './ledger/ledger-totals'
import type { PageLimits } from './page-limits'

interface TransactionParts {
  readonly budget: DiskBudget
  readonly totals: LedgerTotals
  readonly journal: Journal
  readonly pages: PageLimits
  readonly time: RunningTime
}

export interface Committed<Result> {
  readonly result: Result
  readonly facts: readonly JournalFact[]
  /** Changes of the ledger totals. */
  readonly totals: readonly LedgerEntry[]
}

/** Transactions of spool.db. A rollback also restores what the parts have in memory. */
export class Transactions {
  readonly #parts: TransactionParts
  /** Made once, because better-sqlite3 makes four functions of each function that it is given. */
  readonly #transact: Transaction<(work: () => unknown) => unknown>

  constructor(db: Database, parts: TransactionParts) {
    this.#parts = parts
    this.#transact = db.transaction((work) => work())
  }

  /** Runs the work in one transaction. @throws when it was rolled back. */
  commit<Result>(work: () => Result): Committed<Result> {
    const { budget, journal, totals, pages, time } = this.#parts
    const { sums } = budget
    let changes: readonly LedgerEntry[] = []
    try {
      const result = this.#transact.immediate(() => {
        const done = work()
        if (budget.sums.pendingRecords > sums.pendingRecords) time.save()
        changes = totals.write()
        journal.trim()
        return done
      }) as Result
      return { result, facts: journal.takeFacts(), totals: changes }
    } catch (error) {
      budget.sums = sums
      journal.takeFacts()
      totals.rollBack()
      pages.rollBack()
      throw error
    }
  }

  /** Runs one call of a batch in a savepoint: when it throws, only its own changes are rolled back. */
  attempt<Result>(work: () => Result): Result {
    const { budget, journal, totals, pages } = this.#parts
    const { length } = journal
    const entries = totals.length
    const { sums } = budget
    try {
      // Inside a transaction this is a savepoint.
      return this.#transact(work) as Result
    } catch (error) {
      journal.truncate(length)
      totals.truncate(entries)
      pages.rollBack()
      budget.sums = sums
      throw error
    }
  }
}
