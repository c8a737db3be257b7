import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { FileUse, Rebuild } from '../../lib/wire/storage'
import { fileNumber } from '../runtime/database'
import { isDiskFull, SpoolDamagedError } from '../runtime/sqlite-errors'
import type { Batch } from './digest-batch'
import { isIndexUnusable } from './index-damage'
import { IndexFile, isCatchingUp, progressOf, sizeOfDamaged } from './index-file'
import { indexPath, newIndexStart, nextIndexPath, openIndex, removeIndex, replaceIndex } from './index-open'

interface DigestParts {
  readonly folder: string
  readonly spool: Database
  readonly sizeLimits: ReadLimits
  readonly now: () => number
  readonly log: (message: string) => void
}

export interface DigestState {
  readonly cursor: number
  readonly done: number
  /** When the served index was created, ms since the epoch. */
  readonly begunAt: number
  readonly usage: FileUse
  readonly progress: Rebuild | null
  /** Why the served index is not reliable; `null` when it is. */
  readonly damage: string | null
  /** Records that `addOlder` named and that have no rows yet. */
  readonly older: number
}

interface Step {
  readonly batch: Batch
  /** True when another step may find work at once. */
  readonly more: boolean
  /** The rebuilt index has caught up: it can replace the served one as soon as nobody reads that. */
  readonly switchable: boolean
  /** Why the rebuild failed in this step; `batch` was digested all the same. */
  readonly rebuildError: Error | null
}

const EMPTY_BATCH: Batch = { upTo: null, undigested: [], traces: [], more: false }

/**
 * Keeps the index of a folder up to date with the record. During a rebuild each step digests a batch into the served
 * file, then one into the new file. A process that dies at any step leaves both files usable.
 */
export class Digest {
  readonly #parts: DigestParts
  #live: IndexFile
  #next: IndexFile | null = null
  /** Switch to the rebuilt index at once, though it is incomplete: the disk budget does not allow two files. */
  #inPlace = false
  #damage: string | null = null
  /** Numbers of evicted records. A file whose cursor is before them must not create their rows. */
  readonly #skipped = new Set<number>()
  /** The last known cursor of the served index: a damaged file may not be readable. */
  #cursor: number
  #fileNumber: number | null

  /** @throws when a file cannot be opened. Damage does not throw: the index is rebuilt. */
  constructor(parts: DigestParts) {
    this.#parts = parts
    this.#live = this.#open(indexPath(parts.folder), null)
    this.#cursor = this.#live.cursor.seq
    this.#fileNumber = fileNumber(this.#live.path)
    // A process ended during a rebuild: continue it. A file of another version starts again.
    const next = nextIndexPath(parts.folder)
    if (existsSync(next)) this.#next = this.#open(next, null)
    // An incomplete index is not worth keeping next to a rebuilt one.
    this.#inPlace = this.#next !== null && isCatchingUp(this.#parts.spool, this.#live)
  }

  get cursor(): number {
    return this.#cursor
  }

  step(): Step {
    const batch = this.#damage === null ? this.#digestLive() : EMPTY_BATCH
    const next = this.#next
    if (next === null) return { batch, more: batch.more, switchable: false, rebuildError: null }
    try {
      const rebuilt = next.digestNext(this.#parts)
      const switchable = this.#inPlace || (rebuilt.upTo === null && batch.upTo === null)
      return { batch, more: !switchable, switchable, rebuildError: null }
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError) throw error
      this.#recoverRebuild(next, error)
      return { batch, more: false, switchable: this.#inPlace, rebuildError: error }
    }
  }

  /** Erases the rows of these records from every file before it returns. Erasing twice has no further effect. */
  erase(seqs: readonly number[]): void {
    for (const seq of seqs) this.#skipped.add(seq)
    this.#next?.erase(seqs)
    if (this.#damage === null) this.#eraseFromLive(seqs)
    this.#forgetSkipped()
  }

  /** Records that were added to the record, although later ones have rows already. They are digested when those are. */
  addOlder(seqs: readonly number[]): void {
    if (this.#damage === null) this.#live.addOlder(seqs)
    this.#next?.addOlder(seqs)
  }

  /** Deletes every file: the record becomes another one. Nobody else in this process may have one open. Then call `start`. */
  clear(): void {
    const { folder } = this.#parts
    this.#next?.close()
    this.#live.close()
    this.#next = null
    for (const path of [indexPath(folder), nextIndexPath(folder)]) removeIndex(path)
  }

  /** Begins at the start of the record, after `clear`. */
  start(): void {
    this.#skipped.clear()
    this.#damage = null
    this.#inPlace = false
    this.#live = this.#open(indexPath(this.#parts.folder))
    this.#cursor = this.#live.cursor.seq
    this.#fileNumber = fileNumber(this.#live.path)
  }

  /**
   * @param keepOld keep the old index until the new one is complete: false when the disk budget has no space for both.
   */
  rebuild(keepOld: boolean): void {
    if (this.#next !== null || isCatchingUp(this.#parts.spool, this.#live)) return
    this.#inPlace = !keepOld
    this.#next = this.#open(nextIndexPath(this.#parts.folder))
  }

  /** Begins a rebuild when the file was deleted or replaced: a later connection would read another one. @returns whether */
  checkFile(): boolean {
    const isAnother = this.#damage === null && fileNumber(this.#live.path) !== this.#fileNumber
    if (isAnother) this.damaged('it was deleted or replaced while the collector was running')
    return isAnother
  }

  damaged(why: string): void {
    if (this.#damage !== null) return
    this.#damage = why
    this.#parts.log(`the index telemetry.db is damaged (${why}); it is rebuilt from spool.db`)
    this.#next ??= this.#open(nextIndexPath(this.#parts.folder))
  }

  /** Nobody else in this process may have either file open. @throws when another program does: the old index stays. */
  switchOver(): void {
    const next = this.#next
    if (next === null) return
    // The new index must reach at least as far as the old one, or rows would disappear from lists.
    while (!this.#inPlace && next.cursor.seq < this.#cursor && next.digestNext(this.#parts).upTo !== null);
    next.checkpoint()
    if (this.#damage === null) this.#live.checkpoint()
    next.close()
    this.#live.close()
    this.#next = null
    const { folder } = this.#parts
    let { missing, older } = this.#live
    try {
      const warning = replaceIndex(folder, this.#damage)
      if (warning !== null) this.#parts.log(warning)
      this.#inPlace = false
      this.#damage = null
      missing = next.missing
      older = next.older
    } finally {
      this.#live = this.#open(indexPath(folder), missing)
      this.#live.addOlder(older)
      this.#cursor = this.#live.cursor.seq
      this.#fileNumber = fileNumber(this.#live.path)
      if (existsSync(nextIndexPath(folder))) this.#next = this.#open(nextIndexPath(folder))
    }
  }

  state(): DigestState {
    const { spool } = this.#parts
    const [live, next, isDamaged] = [this.#live, this.#next, this.#damage !== null]
    const use = isDamaged ? sizeOfDamaged(live.path) : live.use()
    const uses = next === null ? [use] : [use, next.use()]
    const sum = (of: (use: FileUse) => number): number => uses.reduce((all, one) => all + of(one), 0)
    const { done, begunAt } = isDamaged ? { done: 0, begunAt: 0 } : live.cursor
    const growing = next ?? (!isDamaged && isCatchingUp(spool, live) ? live : null)
    return {
      cursor: this.#cursor,
      done,
      begunAt,
      usage: { used: sum((one) => one.used), file: sum((one) => one.file), wal: sum((one) => one.wal) },
      progress: growing === null ? null : progressOf(spool, growing),
      damage: this.#damage,
      older: (isDamaged ? next : live)?.older.length ?? 0,
    }
  }

  /** Closes the files, with their logs moved into them where possible. */
  close(): void {
    for (const file of this.#next === null ? [this.#live] : [this.#live, this.#next]) {
      try {
        file.checkpoint()
      } catch (error) {
        // SQLite reads the log at the next start.
        const why = error instanceof Error ? error.message : String(error)
        this.#parts.log(`${file.path} was closed without a checkpoint: ${why}`)
      } finally {
        file.close()
      }
    }
  }

  /** @param missing records before the cursor without rows: none in a new file, unknown (`null`) in an old one. */
  #open(path: string, missing: IndexFile['missing'] = []): IndexFile {
    const { db, warning } = openIndex(path, () => newIndexStart(this.#parts))
    if (warning !== null) this.#parts.log(warning)
    return new IndexFile(path, db, { now: this.#parts.now, skipped: this.#skipped, missing })
  }

  #digestLive(): Batch {
    try {
      const batch = this.#live.digestNext(this.#parts)
      this.#cursor = batch.upTo ?? this.#cursor
      return batch
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError || !isIndexUnusable(error)) throw error
      this.damaged(error.message)
      return EMPTY_BATCH
    }
  }

  /** A rebuild that cannot continue is restarted (damage), given up, or switched to at once (no disk space). */
  #recoverRebuild(next: IndexFile, error: Error): void {
    if (isIndexUnusable(error)) {
      next.close()
      removeIndex(next.path)
      this.#next = this.#open(next.path)
    } else if (isDiskFull(error)) {
      if (this.#damage !== null) {
        this.#inPlace = true
        return
      }
      next.close()
      removeIndex(next.path)
      this.#next = null
      this.#parts.log(
        'the rebuild was stopped: the disk has no space for a second index. The old index stays; free space and rebuild again',
      )
    }
  }

  #eraseFromLive(seqs: readonly number[]): void {
    try {
      this.#live.erase(seqs)
    } catch (error) {
      if (!(error instanceof Error) || !isIndexUnusable(error)) throw error
      this.damaged(error.message)
    }
  }

  /** Forgets numbers that every file has passed: numbers are never reused. */
  #forgetSkipped(): void {
    if (this.#live.missing === null || this.#next?.missing === null) return
    const upTo = Math.min(this.#damage === null ? this.#cursor : Infinity, this.#next?.cursor.seq ?? Infinity)
    for (const seq of this.#skipped) if (seq <= upTo) this.#skipped.delete(seq)
  }
}
