import type { Database, Statement } from 'better-sqlite3'
import { prepareAll } from '../runtime/database'
import { OTHER_NAME } from './ledger/ledger-entries'

/** Counted over the life of the data folder; `copies` counts the stored ones. */
const COUNTERS = [
  'evicted_records',
  'evicted_bytes',
  'evicted_by_age',
  'rows_only',
  'expired',
  'evicted_dead',
  'ran_ms',
  'copies',
  // Their bodies as stored.
  'copy_bytes',
  // Answers that carried a limit to a client that names no page.
  'sent_unnamed',
  // Documents that apps with a tunnel served, and pages that posted.
  'documents',
  'pages_posted',
] as const
type Counter = (typeof COUNTERS)[number]

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

/** Records age by this time: neither a clock that is set nor a machine that was off ages them. */
export class RunningTime {
  readonly #counters: Counters
  readonly #monotonic: () => number
  readonly #ranBefore: number
  readonly #startedAt: number

  constructor(counters: Counters, monotonic: () => number) {
    this.#counters = counters
    this.#monotonic = monotonic
    this.#ranBefore = counters.get('ran_ms')
    this.#startedAt = monotonic()
  }

  get ran(): number {
    return Math.round(this.#ranBefore + this.#monotonic() - this.#startedAt)
  }

  /** Within a transaction. A process that is killed loses the time since the last save. */
  save(): void {
    this.#counters.set('ran_ms', this.ran)
  }
}

/** Refused paths that are counted by themselves, per reason; senders choose paths freely. Further ones count as `other`. */
export const MAX_REFUSED_PATHS = 50

/** Bodies that endpoints refused. Only envelopes and bytes are counted, because their items are unknown. */
export class Refusals {
  readonly #sql: Readonly<Record<keyof typeof REFUSAL_SQL, Statement>>

  constructor(db: Database) {
    this.#sql = prepareAll(db, REFUSAL_SQL)
  }

  /** @param path method and path of a request to an address that serves nothing; `null` for any other */
  count(reason: string, bytes: number, path: string | null, envelopes = 1): void {
    this.#sql.count.run({ reason, bytes, envelopes })
    if (path !== null) this.#sql.countPath.run({ reason, path, envelopes, most: MAX_REFUSED_PATHS, other: OTHER_NAME })
  }
}

const REFUSAL_SQL = {
  count: `INSERT INTO refusals (reason, envelopes, bytes) VALUES (@reason, @envelopes, @bytes)
    ON CONFLICT DO UPDATE SET envelopes = envelopes + excluded.envelopes, bytes = bytes + excluded.bytes`,
  countPath: `INSERT INTO refused_paths (reason, path, envelopes)
    SELECT @reason, CASE WHEN count(*) < @most OR coalesce(max(path = @path), 0) THEN @path ELSE @other END, @envelopes
      FROM refused_paths WHERE reason = @reason AND path <> @other
    ON CONFLICT DO UPDATE SET envelopes = envelopes + excluded.envelopes`,
} as const
