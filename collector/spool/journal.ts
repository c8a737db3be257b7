import type { Database, Statement } from 'better-sqlite3'
import type { JournalFact } from '../../lib/wire/journal'
import type { LedgerEntry } from './ledger/ledger-entries'
import type { ReceivedRecord } from './stored-content'

/** Facts kept at most, however old the oldest record is. */
export const MAX_FACTS = 200_000
/** Facts kept at least, however few records there are: a client that was away for a short time misses none. */
export const MIN_FACTS = 5000
/** Trimming has to find the oldest record, so it runs once per this many facts. */
const TRIM_EVERY = 1000

/** Sent after each commit that added facts. */
export interface SpoolNews {
  readonly facts: readonly JournalFact[]
  /** Changes of the ledger totals in the same commit. */
  readonly totals: readonly LedgerEntry[]
  /** Bytes of the pages in use. */
  readonly used: number
  /** Records of a shared record, whichever collector received them; absent for a record of its own. */
  readonly received?: readonly ReceivedRecord[]
  /** The mirror of a shared record was emptied, because that is another record now. */
  readonly isReset?: true
  /** The mirror has all older records that it fetched, which were no news. */
  readonly isFilled?: true
}

/** Takes the facts that parts of the record add. */
export interface FactSink {
  readonly add: (kind: JournalFact['kind'], seq: number | null) => void
}

/** The journal's one writer. Methods run inside a transaction; facts count once that is committed. */
export class Journal {
  readonly #db: Database
  readonly #now: () => number
  readonly #insert: Statement
  readonly #head: Statement
  readonly #oldestOfRecords: Statement
  readonly #trim: Statement
  #facts: JournalFact[] = []
  #sinceTrim = TRIM_EVERY
  /** Facts from this number on stay, however old the oldest record is: older ones are being added. */
  keepFrom = Number.POSITIVE_INFINITY

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
    this.#insert = db.prepare('INSERT INTO journal (n, at, kind, seq) VALUES (?, ?, ?, ?)')
    this.#head = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'journal'").pluck()
    this.#oldestOfRecords = db.prepare('SELECT journal FROM submissions ORDER BY seq LIMIT 1').pluck()
    this.#trim = db.prepare('DELETE FROM journal WHERE n < ?')
  }

  get next(): number {
    return Number(this.#head.get() ?? 0) + 1
  }

  /** @param live fields that only the live stream carries */
  add(kind: JournalFact['kind'], seq: number | null, live: Pick<JournalFact, 'traces'> = {}): number {
    const at = this.#now()
    const n = Number(this.#insert.run(null, at, kind, seq).lastInsertRowid)
    this.#facts.push({ n, at, kind, seq, ...live })
    return n
  }

  /** Stores a fact that another journal has numbered. */
  addGiven(fact: Pick<JournalFact, 'n' | 'at' | 'kind' | 'seq'>): void {
    this.#insert.run(fact.n, fact.at, fact.kind, fact.seq)
    this.#facts.push(fact)
  }

  /** The first fact of an empty journal comes after this number. */
  beginAfter(n: number): void {
    this.#db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('journal', ?)").run(n)
  }

  /** Stores a fact that is older than all that are stored, unless it would be trimmed. It is no news. */
  addOlder(fact: Pick<JournalFact, 'n' | 'at' | 'kind' | 'seq'>): void {
    if (fact.n > this.next - 1 - MAX_FACTS) this.#insert.run(fact.n, fact.at, fact.kind, fact.seq)
  }

  /** Publishes a fact of this collector alone: it repeats the newest number, and is not stored. */
  note(kind: JournalFact['kind'], seq: number | null, live: Pick<JournalFact, 'traces'> = {}): void {
    this.#facts.push({ n: this.next - 1, at: this.#now(), kind, seq, ...live })
  }

  get length(): number {
    return this.#facts.length
  }

  /** Forgets the facts of a savepoint that was rolled back. */
  truncate(length: number): void {
    this.#facts.length = length
  }

  takeFacts(): readonly JournalFact[] {
    const facts = this.#facts
    this.#facts = []
    return facts
  }

  /** Deletes facts older than the oldest record, and those beyond the maximum. */
  trim(): void {
    this.#sinceTrim += this.#facts.length
    if (this.#sinceTrim < TRIM_EVERY) return
    this.#sinceTrim = 0
    const head = this.next - 1
    const oldest = Number(this.#oldestOfRecords.get() ?? head)
    this.#trim.run(Math.max(head - MAX_FACTS + 1, Math.min(oldest, this.keepFrom, head - MIN_FACTS + 1)))
  }
}
