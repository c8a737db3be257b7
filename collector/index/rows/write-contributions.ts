import type { Database, Statement } from 'better-sqlite3'
import { SIGNAL_KINDS } from '../../../lib/protocol/items/signal'
import { prepareAll } from '../../runtime/database'
import { SLOTS } from '../traces/trace-position'

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
  /** The index and the condition that find the visible rows of the record with the journal number `@journal`. */
  readonly ofRecord: string
  readonly identify: (row: BoundRow) => Identity
}

interface Identity {
  readonly kind: string
  readonly key: string
}

const names = (text: string): readonly string[] => text.trim().split(/\s+/)

export const SEGMENTS: RowTable = {
  name: 'segments',
  key: ['trace_id', 'segment_id'],
  rank: 'endUs',
  columns:
    names(`trace_id segment_id seq item position list_position copy parent_span_id name op status start_us end_us lifecycle
    service environment release sdk stamp own page project previous_trace`),
  ofRecord: `INDEXED BY segments_newest WHERE list_position BETWEEN @journal * ${SLOTS} AND @journal * ${SLOTS} + ${SLOTS - 1}`,
  identify: ({ traceId, segmentId }) => ({ kind: 'segment', key: `${traceId}/${segmentId}` }),
}

export const EVENTS: RowTable = {
  name: 'events',
  key: ['event_id'],
  rank: 'timestampUs',
  columns:
    names(`event_id journal seq item position copy received_at trace_id span_id timestamp_us level platform service
    title handled mechanism transaction environment release digest group_hash group_version pattern type value function
    file line`),
  ofRecord: 'INDEXED BY events_newest WHERE journal = @journal',
  identify: ({ eventId }) => ({ kind: 'event', key: String(eventId) }),
}

export const SIGNALS: RowTable = {
  name: 'signals',
  key: ['kind', 'key'],
  rank: 'rank',
  columns:
    names(`kind key journal seq item position copy rank received_at timestamp_us trace_id span_id event_id name level
    service environment release fields`),
  // Without INDEXED BY, SQLite prefers the primary key, and reads every signal.
  ofRecord: `INDEXED BY signals_newest WHERE kind IN (${SIGNAL_KINDS.map((kind) => `'${kind}'`).join(', ')}) AND journal = @journal`,
  identify: ({ kind, key }) => ({ kind: String(kind), key: String(key) }),
}

/** The state after `add`: the row is new, this contribution replaced another, or another one stays visible. */
type Added =
  | { readonly shows: 'new' }
  | { readonly shows: 'this'; readonly before: BoundRow }
  | { readonly shows: 'another' }

/** A removed row, and the contribution of another record that is visible instead; `null` when there is none. */
interface Removed {
  readonly row: BoundRow
  readonly next: BoundRow | null
}

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

  /**
   * Removes the visible contributions of a record; for each, the next hidden one becomes visible. The record must have
   * no hidden contributions any more.
   */
  removeVisible(journal: number): readonly Removed[] {
    return (this.#sql.ofRecord.all({ journal }) as ShownRow[]).map((row) => ({ row, next: this.#removeRow(row) }))
  }

  #removeRow(row: ShownRow): BoundRow | null {
    const identity = this.#table.identify(row)
    const next = this.#sql.next.get(identity) as HiddenContribution | undefined
    if (next === undefined) {
      this.#sql.remove.run(row)
      this.#details?.remove(row)
      return null
    }
    this.#sql.forget.run({ ...next, ...identity })
    const { row: nextRow, details } = JSON.parse(next.row) as { row: BoundRow; details: unknown }
    const hasHiddenCopy = this.#sql.hiddenCopy.get(identity) !== undefined
    this.#show(nextRow, next.isCopy === 1 ? 'only' : hasHiddenCopy ? 'also' : 'no', details)
    return nextRow
  }

  /** Updates the `copy` of a visible row after a hidden copy was deleted. @param hidden the text in `repeats` */
  hiddenCopyDeleted(identity: Identity, hidden: string): void {
    const { row } = JSON.parse(hidden) as { row: BoundRow }
    this.#sql.unsetCopy.run({ ...row, ...identity })
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

function statements({ name, key, columns, ofRecord }: RowTable) {
  const selected = columns.map((column) => `"${column}" AS "${camel(column)}"`).join(', ')
  const quoted = columns.map((column) => `"${column}"`).join(', ')
  const values = columns.map((column) => `@${camel(column)}`).join(', ')
  const isThis = key.map((column) => `"${column}" = @${camel(column)}`).join(' AND ')
  return {
    insert: `INSERT OR IGNORE INTO ${name} (${quoted}) VALUES (${values})`,
    replace: `INSERT OR REPLACE INTO ${name} (${quoted}) VALUES (${values})`,
    shown: `SELECT ${selected} FROM ${name} WHERE ${isThis}`,
    ofRecord: `SELECT ${selected} FROM ${name} ${ofRecord}`,
    setCopy: `UPDATE ${name} SET copy = @copy WHERE ${isThis}`,
    unsetCopy: `UPDATE ${name} SET copy = 'no' WHERE ${isThis} AND copy = 'also'
      AND NOT EXISTS (SELECT 1 FROM repeats WHERE kind = @kind AND key = @key AND is_copy = 1)`,
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
