import type { Database } from 'better-sqlite3'
import { sizeOf, WAL_KEPT_BYTES } from './database'
import { faultPoint } from './fault-point'

const CHECKPOINT_AT_BYTES = 4 * 1024 * 1024
/** For a log larger than this, a checkpoint is tried after each commit: the reader that blocked it may have ended. */
const LARGE_BYTES = 32 * 1024 * 1024
/** Each page in the log has a header. */
const FRAME_HEADER_BYTES = 24

export interface WalState {
  /** Bytes that are not in the file yet. The log's own file may be up to 16 MiB larger. */
  readonly log: number
  /** Since when an open read blocks checkpoints (ms since the epoch); `null` if none does. */
  readonly blockedSince: number | null
  /** Why the last checkpoint failed; `null` if it did not. */
  readonly failed: string | null
}

/** `checkpointed` of `log` pages are in the file; both are -1 if there is no log. */
interface LogPages {
  readonly log: number
  readonly checkpointed: number
}

/**
 * Copies the write-ahead log into the file between commits, without waiting for readers. SQLite itself would do that
 * inside the commit for which an answer waits.
 */
export class Checkpointer {
  readonly #db: Database
  readonly #now: () => number
  readonly #pages: () => LogPages
  #log = 0
  #blockedSince: number | null = null
  #failed: string | null = null
  readonly #frameBytes: number
  readonly #checkpointAt: number
  /** While a reader holds the log, the next checkpoint is tried when it has this many pages. */
  #nextAt: number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
    this.#frameBytes = Number(db.pragma('page_size', { simple: true })) + FRAME_HEADER_BYTES
    this.#checkpointAt = Math.ceil(CHECKPOINT_AT_BYTES / this.#frameBytes)
    this.#nextAt = this.#checkpointAt
    const noop = db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#pages = () => {
      const pages = noop.get() as LogPages
      // After a full checkpoint the next commit overwrites the log from its start.
      this.#log = pages.log > pages.checkpointed ? pages.log * this.#frameBytes : 0
      return pages
    }
  }

  get state(): WalState {
    return { log: this.#log, blockedSince: this.#blockedSince, failed: this.#failed }
  }

  /** For each commit, after its answers are sent: checkpoints if the log has grown enough. */
  checkpointIfGrown(): void {
    const { log, checkpointed } = this.#pages()
    if (log < checkpointed + this.#checkpointAt) this.#nextAt = this.#checkpointAt
    else if (log >= this.#nextAt || log * this.#frameBytes >= LARGE_BYTES) this.checkpoint()
  }

  /** Checkpoints what no reader needs, without waiting; truncates a file that a reader had made large. */
  checkpoint(): void {
    this.#run('PASSIVE')
    if (this.#blockedSince === null && this.#pages().log * this.#frameBytes > WAL_KEPT_BYTES) this.truncate()
  }

  /** Unless a reader holds the log. @returns by how many bytes its file is smaller. */
  truncate(timeoutMs = 0): number {
    const before = this.#fileBytes
    const timeoutBefore: unknown = this.#db.pragma('busy_timeout', { simple: true })
    this.#db.pragma(`busy_timeout = ${timeoutMs}`)
    try {
      this.#run('TRUNCATE')
    } finally {
      this.#db.pragma(`busy_timeout = ${Number(timeoutBefore)}`)
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
      // Nothing is lost, for example on a full disk: the log keeps what was not copied.
      this.#failed = error instanceof Error ? error.message : String(error)
    }
    const { log, checkpointed } = this.#pages()
    const isBlocked = log > checkpointed
    this.#blockedSince = isBlocked ? (this.#blockedSince ?? this.#now()) : null
    this.#nextAt = isBlocked ? log + this.#checkpointAt : this.#checkpointAt
  }
}
