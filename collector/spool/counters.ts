import type { Database, Statement } from 'better-sqlite3'

/** What is counted for as long as the folder lives; `copies` are those that are kept. */
const COUNTERS = [
  'evicted_records',
  'evicted_bytes',
  'rows_only',
  'expired',
  'evicted_dead',
  'overflow',
  'ran_ms',
  'copies',
  // Answers that told a limit to somebody who names no page.
  'sent_unnamed',
] as const
export type Counter = (typeof COUNTERS)[number]

/** Counters that survive a restart, written with the fact that they count. */
export class Counters {
  readonly #add: Statement
  readonly #set: Statement
  readonly #get: Statement

  constructor(db: Database) {
    const upsert = 'INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = '
    this.#add = db.prepare(`${upsert} value + excluded.value`)
    this.#set = db.prepare(`${upsert} excluded.value`)
    this.#get = db.prepare('SELECT value FROM counters WHERE name = ?').pluck()
  }

  add(name: Counter, amount: number): void {
    this.#add.run(name, amount)
  }

  set(name: Counter, value: number): void {
    this.#set.run(name, value)
  }

  get(name: Counter): number {
    return Number(this.#get.get(name) ?? 0)
  }
}
