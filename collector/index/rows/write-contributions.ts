import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../../runtime/database'

/** A row by the names of its columns in camel case, as statements bind them. */
export type BoundRow = Readonly<Record<string, unknown>>

/** The contribution of one record to one row. One contribution is visible, the others wait in the table `repeats`. */
export interface Contribution {
  readonly kind: string
  readonly key: string
  readonly row: BoundRow & { readonly seq: number; readonly item: number; readonly position: number }
  readonly rank: number
  readonly isCopy: boolean
}

/** Data in another table that comes and goes with a visible row. */
export interface Details {
  readonly read: (row: BoundRow) => unknown
  readonly write: (row: BoundRow, details: unknown) => void
  readonly remove: (row: BoundRow) => void
}

/** A table whose rows several records may contribute to. */
interface RowTable {
  readonly name: string
  readonly key: readonly string[]
  /** In camel case; chooses the visible contribution. */
  readonly rank: string
  readonly columns: readonly string[]
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/)

export const SEGMENTS: RowTable = {
  name: 'segments',
  key: ['trace_id', 'segment_id'],
  rank: 'endUs',
  columns:
    names(`trace_id segment_id seq item position list_position copy parent_span_id name op status start_us end_us lifecycle
    service environment release sdk stamp`),
}

export const EVENTS: RowTable = {
  name: 'events',
  key: ['event_id'],
  rank: 'timestampUs',
  columns:
    names(`event_id journal seq item position copy received_at trace_id span_id timestamp_us level platform service
    title handled mechanism transaction environment release digest`),
}

export const SIGNALS: RowTable = {
  name: 'signals',
  key: ['kind', 'key'],
  rank: 'rank',
  columns:
    names(`kind key journal seq item position copy rank received_at timestamp_us trace_id span_id event_id name level
    service environment release fields`),
}

/** The state after `add`: the row is new, this contribution replaced another, or another one stays visible. */
type Added =
  | { readonly shows: 'new' }
  | { readonly shows: 'this'; readonly before: BoundRow }
  | { readonly shows: 'another' }

/** The contribution that `remove` removed: the last one of its row, the visible one, or a hidden one. */
type Removed =
  | { readonly removed: 'last' }
  | { readonly removed: 'shown'; readonly next: BoundRow }
  | { readonly removed: 'hidden' }

/** `only`: only copies contribute. `also`: copies and relayed records do. */
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

/**
 * One table of rows with their contributions. Relayed records take precedence over copies, then the higher rank, then
 * the later receipt: the same one is visible in whatever order they come and go.
 */
export class Contributions {
  readonly #table: RowTable
  readonly #details: Details | null
  readonly #hiddenColumns: readonly string[]
  readonly #sql: Readonly<Record<keyof ReturnType<typeof statements>, Statement>>

  constructor(db: Database, table: RowTable, details: Details | null = null) {
    this.#table = table
    this.#details = details
    this.#hiddenColumns = table.columns.filter((column) => column !== 'copy').map(camel)
    this.#sql = prepareAll(db, statements(table))
  }

  /** @param details data for the `Details` of this row; kept while the contribution is hidden. */
  add(contribution: Contribution, details?: unknown): Added {
    const { row, isCopy } = contribution
    // Most rows have one contribution: try the insert before reading.
    if (this.#sql.insert.run(row).changes === 1) {
      this.#details?.write(row, details)
      return { shows: 'new' }
    }
    const shown = this.#sql.shown.get(row) as ShownRow
    const shownIsCopy = shown.copy === 'only'
    const copy: Copy = shown.copy === 'also' || shownIsCopy !== isCopy ? 'also' : shown.copy
    if (isCopy === shownIsCopy ? !this.#takesPrecedence(contribution, shown) : isCopy) {
      this.#hide(contribution, row, details)
      if (copy !== shown.copy) this.#sql.setCopy.run({ ...row, copy })
      return { shows: 'another' }
    }
    const rank = Number(shown[this.#table.rank])
    this.#hide({ ...contribution, rank, isCopy: shownIsCopy }, shown, this.#details?.read(shown))
    this.#show(row, copy, details)
    return { shows: 'this', before: shown }
  }

  /** Removes one contribution; when it was visible, the next hidden one becomes visible. */
  remove(contribution: Contribution): Removed {
    const { row, kind, key } = contribution
    const shown = this.#sql.shown.get(row) as ShownRow | undefined
    if (shown === undefined) return { removed: 'hidden' }
    if (shown.seq !== row.seq || shown.item !== row.item || shown.position !== row.position) {
      this.#sql.forget.run(hiddenKey(contribution, row))
      if (shown.copy === 'also' && !this.#hasHiddenCopy(contribution)) this.#sql.setCopy.run({ ...row, copy: 'no' })
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
    this.#show(nextRow, next.isCopy === 1 ? 'only' : this.#hasHiddenCopy(contribution) ? 'also' : 'no', details)
    return { removed: 'shown', next: nextRow }
  }

  /** Compares two contributions that are both copies or both not. */
  #takesPrecedence(contribution: Contribution, shown: ShownRow): boolean {
    const { row, rank } = contribution
    const differences = [rank - Number(shown[this.#table.rank]), row.seq - shown.seq, row.item - shown.item]
    return (differences.find((difference) => difference !== 0) ?? row.position - shown.position) > 0
  }

  #show(row: BoundRow, copy: Copy, details: unknown): void {
    this.#details?.remove(row)
    this.#sql.replace.run({ ...row, copy })
    this.#details?.write(row, details)
  }

  #hide(of: Contribution, row: Contribution['row'] | ShownRow, details: unknown): void {
    // Columns in table order and without `copy`: the stored text must not depend on how the contribution came here.
    const columns = this.#hiddenColumns.map((column) => [column, (row as BoundRow)[column] ?? null] as const)
    this.#sql.hide.run({ ...hiddenKey(of, row), row: JSON.stringify({ row: Object.fromEntries(columns), details }) })
  }

  #hasHiddenCopy({ kind, key }: Contribution): boolean {
    return this.#sql.hiddenCopy.get({ kind, key }) !== undefined
  }
}

const hiddenKey = (of: Contribution, row: Contribution['row'] | ShownRow) => ({
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
  const quoted = columns.map((column) => `"${column}"`).join(', ')
  const values = columns.map((column) => `@${camel(column)}`).join(', ')
  const isThis = key.map((column) => `"${column}" = @${camel(column)}`).join(' AND ')
  return {
    insert: `INSERT OR IGNORE INTO ${name} (${quoted}) VALUES (${values})`,
    replace: `INSERT OR REPLACE INTO ${name} (${quoted}) VALUES (${values})`,
    shown: `SELECT ${columns.map((column) => `"${column}" AS "${camel(column)}"`).join(', ')} FROM ${name} WHERE ${isThis}`,
    setCopy: `UPDATE ${name} SET copy = @copy WHERE ${isThis}`,
    remove: `DELETE FROM ${name} WHERE ${isThis}`,
    hide: `INSERT OR REPLACE INTO repeats (kind, key, is_copy, rank, seq, item, position, row)
      VALUES (@kind, @key, @isCopy, @rank, @seq, @item, @position, @row)`,
    next: `SELECT is_copy AS isCopy, rank, seq, item, position, row FROM repeats WHERE kind = @kind AND key = @key
      ORDER BY is_copy, rank DESC, seq DESC, item DESC, position DESC LIMIT 1`,
    forget: `DELETE FROM repeats WHERE kind = @kind AND key = @key AND is_copy = @isCopy AND rank = @rank AND seq = @seq
      AND item = @item AND position = @position`,
    hiddenCopy: 'SELECT 1 FROM repeats WHERE kind = @kind AND key = @key AND is_copy = 1 LIMIT 1',
  }
}
