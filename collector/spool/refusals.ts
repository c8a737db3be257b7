import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../runtime/database'
import { OTHER_NAME } from './ledger/ledger-entries'

/** Refused paths that are counted by themselves, per reason; senders choose paths freely. Further ones count as `other`. */
export const MAX_REFUSED_PATHS = 50

/** Bodies that endpoints refused. Only envelopes and bytes are counted, because their items are unknown. */
export class Refusals {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  /** @param path method and path of a request to an address that serves nothing; `null` for any other */
  count(reason: string, bytes: number, path: string | null): void {
    this.#sql.count.run({ reason, bytes })
    if (path !== null) this.#sql.countPath.run({ reason, path, most: MAX_REFUSED_PATHS, other: OTHER_NAME })
  }
}

const SQL = {
  count: `INSERT INTO refusals (reason, envelopes, bytes) VALUES (@reason, 1, @bytes)
    ON CONFLICT DO UPDATE SET envelopes = envelopes + 1, bytes = bytes + excluded.bytes`,
  countPath: `INSERT INTO refused_paths (reason, path, envelopes)
    SELECT @reason, CASE WHEN count(*) < @most OR coalesce(max(path = @path), 0) THEN @path ELSE @other END, 1
      FROM refused_paths WHERE reason = @reason AND path <> @other
    ON CONFLICT DO UPDATE SET envelopes = envelopes + 1`,
} as const
