import type { Database, Statement } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'

/** Facts that are kept at most, however old the oldest record is. */
export const MOST_FACTS = 200_000
/** Facts that are kept at least, however few records there are: who was away for a moment misses nothing. */
export const LEAST_FACTS = 5000
/** Trimming looks for the oldest record, so it is not done at each fact. */
const TRIM_EVERY = 1000

/** The journal's one writer: each fact takes the next number. What is staged counts once its transaction is through. */
export class Journal {
  readonly #now: () => number
  readonly #insert: Statement
  readonly #head: Statement
  readonly #oldestOfRecords: Statement
  readonly #trim: Statement
  #facts: JournalFact[] = []
  #sinceTrim = TRIM_EVERY

  constructor(db: Database, now: () => number) {
    this.#now = now
    this.#insert = db.prepare('INSERT INTO journal (at, kind, seq) VALUES (?, ?, ?)')
    this.#head = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").pluck()
    this.#oldestOfRecords = db.prepare('SELECT journal FROM submissions ORDER BY seq LIMIT 1').pluck()
    this.#trim = db.prepare('DELETE FROM journal WHERE n < ?')
  }

  /** Number that the next fact will have. */
  get next(): number {
    return Number(this.#head.get() ?? 0) + 1
  }

  add(kind: JournalFact['kind'], seq: number | null): number {
    const at = this.#now()
    const n = Number(this.#insert.run(at, kind, seq).lastInsertRowid)
    this.#facts.push({ n, at, kind, seq })
    return n
  }

  /** Facts that were added since `take`. */
  get length(): number {
    return this.#facts.length
  }

  /** Forgets what a savepoint that was rolled back had added. */
  cutTo(length: number): void {
    this.#facts.length = length
  }

  /** Hands out what was added, and starts afresh. */
  take(): readonly JournalFact[] {
    const facts = this.#facts
    this.#facts = []
    return facts
  }

  /** Within a transaction: facts older than the oldest record, and those beyond the most, go. */
  trim(): void {
    this.#sinceTrim += this.#facts.length
    if (this.#sinceTrim < TRIM_EVERY) return
    this.#sinceTrim = 0
    const head = this.next - 1
    const oldest = Number(this.#oldestOfRecords.get() ?? head)
    this.#trim.run(Math.max(head - MOST_FACTS + 1, Math.min(oldest, head - LEAST_FACTS + 1)))
  }
}
