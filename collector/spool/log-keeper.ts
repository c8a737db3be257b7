import type { Database } from 'better-sqlite3'
import { faultPoint } from '../runtime/fault-point'
import { LOG_KEPT_BYTES } from './open'
import { sizeOf } from './size-of'

/** So much is left in the log before it is folded into the file. */
const FOLD_AT_BYTES = 4 * 1024 * 1024
/** A log that is larger is worth another look at each commit: whoever holds it may have gone. */
const LARGE_BYTES = 32 * 1024 * 1024
/** A page of the log has a header. */
const FRAME_HEADER_BYTES = 24

/** How the log of a database stands. */
export interface LogState {
  /** Bytes of the log that are not in the file yet; the log's own file keeps up to 16 MiB for the next ones. */
  readonly log: number
  /** Since when somebody's open read keeps the log from being folded away (ms since the epoch); `null` when nobody does. */
  readonly heldSince: number | null
  /** Why the last attempt failed; `null` when it did not. */
  readonly failed: string | null
}

/**
 * Folds a database's log into its file, in the one place where that is done. SQLite's own way would do it inside the
 * commit whose answer is waited for; here it is done between commits, and never waits for a reader: what a reader still
 * needs stays in the log until it has gone.
 */
export class LogKeeper {
  readonly #db: Database
  readonly #now: () => number
  readonly #pages: () => LogPages
  #log = 0
  #heldSince: number | null = null
  #failed: string | null = null
  /** What a page of the log takes. */
  readonly #frameBytes: number
  /** In pages. */
  readonly #foldAt: number
  /** While a reader holds the log, nothing is tried before it has grown to so many pages. */
  #nextAt: number

  /** @param db the connection that writes. */
  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
    this.#frameBytes = Number(db.pragma('page_size', { simple: true })) + FRAME_HEADER_BYTES
    this.#foldAt = Math.ceil(FOLD_AT_BYTES / this.#frameBytes)
    this.#nextAt = this.#foldAt
    const noop = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#pages = () => {
      const pages = noop.get() as LogPages
      // What is folded is written over by the next commit.
      this.#log = pages.log > pages.checkpointed ? pages.log * this.#frameBytes : 0
      return pages
    }
  }

  get state(): LogState {
    return { log: this.#log, heldSince: this.#heldSince, failed: this.#failed }
  }

  /** Between commits, once their answers are given: folds when the log has grown enough. */
  grew(): void {
    const { log, checkpointed } = this.#pages()
    if (log < checkpointed + this.#foldAt) this.#nextAt = this.#foldAt
    else if (log >= this.#nextAt || log * this.#frameBytes >= LARGE_BYTES) this.fold()
  }

  /** Folds what no reader needs, without waiting for any; a file that one had made large is given back. */
  fold(): void {
    this.#run('PASSIVE')
    if (this.#heldSince === null && this.#pages().log * this.#frameBytes > LOG_KEPT_BYTES) this.empty()
  }

  /**
   * Folds everything and empties the log, unless a reader is in the way for longer than one has timeout.
   * @returns by how many bytes the log's file is smaller.
   */
  empty(timeoutMs = 0): number {
    const before = this.#fileBytes
    const otherwise: unknown = this.#db.pragma('busy_timeout', { simple: true })
    this.#db.pragma(`busy_timeout = ${timeoutMs}`)
    try {
      this.#run('TRUNCATE')
    } finally {
      this.#db.pragma(`busy_timeout = ${Number(otherwise)}`)
    }
    return before - this.#fileBytes
  }

  get #fileBytes(): number {
    return sizeOf(`${this.#db.name}-wal`)
  }

  #run(mode: 'PASSIVE' | 'TRUNCATE'): void {
    try {
      faultPoint('checkpoint')
      this.#db.pragma(`wal_checkpoint(${mode})`)
      faultPoint('checkpointed')
      this.#failed = null
    } catch (error) {
      // The log keeps what could not be folded: nothing is lost by a disk that is full just now.
      this.#failed = error instanceof Error ? error.message : String(error)
    }
    const { log, checkpointed } = this.#pages()
    const isHeld = log > checkpointed
    this.#heldSince = isHeld ? (this.#heldSince ?? this.#now()) : null
    this.#nextAt = isHeld ? log + this.#foldAt : this.#foldAt
  }
}

/** `checkpointed` of `log` pages are in the file already; both are -1 where there is no log. */
interface LogPages {
  readonly log: number
  readonly checkpointed: number
}
