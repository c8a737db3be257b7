import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../../runtime/database'
import { readQuantities } from '../stored-content'
import {
  MAX_ROWS,
  UnseenAnswers,
  type UnseenKey,
  type UnseenRecord,
  type UnseenRow,
  type UnseenRows,
  type UnseenTotals,
} from './unseen-answers'

/** Unseen answers with their rows in `spool.db`. */
export class StoredUnseenAnswers extends UnseenAnswers {
  readonly #find: Statement

  constructor(db: Database, totals: UnseenTotals) {
    super(new UnseenTable(db), totals)
    this.#find = db.prepare(FIND_RECEIPT)
  }

  /** Adds the items of a stored record whose sender saw no answer. Does nothing if there is no such receipt (any more). */
  addReceipt(receipt: string): void {
    const found = this.#find.get(receipt) as
      | (Omit<UnseenRecord, 'quantities'> & { readonly quantities: string })
      | undefined
    if (found !== undefined) this.addUnseen(receipt, { ...found, quantities: readQuantities(found.quantities) })
  }
}

class UnseenTable implements UnseenRows {
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, SQL)
  }

  read(key: UnseenKey): UnseenRow | undefined {
    return this.#sql.read.get(key) as UnseenRow | undefined
  }

  write(key: UnseenKey, row: UnseenRow): void {
    this.#sql.write.run({ ...key, ...row })
  }

  trim(): void {
    this.#sql.trim.run(MAX_ROWS)
  }
}

const FIND_RECEIPT = `SELECT journal, stamp, public_key AS publicKey, project, quantities, CASE WHEN json_valid(facts) THEN facts ->> 'page' END AS page
  FROM submissions WHERE receipt = ? AND endpoint <> 'stream'`

const SQL = {
  read: `SELECT arrived, reported, journal FROM unseen_answers
    WHERE public_key = @publicKey AND project = @project AND source = @source AND category = @category`,
  write: `INSERT INTO unseen_answers (public_key, project, source, category, arrived, reported, journal)
    VALUES (@publicKey, @project, @source, @category, @arrived, @reported, @journal)
    ON CONFLICT DO UPDATE SET arrived = excluded.arrived, reported = excluded.reported, journal = excluded.journal`,
  trim: `DELETE FROM unseen_answers WHERE (public_key, project, source, category) IN
    (SELECT public_key, project, source, category FROM unseen_answers ORDER BY journal DESC LIMIT -1 OFFSET ?)`,
} as const
