import type { Database, Statement } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import { prepareAll } from '../spool/prepare'

/**
 * What is written at the end of a batch, in its transaction. What the envelope at hand changes is kept apart until it is
 * through: one that throws has its rows rolled back, and must not count.
 */
export interface Staged {
  /** The envelope at hand is through: what it changed belongs to the batch. */
  readonly keepEnvelope: () => void
  /** The envelope at hand threw, and its rows are rolled back. */
  readonly dropEnvelope: () => void
  /** Forgets what a batch that failed had changed. */
  readonly abandon: () => void
  readonly finish: () => void
}

/** Several as one, in their order: what an earlier one changes at the end of a batch is there for those after it. */
export function together(all: readonly Staged[]): Staged {
  const each = (name: keyof Staged) => () => {
    for (const one of all) one[name]()
  }
  return {
    keepEnvelope: each('keepEnvelope'),
    dropEnvelope: each('dropEnvelope'),
    abandon: each('abandon'),
    finish: each('finish'),
  }
}

const COUNTED_ROWS = ['trace', 'segment', 'span', 'event', 'breadcrumb', ...SIGNAL_KINDS] as const
/** What is counted: rows that are shown. The spans of a trace are no rows, but counted all the same. */
export type CountedRows = 'trace' | 'segment' | 'span' | 'event' | 'breadcrumb' | SignalKind

/**
 * How many there are of each, kept with the rows themselves: counting a million takes longer than a page may. Written
 * once a batch, in its transaction.
 */
export class RowCounts implements Staged {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  /** Of the envelope at hand; it counts only once it is through. */
  readonly #staged = new Map<CountedRows, number>()
  readonly #batch = new Map<CountedRows, number>()

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param more may be negative. */
  add(of: CountedRows, more: number): void {
    if (more !== 0) this.#staged.set(of, (this.#staged.get(of) ?? 0) + more)
  }

  keepEnvelope(): void {
    for (const [of, more] of this.#staged) this.#batch.set(of, (this.#batch.get(of) ?? 0) + more)
    this.#staged.clear()
  }

  dropEnvelope(): void {
    this.#staged.clear()
  }

  abandon(): void {
    this.#staged.clear()
    this.#batch.clear()
  }

  /** What the sums at the end of a batch change counts with it. */
  finish(): void {
    this.keepEnvelope()
    for (const [of, more] of this.#batch) if (more !== 0) this.#sql.add.run({ of, more })
    this.#batch.clear()
  }
}

const SQL = {
  add: 'UPDATE row_counts SET many = many + @more WHERE rows_of = @of',
} as const

/** Every count of new rows: what is taken away again leaves no other trace than what never was. */
export function createRowCounts(db: Database): void {
  const insert = db.prepare('INSERT INTO row_counts (rows_of, many) VALUES (?, 0)')
  for (const of of COUNTED_ROWS) insert.run(of)
}

/** How many of each are shown. */
export function readRowCounts(db: Database): Readonly<Record<CountedRows, number>> {
  const rows = db.prepare('SELECT rows_of AS "of", many FROM row_counts').all() as { of: CountedRows; many: number }[]
  const found = new Map(rows.map(({ of, many }) => [of, many]))
  return Object.fromEntries(COUNTED_ROWS.map((of) => [of, found.get(of) ?? 0])) as Record<CountedRows, number>
}
