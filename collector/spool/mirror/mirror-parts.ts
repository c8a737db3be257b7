import type { Database } from 'better-sqlite3'
import { Counters, Refusals, RunningTime } from '../counters'
import { Attempts, Unreported } from '../deliveries'
import { Evictor } from '../disk/delete-records'
import { DiskBudget } from '../disk/disk-budget'
import { Journal } from '../journal'
import { DeadLetters, Ledger } from '../ledger/ledger'
import { LedgerTotals } from '../ledger/ledger-totals'
import { PageLimits } from '../page-limits'
import { Records } from '../records'
import { Settings } from '../settings'
import { Transactions } from '../transactions'
import { UpstreamLimits } from '../upstream-limits'

export interface MirrorOptions {
  /** Ms since the epoch, for facts of this collector alone. */
  readonly now: () => number
  /** Ms of a clock that never goes back. */
  readonly monotonic: () => number
  /** Bytes of record and rows together, for the shares that the usage names. A mirror refuses nothing. */
  readonly cap?: number
  /** Bytes of the write-ahead log. */
  readonly walBytes?: () => number
}

/** The tables of a mirror, without logic of their own. */
export type Parts = ReturnType<typeof createParts>

export function createParts(db: Database, { now, monotonic, cap = Number.MAX_SAFE_INTEGER }: MirrorOptions) {
  /** The time of the fact that is being applied: limits depend on it, however much later a mirror reads it. */
  const clock = { at: 0 }
  const counters = new Counters(db)
  const budget = new DiskBudget(db, cap)
  const time = new RunningTime(counters, monotonic)
  const journal = new Journal(db, now)
  const totals = new LedgerTotals(db)
  const shared = { budget, totals, counters, journal: { add: journal.note.bind(journal) } }
  const ledger = new Ledger(db, { ...shared, now })
  const deadLetters = new DeadLetters(db, { ...shared, ledger })
  const pages = new PageLimits(db, { now: () => clock.at, counters })
  return {
    clock,
    counters,
    budget,
    time,
    journal,
    totals,
    ledger,
    deadLetters,
    pages,
    limits: new UpstreamLimits(db, { now: () => clock.at, pages }),
    evictor: new Evictor(db, { ...shared, ledger, deadLetters }),
    records: new Records(db, { budget, counters }),
    attempts: new Attempts(db),
    unreported: new Unreported(db),
    refusals: new Refusals(db),
    settings: new Settings(db),
    transactions: new Transactions(db, { budget, totals, journal, pages, time }),
  }
}
