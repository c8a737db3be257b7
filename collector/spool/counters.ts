import type { Database, Statement } from 'better-sqlite3'

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
