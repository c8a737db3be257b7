import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from './prepare'
import type { Discard } from './submission'

/** To which upstream something is pending. */
export interface UpstreamOf {
  readonly publicKey: string
  readonly project: string
}

/** What was cut before it was relayed, until it is told upstream in a client report. Methods run inside a transaction. */
export class Unreported {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  add({ publicKey, project }: UpstreamOf, discards: readonly Discard[]): void {
    for (const { reason, category, quantity } of discards)
      this.#sql.add.run({ publicKey, project, reason, category, quantity })
  }

  /** So much of it was told: what was added meanwhile stays. */
  subtract({ publicKey, project }: UpstreamOf, discards: readonly Discard[]): void {
    for (const { reason, category, quantity } of discards)
      this.#sql.subtract.run({ publicKey, project, reason, category, quantity })
    this.#sql.sweep.run(publicKey, project)
  }
}

const SQL = {
  add: `INSERT INTO unreported (public_key, project, reason, category, quantity)
    VALUES (@publicKey, @project, @reason, @category, @quantity)
    ON CONFLICT DO UPDATE SET quantity = quantity + excluded.quantity`,
  subtract: `UPDATE unreported SET quantity = quantity - @quantity
    WHERE public_key = @publicKey AND project = @project AND reason = @reason AND category = @category`,
  sweep: 'DELETE FROM unreported WHERE public_key = ? AND project = ? AND quantity <= 0',
} as const
