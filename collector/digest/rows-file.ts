import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { FileUse } from '../../lib/wire/storage'
import { LogKeeper } from '../spool/log-keeper'
import { RowEraser } from '../store/erase'
import { RowWriter } from '../store/write'
import { type Batch, digestBatch } from './digest-batch'
import { eraseBatch, type OnLost } from './erase-batch'
import type { SpoolRecord } from './records'

interface Cursor {
  readonly seq: number
  readonly goal: number
  readonly done: number
  readonly begunAt: number
}

/** One file of rows, by its one connection that writes. */
export class RowsFile {
  readonly path: string
  readonly #db: Database
  readonly #logs: LogKeeper
  readonly #writer: RowWriter
  readonly #eraser: RowEraser
  readonly #passedOver: ReadonlySet<number>

  /** @param passedOver numbers of records that make no rows any more. */
  constructor(path: string, db: Database, now: () => number, passedOver: ReadonlySet<number>) {
    this.path = path
    this.#passedOver = passedOver
    this.#db = db
    this.#logs = new LogKeeper(db, now)
    this.#writer = new RowWriter(db)
    this.#eraser = new RowEraser(db)
  }

  get cursor(): Cursor {
    return this.#db.prepare('SELECT seq, goal, done, begun_at AS begunAt FROM cursor').get() as Cursor
  }

  digest(records: readonly SpoolRecord[], now: () => number, limits: ReadLimits): Batch {
    const target = { db: this.#db, writer: this.#writer, passedOver: this.#passedOver }
    const batch = digestBatch(records, target, now, limits)
    this.#logs.grew()
    return batch
  }

  /** Records beyond the cursor have no rows here. */
  erase(seqs: readonly number[], records: readonly SpoolRecord[], limits: ReadLimits, onLost: OnLost): void {
    const { seq: upTo } = this.cursor
    const target = { db: this.#db, eraser: this.#eraser }
    eraseBatch(
      seqs.filter((seq) => seq <= upTo),
      records.filter(({ seq }) => seq <= upTo),
      target,
      limits,
      onLost,
    )
    this.#logs.grew()
  }

  use(): FileUse {
    const number = (name: string): number => Number(this.#db.pragma(name, { simple: true }))
    return {
      used: (number('page_count') - number('freelist_count')) * number('page_size'),
      file: sizeOf(this.path),
      wal: sizeOf(`${this.path}-wal`),
    }
  }

  /**
   * Folds the whole log into the file, so that the file alone is everything.
   * @throws when somebody who reads keeps it from being folded; nobody is waited for.
   */
  fold(): void {
    this.#db.pragma('busy_timeout = 0')
    const [{ busy } = { busy: 1 }] = this.#db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    this.#db.pragma(`busy_timeout = ${PATIENCE_MS}`)
    if (busy !== 0) throw new Error(`another program reads ${this.path}, and its rows cannot be exchanged meanwhile`)
  }

  close(): void {
    this.#db.close()
  }
}

/** As the connection was opened. */
const PATIENCE_MS = 5000

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** What a file takes that cannot be asked. */
export const useOfFile = (path: string): FileUse => {
  const [file, wal] = [sizeOf(path), sizeOf(`${path}-wal`)]
  return { used: file, file, wal }
}
