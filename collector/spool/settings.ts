import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../runtime/database'

/** Values that are kept through restarts, by name. */
export class Settings {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  get(name: string): string | null {
    const row = this.#sql.find.get(name) as { readonly value: string } | undefined
    return row?.value ?? null
  }

  /** @param value `null` deletes it */
  save(name: string, value: string | null): void {
    if (value === null) this.#sql.remove.run(name)
    else this.#sql.upsert.run(name, value)
  }
}

const SQL = {
  find: 'SELECT value FROM settings WHERE name = ?',
  remove: 'DELETE FROM settings WHERE name = ?',
  upsert: 'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
} as const
