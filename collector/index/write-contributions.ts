import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../spool/database'

/** A row by the names of its columns in camel case, as statements bind them. */
export type BoundRow = Readonly<Record<string, unknown>>

/** What one record tells of a thing. Several may tell of the same: one is shown, the others wait. */
export interface Contribution {
  /** What is told of, within its table: a signal's kind, else the table's own word. */
  readonly kind: string
  /** The thing's identity within its kind. */
  readonly key: string
  readonly row: BoundRow & { readonly seq: number; readonly item: number; readonly position: number }
  readonly rank: number
  readonly isCopy: boolean
}

/** What hangs from a row in a table of its own, and comes and goes with it. */
export interface Details {
  readonly read: (row: BoundRow) => unknown
  readonly write: (row: BoundRow, details: unknown) => void
  readonly remove: (row: BoundRow) => void
}

type Copy = 'no' | 'also' | 'only'
interface ShownRow extends BoundRow {
  readonly seq: number
  readonly item: number
  readonly position: number
  readonly copy: Copy
}
interface HiddenContribution {
  readonly isCopy: number
  readonly rank: number
  readonly seq: number
  readonly item: number
  readonly position: number
  readonly row: string
}

/** What is shown after a contribution came. */
export type Added =
  | { readonly shows: 'new' }
  | { readonly shows: 'this'; readonly before: BoundRow }
  | { readonly shows: 'another' }

/** Which contribution went: the last of its thing, the one that was shown, or none that was shown. */
export type Removed =
  | { readonly removed: 'last' }
  | { readonly removed: 'shown'; readonly next: BoundRow }
  | { readonly removed: 'hidden' }

/**
 * One table of rows that may be told more than once. What came on the path comes before what came as a copy, then the
 * higher rank, then what was received last: an order of the contributions alone, so that whatever the order in which
 * they come and go, the same one is shown.
 */
export class Contributions {
  readonly #table: RowTable
  readonly #details: Details | null
  readonly #waitingColumns: readonly string[]
  readonly #sql: Readonly<Record<keyof ReturnType<typeof statements>, Statement>>

  constructor(db: Database, table: RowTable, details: Details | null = null) {
    this.#table = table
    this.#details = details
    this.#waitingColumns = table.columns.filter((column) => column !== 'copy').map(camel)
    this.#sql = prepareAll(db, statements(table))
  }

  /** @param details what hangs from this row; belongs to it whether it is shown or waits. */
  add(given: Contribution, details?: unknown): Added {
    const { row, isCopy } = given
    // Most things are told once: nothing is looked up before an insert has failed.
    if (this.#sql.insert.run(row).changes === 1) {
      this.#details?.write(row, details)
      return { shows: 'new' }
    }
    const shown = this.#sql.shown.get(row) as ShownRow
    const shownIsCopy = shown.copy === 'only'
    const copy: Copy = shown.copy === 'also' || shownIsCopy !== isCopy ? 'also' : shown.copy
    if (isCopy === shownIsCopy ? !this.#isBefore(given, shown) : isCopy) {
      this.#hide(given, row, details)
      if (copy !== shown.copy) this.#sql.setCopy.run({ ...row, copy })
      return { shows: 'another' }
    }
    const rank = Number(shown[this.#table.rank])
    this.#hide({ ...given, rank, isCopy: shownIsCopy }, shown, this.#details?.read(shown))
    this.#show(row, copy, details)
    return { shows: 'this', before: shown }
  }

  /** Takes one contribution away; of those that wait the first one takes its place. */
  remove(given: Contribution): Removed {
    const { row, kind, key } = given
    const shown = this.#sql.shown.get(row) as ShownRow | undefined
    if (shown === undefined) return { removed: 'hidden' }
    if (shown.seq !== row.seq || shown.item !== row.item || shown.position !== row.position) {
      this.#sql.forget.run(hiddenValues(given, row))
      if (shown.copy === 'also' && !this.#hasHiddenCopy(given)) this.#sql.setCopy.run({ ...row, copy: 'no' })
      return { removed: 'hidden' }
    }
    const next = this.#sql.next.get({ kind, key }) as HiddenContribution | undefined
    if (next === undefined) {
      this.#sql.remove.run(row)
      this.#details?.remove(row)
      return { removed: 'last' }
    }
    this.#sql.forget.run({ ...next, kind, key })
    const { row: nextRow, details } = JSON.parse(next.row) as { row: BoundRow; details: unknown }
    this.#show(nextRow, next.isCopy === 1 ? 'only' : this.#hasHiddenCopy(given) ? 'also' : 'no', details)
    return { removed: 'shown', next: nextRow }
  }

  /** Both came the same way: the higher rank, then what was received last. */
  #isBefore(given: Contribution, shown: ShownRow): boolean {
    const { row } = given
    const differences = [given.rank - Number(shown[this.#table.rank]), row.seq - shown.seq, row.item - shown.item]
    return (differences.find((difference) => difference !== 0) ?? row.position - shown.position) > 0
  }

  #show(row: BoundRow, copy: Copy, details: unknown): void {
    this.#details?.remove(row)
    this.#sql.replace.run({ ...row, copy })
    this.#details?.write(row, details)
  }

  #hide(of: Contribution, row: Contribution['row'] | ShownRow, details: unknown): void {
    // Which way it came here leaves no trace: columns in their own order, and `copy` is found anew when it is shown.
    const columns = this.#waitingColumns.map((column) => [column, (row as BoundRow)[column] ?? null] as const)
    this.#sql.hide.run({ ...hiddenValues(of, row), row: JSON.stringify({ row: Object.fromEntries(columns), details }) })
  }

  #hasHiddenCopy({ kind, key }: Contribution): boolean {
    return this.#sql.hasHiddenCopy.get({ kind, key }) !== undefined
  }
}

const hiddenValues = (of: Contribution, row: Contribution['row'] | ShownRow) => ({
  kind: of.kind,
  key: of.key,
  isCopy: of.isCopy ? 1 : 0,
  rank: of.rank,
  seq: row.seq,
  item: row.item,
  position: row.position,
})

const camel = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function statements({ name, key, columns }: RowTable) {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const values = columns.map((column) => `@${camel(column)}`).join(', ')
  const isThis = key.map((column) => `"${column}" = @${camel(column)}`).join(' AND ')
  return {
    insert: `INSERT OR IGNORE INTO ${name} (${names}) VALUES (${values})`,
    replace: `INSERT OR REPLACE INTO ${name} (${names}) VALUES (${values})`,
    shown: `SELECT ${columns.map((column) => `"${column}" AS "${camel(column)}"`).join(', ')} FROM ${name} WHERE ${isThis}`,
    setCopy: `UPDATE ${name} SET copy = @copy WHERE ${isThis}`,
    remove: `DELETE FROM ${name} WHERE ${isThis}`,
    hide: `INSERT OR REPLACE INTO repeats (kind, key, is_copy, rank, seq, item, position, row)
      VALUES (@kind, @key, @isCopy, @rank, @seq, @item, @position, @row)`,
    next: `SELECT is_copy AS isCopy, rank, seq, item, position, row FROM repeats WHERE kind = @kind AND key = @key
      ORDER BY is_copy, rank DESC, seq DESC, item DESC, position DESC LIMIT 1`,
    forget: `DELETE FROM repeats WHERE kind = @kind AND key = @key AND is_copy = @isCopy AND rank = @rank AND seq = @seq
      AND item = @item AND position = @position`,
    hasHiddenCopy: 'SELECT 1 FROM repeats WHERE kind = @kind AND key = @key AND is_copy = 1 LIMIT 1',
  }
}

/** A table of things that may be told more than once. */
interface RowTable {
  readonly name: string
  /** Columns that make two rows the same thing. */
  readonly key: readonly string[]
  /** In camel case, the column that says which of two is shown. */
  readonly rank: string
  readonly columns: readonly string[]
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const SEGMENTS: RowTable = {
  name: 'segments',
  key: ['trace_id', 'segment_id'],
  rank: 'endUs',
  columns:
    words(`trace_id segment_id seq item position list_position copy parent_span_id name op status start_us end_us lifecycle
    service environment release sdk stamp`),
}

export const EVENTS: RowTable = {
  name: 'events',
  key: ['event_id'],
  rank: 'timestampUs',
  columns:
    words(`event_id journal seq item position copy received_at trace_id span_id timestamp_us level platform service
    title handled mechanism transaction environment release digest`),
}

export const SIGNALS: RowTable = {
  name: 'signals',
  key: ['kind', 'key'],
  rank: 'rank',
  columns:
    words(`kind key journal seq item position copy rank received_at timestamp_us trace_id span_id event_id name level
    service environment release fields`),
}
