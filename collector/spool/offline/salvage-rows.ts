import type { Database, Statement } from 'better-sqlite3'
import { isDamage } from '../../runtime/sqlite-errors'

type Row = Readonly<Record<string, unknown>>

interface SalvagedRows {
  readonly copied: number
  /** Numbers of rows on damaged pages. Some may have been deleted long ago. */
  readonly unreadable: readonly number[]
  /** Whether the table was read from its first to its last row. */
  readonly isComplete: boolean
}

/** Numbers that are read at once; in a damaged range each number is then read alone. */
const STEP = 200
/** How far beyond the last readable row the search goes when the file does not say where the table ends. */
const BEYOND = 10_000

/** Copies the readable rows of one table. Rows that the target refuses count as not complete. */
export class RowSalvage {
  readonly #from: Database
  readonly #to: Database

  constructor(from: Database, to: Database) {
    this.#from = from
    this.#to = to
  }

  copy<Columns extends object>(table: string, onRow: (row: Columns) => void): SalvagedRows {
    const columns = this.#commonColumns(table)
    if (columns.length === 0) return { copied: 0, unreadable: [], isComplete: false }
    const insert = this.#to.prepare(
      `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
    )
    let copied = 0
    let isRefused = false
    const keep = (row: Row): void => {
      if (!insertRow(insert, row)) {
        isRefused = true
        return
      }
      copied += 1
      onRow(row as Columns)
    }
    return this.#to.transaction(() => {
      const list = columns.join(', ')
      if (this.#scan(`SELECT ${list} FROM ${table} NOT INDEXED`, keep))
        return { copied, unreadable: [], isComplete: !isRefused }
      const key = this.#numberKey(table)
      const unreadable = key === null ? [] : this.#readAround(table, list, key, keep)
      if (key === null) this.#scan(`SELECT ${list} FROM ${table} ORDER BY ${this.#keys(table)}`, keep)
      return { copied, unreadable, isComplete: false }
    })()
  }

  #commonColumns(table: string): readonly string[] {
    const columnsOf = (db: Database): readonly string[] =>
      db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
    const found: readonly string[] = readOr(() => columnsOf(this.#from), null) ?? []
    return columnsOf(this.#to).filter((name) => found.includes(name))
  }

  /** The first column of the primary key, if it is a number. */
  #numberKey(table: string): string | null {
    const sql = "SELECT name FROM pragma_table_info(?) WHERE pk = 1 AND type = 'INTEGER'"
    return (this.#to.prepare(sql).pluck().get(table) ?? null) as string | null
  }

  /** The primary key backwards: the rows behind the first damaged page. */
  #keys(table: string): string {
    const keys = this.#to
      .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
      .pluck()
      .all(table) as string[]
    return (keys.length === 0 ? ['rowid'] : keys).map((name) => `${name} DESC`).join(', ')
  }

  /** @returns false when the scan met a damaged page. */
  #scan(sql: string, keep: (row: Row) => void): boolean {
    try {
      for (const row of this.#from.prepare(sql).iterate() as IterableIterator<Row>) keep(row)
      return true
    } catch (error) {
      if (isDamage(error)) return false
      throw error
    }
  }

  #readAround(table: string, list: string, key: string, keep: (row: Row) => void): readonly number[] {
    const range = this.#from.prepare(`SELECT ${list} FROM ${table} WHERE ${key} BETWEEN ? AND ? ORDER BY ${key}`)
    const read = (from: number, upTo: number): readonly Row[] | null =>
      readOr(() => range.all(from, upTo) as Row[], null)
    const unreadable: number[] = []
    const last = this.#lastNumber(table, key)
    for (let from = this.#edge(table, key, 'min') ?? 1; from <= last; from += STEP) {
      const rows = read(from, Math.min(from + STEP - 1, last))
      for (const row of rows ?? []) keep(row)
      if (rows !== null) continue
      for (let number = from; number < from + STEP && number <= last; number += 1) {
        const one = read(number, number)
        for (const row of one ?? []) keep(row)
        if (one === null) unreadable.push(number)
      }
    }
    return unreadable
  }

  #edge(table: string, key: string, edge: 'min' | 'max'): number | null {
    return readOr(() => this.#from.prepare(`SELECT ${edge}(${key}) FROM ${table}`).pluck().get() as number | null, null)
  }

  #lastNumber(table: string, key: string): number {
    const last = this.#edge(table, key, 'max')
    if (last !== null) return last
    const sequence = "SELECT max(seq) FROM sqlite_sequence WHERE name IN (?, CASE ? WHEN 'seq' THEN 'submissions' END)"
    const given = readOr(() => this.#from.prepare(sequence).pluck().get(table, key) as number | null, null)
    if (given !== null) return given
    return Number(this.#to.prepare(`SELECT coalesce(max(${key}), 0) FROM ${table}`).pluck().get()) + BEYOND
  }
}

/** @returns false when the row breaks a rule of the table, as damaged values do; or when it was copied before. */
function insertRow(insert: Statement, row: Row): boolean {
  try {
    return insert.run(row).changes === 1
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CONSTRAINT')) return false
    throw error
  }
}

export function readOr<Value, Other>(read: () => Value, otherwise: Other): Value | Other {
  try {
    return read()
  } catch (error) {
    if (isDamage(error)) return otherwise
    throw error
  }
}
