import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../runtime/database'
import type { Counters } from './counters'
import type { DiskBudget } from './disk/disk-budget'

/** A row of `submissions`, without its number. */
export interface RecordRow {
  readonly receipt: string
  /** Number of its `received` fact. */
  readonly journal: number
  /** Ms since the epoch. */
  readonly receivedAt: number
  readonly endpoint: string
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  /** JSON. */
  readonly facts: string
  /** JSON. */
  readonly quantities: string
  /** Of the body as received. */
  readonly bytes: number
  readonly deflated: boolean
  /** As stored. */
  readonly body: Uint8Array
  readonly checksum: number
}

/** Copies that SDKs sent to the endpoint of Spotlight's sidecar. */
export const isCopy = ({ endpoint }: Pick<RecordRow, 'endpoint'>): boolean => endpoint === 'stream'

/** Inserts records, with what is counted of them: the disk budget, and the share of copies. */
export class Records {
  readonly #budget: DiskBudget
  readonly #counters: Counters
  readonly #sql: Readonly<Record<keyof typeof SQL, Statement>>

  constructor(db: Database, parts: { readonly budget: DiskBudget; readonly counters: Counters }) {
    this.#budget = parts.budget
    this.#counters = parts.counters
    this.#sql = prepareAll(db, SQL)
  }

  /**
   * @param storedBytes that it counts for in the disk budget @param seq `null` for the next number
   * @returns its number; `null`, and inserts nothing, when a record has the same receipt
   */
  insert(row: RecordRow, storedBytes: number, seq: number | null = null): number | null {
    // By position: better-sqlite3 looks up each named parameter for every row.
    const { changes, lastInsertRowid } = this.#sql.insert.run(
      seq,
      row.receipt,
      row.journal,
      row.receivedAt,
      row.endpoint,
      row.project,
      row.publicKey,
      row.stamp,
      row.facts,
      row.quantities,
      row.bytes,
      row.deflated ? 1 : 0,
      row.body,
      row.checksum,
    )
    if (changes === 0) return null
    this.#budget.addRecord(storedBytes)
    if (isCopy(row)) {
      this.#counters.add('copies', 1)
      this.#counters.add('copy_bytes', row.body.length)
    }
    return Number(lastInsertRowid)
  }

  has(seq: number): boolean {
    return this.#sql.has.get(seq) !== undefined
  }
}

const SQL = {
  insert: `INSERT INTO submissions
    (seq, receipt, journal, received_at, endpoint, project, public_key, stamp, facts, quantities, bytes, deflated, body, checksum)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (receipt) DO NOTHING`,
  has: 'SELECT 1 FROM submissions WHERE seq = ?',
} as const
