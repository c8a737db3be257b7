import { fstatSync, openSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import type Database from 'better-sqlite3'
import { fileNumber } from '../../runtime/database'

/**
 * Notices when the data folder, spool.db or its log is moved, deleted or replaced while it is open. Later writes would go
 * to files that the next start does not find, so the record is saved while it can be read.
 */
export class SpoolFileWatch {
  readonly #db: Database.Database
  readonly #path: string
  readonly #folder: string
  /** Stays open: it still names the folder after a move. */
  readonly #openFolder: number
  readonly #folderNumber: number | null
  readonly #number: number | null
  /** `null` until the log exists. */
  #logNumber: number | null

  constructor(db: Database.Database, path: string) {
    this.#db = db
    this.#path = path
    this.#folder = dirname(path)
    this.#openFolder = openSync(this.#folder, 'r')
    this.#folderNumber = fileNumber(this.#folder)
    this.#number = fileNumber(path)
    this.#logNumber = fileNumber(this.#log)
  }

  get #log(): string {
    return `${this.#path}-wal`
  }

  /** @throws when a file is not the one that was opened; the message says where the record is now. */
  check(): void {
    if (fileNumber(this.#folder) !== this.#folderNumber && !this.#isFolderDeleted) throw new Error(this.#moved())
    const found = fileNumber(this.#path)
    if (found !== this.#number) {
      const what = `spool.db was ${found === null ? 'deleted' : 'replaced'} while the collector was running`
      throw new Error(`${what}; ${this.#rescue(found === null)}`)
    }
    const log = fileNumber(this.#log)
    this.#logNumber ??= log
    if (log !== this.#logNumber) throw new Error(this.#withoutLog(log === null))
  }

  get #isFolderDeleted(): boolean {
    return fstatSync(this.#openFolder).nlink === 0
  }

  #moved(): string {
    const what = `the data folder ${this.#folder} was moved while the collector was running`
    const to = platform === 'linux' ? readlinkSync(`/proc/self/fd/${this.#openFolder}`) : null
    const remedy = `move it back${to === null ? '' : ` from ${to}`}, or set WAYSTATION_DATA to its new place, and start again`
    return `${what}; ${this.#checkpoint() ? 'spool.db in it is complete and nothing is lost' : 'spool.db and spool.db-wal in it belong together'}: ${remedy}`
  }

  /** The log is still open, so its content can be written to spool.db. */
  #withoutLog(isDeleted: boolean): string {
    const what = `spool.db-wal was ${isDeleted ? 'deleted' : 'replaced'} while the collector was running`
    if (!this.#checkpoint()) return `${what}; ${this.#rescue(false)}`
    this.#removeLog()
    return `${what}; its content was written to ${this.#path} and nothing is lost: start again, and delete files only while stopped`
  }

  /** @returns whether spool.db now has everything. */
  #checkpoint(): boolean {
    try {
      const [state] = this.#db.pragma('wal_checkpoint(FULL)') as { busy: number; log: number; checkpointed: number }[]
      return state !== undefined && state.log === state.checkpointed
    } catch {
      // A full disk, for example: then the record is copied as a whole.
      return false
    }
  }

  #rescue(isDeleted: boolean): string {
    const rescued = this.#path.replace(/spool\.db$/, 'spool.rescued.db')
    try {
      rmSync(rescued, { force: true })
      this.#db.prepare('VACUUM INTO ?').run(rescued)
      if (!isDeleted) return 'its content is in spool.rescued.db: move that to spool.db, or delete it'
      this.#removeLog()
      renameSync(rescued, this.#path)
      return 'it was written again and nothing is lost: start again, and delete it only while stopped'
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return `its content is lost, because it could not be written again (${why})`
    }
  }

  /** SQLite would apply a log that outlives its file to the next file of that name. */
  #removeLog(): void {
    for (const suffix of ['-wal', '-shm']) rmSync(`${this.#path}${suffix}`, { force: true })
  }
}
