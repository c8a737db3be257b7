import type { Database, Statement } from 'better-sqlite3'
import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/items/signal'
import { prepareAll } from '../../runtime/database'

/** Changes written at the end of a batch. Those of the current envelope are separate, because it may be rolled back. */
export interface Staged {
  readonly commitEnvelope: () => void
  readonly rollbackEnvelope: () => void
  readonly rollbackBatch: () => void
  readonly finish: () => void
}

/** Combines several in order: changes that one of them writes in `finish` are visible to those after it. */
export function combineStaged(all: readonly Staged[]): Staged {
  const each = (name: keyof Staged) => () => {
    for (const one of all) one[name]()
  }
  return {
    commitEnvelope: each('commitEnvelope'),
    rollbackEnvelope: each('rollbackEnvelope'),
    rollbackBatch: each('rollbackBatch'),
    finish: each('finish'),
  }
}

const COUNTED_ROWS = ['trace', 'segment', 'span', 'inner_span', 'event', 'breadcrumb', ...SIGNAL_KINDS] as const
/** Kinds of visible rows that are counted. Spans have no rows but are counted too; `inner_span`: those in transactions. */
type CountedRows = 'trace' | 'segment' | 'span' | 'inner_span' | 'event' | 'breadcrumb' | SignalKind

/** Keeps the number of rows per kind: counting a million rows takes longer than a page may. */
export class RowCounts implements Staged {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>
  readonly #envelope = new Map<CountedRows, number>()
  readonly #batch = new Map<CountedRows, number>()

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param change may be negative. */
  add(kind: CountedRows, change: number): void {
    if (change !== 0) this.#envelope.set(kind, (this.#envelope.get(kind) ?? 0) + change)
  }

  commitEnvelope(): void {
    for (const [kind, change] of this.#envelope) this.#batch.set(kind, (this.#batch.get(kind) ?? 0) + change)
    this.#envelope.clear()
  }

  rollbackEnvelope(): void {
    this.#envelope.clear()
  }

  rollbackBatch(): void {
    this.#envelope.clear()
    this.#batch.clear()
  }

  finish(): void {
    // Trace totals, which are written at the end of the batch, change counts after the last envelope.
    this.commitEnvelope()
    for (const [kind, change] of this.#batch) if (change !== 0) this.#sql.add.run({ kind, change })
    this.#batch.clear()
  }
}

const SQL = {
  add: 'UPDATE row_counts SET count = count + @change WHERE kind = @kind',
} as const

/** Inserts every count as 0, so that a kind whose rows are all erased looks like one that never had any. */
export function createRowCounts(db: Database): void {
  const insert = db.prepare('INSERT INTO row_counts (kind, count) VALUES (?, 0)')
  for (const kind of COUNTED_ROWS) insert.run(kind)
}

export function readRowCounts(db: Database): Readonly<Record<CountedRows, number>> {
  const rows = db.prepare('SELECT kind, count FROM row_counts').all() as { kind: CountedRows; count: number }[]
  const found = new Map(rows.map(({ kind, count }) => [kind, count]))
  return Object.fromEntries(COUNTED_ROWS.map((kind) => [kind, found.get(kind) ?? 0])) as Record<CountedRows, number>
}
