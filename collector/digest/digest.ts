import { existsSync, renameSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/items/signal'
import type { FileUse, Rebuild } from '../../lib/wire/storage'
import { isDamage } from '../damage'
import { isDiskFull } from '../disk-full'
import { faultPoint } from '../fault-point'
import { nextStorePath, openStore, removeLog, removeStore, setAside, storePath } from '../store/open'
import { birthOf } from './birth'
import { type Batch, nextRecords } from './digest-batch'
import type { DigestState, Step } from './digest-state'
import { headOf, recordsOf, rowsFrom, type SpoolRecord } from './records'
import { RowsFile, useOfFile } from './rows-file'
import { ofSpool, SpoolDamagedError } from './spool-damaged'

export interface DigestParts {
  readonly folder: string
  /** A connection that reads the record. */
  readonly spool: Database
  readonly limits: ReadLimits
  readonly now: () => number
  /** Where a sentence for people goes. */
  readonly say: (sentence: string) => void
}

const NOTHING: Batch = { upTo: null, undigested: [] }

/**
 * The rows of a folder, kept up with the record. Rows can be made anew beside those that are served: live batches go
 * into the old file, batches of the whole record into the new one, in turns, until the new one takes its place. A
 * process that dies at any step finds either file as it was, and goes on.
 */
export class Digest {
  readonly #parts: DigestParts
  #live: RowsFile
  #next: RowsFile | null = null
  /** The old rows make room at once: there is none for both. */
  #inPlace = false
  #damage: string | null = null
  /** Where the served rows were last known to reach: a damaged file may not tell. */
  #cursor: number

  /** @throws what keeps the files from being opened, but never damage: rows can be made again. */
  constructor(parts: DigestParts) {
    this.#parts = parts
    this.#live = this.#open(storePath(parts.folder))
    this.#cursor = this.#live.cursor.seq
    // Left behind by a process that ended: it is gone on with, or begun anew when it is of another version.
    const next = nextStorePath(parts.folder)
    if (this.#isGrowing()) removeStore(next)
    else if (existsSync(next)) this.#next = this.#open(next)
  }

  get cursor(): number {
    return this.#cursor
  }

  /** One batch of what is new, and while rows are made anew one batch of those. */
  step(): Step {
    const batch = this.#damage === null ? this.#advanceLive() : NOTHING
    const next = this.#next
    if (next === null) return { batch, more: batch.upTo !== null, switchable: false, trouble: null }
    try {
      const rebuilt = this.#advance(next)
      const switchable = this.#inPlace || (rebuilt.upTo === null && batch.upTo === null)
      return { batch, more: !switchable, switchable, trouble: null }
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError) throw error
      this.#mendRebuild(next, error)
      return { batch, more: false, switchable: this.#inPlace, trouble: error.message }
    }
  }

  /** Takes away the rows of these records, in every file; done when this returns. Erasing twice is erasing once. */
  erase(seqs: readonly number[]): void {
    for (let rest = [...seqs].sort((a, b) => a - b); rest.length > 0; ) {
      const records = ofSpool(() => recordsOf(this.#parts.spool, rest))
      // What is gone from the spool has no walk; the batch ends where its bytes do.
      const end = records.length === 0 ? rest.length : rest.indexOf(records.at(-1)?.seq ?? 0) + 1
      this.#eraseEverywhere(rest.slice(0, end), records)
      rest = rest.slice(end)
    }
  }

  /**
   * Begins to make all rows anew; nothing when that is under way.
   * @param beside there is room for the old rows beside the new ones. If not, they make room at once.
   */
  rebuild(beside: boolean): void {
    if (this.#next !== null || this.#isGrowing()) return
    this.#inPlace = !beside
    this.#next = this.#open(nextStorePath(this.#parts.folder))
  }

  /** Somebody read damage in the rows that are served: they are made anew. */
  damaged(why: string): void {
    if (this.#damage !== null) return
    this.#damage = why
    this.#parts.say(`the rows in telemetry.db are damaged (${why}); they are made again from spool.db`)
    this.#next ??= this.#open(nextStorePath(this.#parts.folder))
  }

  /**
   * The new rows take the place of the old ones. Nobody else of this process may have either file open.
   * @throws when another program keeps a file from being folded, or the disk fails: the old rows are served further.
   */
  switchOver(): void {
    const next = this.#next
    if (next === null) return
    // What came since must not vanish from sight: the new rows reach at least as far.
    while (!this.#inPlace && next.cursor.seq < this.#cursor && this.#advance(next).upTo !== null);
    next.fold()
    if (this.#damage === null) this.#live.fold()
    next.close()
    this.#live.close()
    this.#next = null
    const { folder } = this.#parts
    try {
      if (this.#damage === null) removeLog(storePath(folder))
      else this.#parts.say(setAside(storePath(folder), this.#damage))
      faultPoint('rebuild_switch')
      renameSync(nextStorePath(folder), storePath(folder))
      removeLog(nextStorePath(folder))
      this.#inPlace = false
      this.#damage = null
    } finally {
      this.#live = this.#open(storePath(folder))
      this.#cursor = this.#live.cursor.seq
      if (existsSync(nextStorePath(folder))) this.#next = this.#open(nextStorePath(folder))
    }
  }

  state(): DigestState {
    const live = this.#damage === null ? this.#live.use() : useOfFile(this.#live.path)
    const uses = this.#next === null ? [live] : [live, this.#next.use()]
    const sum = (of: (use: FileUse) => number): number => uses.reduce((all, use) => all + of(use), 0)
    return {
      cursor: this.#cursor,
      ...(this.#damage === null ? this.#beginning() : { done: 0, begunAt: 0 }),
      usage: { used: sum((use) => use.used), file: sum((use) => use.file), wal: sum((use) => use.wal) },
      progress: this.#progress(),
      damage: this.#damage,
    }
  }

  /** Folds what can be folded, and closes. */
  close(): void {
    for (const file of this.#next === null ? [this.#live] : [this.#live, this.#next]) {
      try {
        file.fold()
      } catch (error) {
        // Its log stays beside it, and is read with it at the next start.
        this.#parts.say(
          `${file.path} is closed with its log: ${error instanceof Error ? error.message : String(error)}`,
        )
      } finally {
        file.close()
      }
    }
  }

  /** New rows that cannot go on are given up, begun anew, or take the place of the old ones at once. */
  #mendRebuild(next: RowsFile, error: Error): void {
    if (isDamage(error)) {
      next.close()
      removeStore(next.path)
      this.#next = this.#open(next.path)
    } else if (isDiskFull(error)) {
      if (this.#damage !== null) {
        this.#inPlace = true
        return
      }
      next.close()
      removeStore(next.path)
      this.#next = null
      this.#parts.say(
        'the disk has no room for new rows beside the old ones: the old rows stay; make room and digest again',
      )
    }
  }

  #open(path: string): RowsFile {
    const { db, trouble } = openStore(path, () => birthOf(this.#parts))
    if (trouble !== null) this.#parts.say(trouble)
    return new RowsFile(path, db, this.#parts.now)
  }

  #advanceLive(): Batch {
    try {
      const batch = this.#advance(this.#live)
      this.#cursor = batch.upTo ?? this.#cursor
      return batch
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError || !isDamage(error)) throw error
      this.damaged(error.message)
      return NOTHING
    }
  }

  #advance(file: RowsFile): Batch {
    const { spool, now, limits } = this.#parts
    const { seq } = file.cursor
    return file.digest(
      ofSpool(() => nextRecords(spool, seq)),
      now,
      limits,
    )
  }

  #eraseEverywhere(seqs: readonly number[], records: readonly SpoolRecord[]): void {
    const { limits } = this.#parts
    this.#next?.erase(seqs, records, limits)
    if (this.#damage !== null) return
    try {
      this.#live.erase(seqs, records, limits)
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error)) throw error
      this.damaged(error.message)
    }
  }

  /** Are the served rows themselves still on their way through what was there before them? */
  #isGrowing(): boolean {
    const { seq, goal } = this.#live.cursor
    // The records up to the goal may have been evicted before their turn came.
    return seq < Math.min(goal, headOf(this.#parts.spool))
  }

  #beginning(): Pick<DigestState, 'done' | 'begunAt'> {
    const { done, begunAt } = this.#live.cursor
    return { done, begunAt }
  }

  #progress(): Rebuild | null {
    const file = this.#next ?? (this.#damage === null && this.#isGrowing() ? this.#live : null)
    if (file === null) return null
    const { seq, done, begunAt } = file.cursor
    // Numbers that are gone are counted until they are passed: in the end it is exact.
    const left = Math.max(0, headOf(this.#parts.spool) - Math.max(seq, rowsFrom(this.#parts.spool)))
    return { done, of: done + left, startedAt: begunAt }
  }
}
