import { renameSync, rmSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'

/**
 * Notices when the record's file is deleted or replaced under its writer. What is written then goes to a file that has
 * no name and is gone with the process, so the record is written out again as long as it can be read.
 */
export class RecordFile {
  readonly #db: Database
  readonly #path: string
  readonly #inode: number | null

  constructor(db: Database, path: string) {
    this.#db = db
    this.#path = path
    this.#inode = inodeOf(path)
  }

  /** @throws a sentence, when the file is not the one that was opened. */
  look(): void {
    const found = inodeOf(this.#path)
    if (found === this.#inode) return
    const what = `spool.db was ${found === null ? 'deleted' : 'replaced'} while the collector was running`
    throw new Error(`${what}; ${this.#rescue(found === null)}`)
  }

  #rescue(isFree: boolean): string {
    const rescued = this.#path.replace(/spool\.db$/, 'spool.rescued.db')
    try {
      rmSync(rescued, { force: true })
      this.#db.prepare('VACUUM INTO ?').run(rescued)
      if (!isFree) return `what it held is in spool.rescued.db: put that in its place, or delete it`
      // A log that is left belongs to the file that is gone; beside the new one it would be taken for its own.
      for (const suffix of ['-wal', '-shm']) rmSync(`${this.#path}${suffix}`, { force: true })
      renameSync(rescued, this.#path)
      return 'it was written again and nothing is lost: start again, and delete it only while stopped'
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `what it held is lost, for it could not be written again (${why})`
    }
  }
}

function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null
}
