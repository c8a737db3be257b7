import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { isDamage, isDiskFull } from '../runtime/sqlite-errors'
import { advance } from './advance'
import { type Batch, recordsBySeq } from './digest-batch'
import { type DigestState, isGrowing, type Step, stateOf } from './digest-state'
import { fromSpool, SpoolDamagedError } from './index-damage'
import { IndexFile } from './index-file'
import { indexPath, newIndexStart, nextIndexPath, openIndex, removeIndex, replaceIndex } from './index-open'
import type { SpoolRecord } from './traverse-record'

export interface DigestParts {
  readonly folder: string
  /** A connection that reads the record. */
  readonly spool: Database
  readonly limits: ReadLimits
  readonly now: () => number
  /** Where a sentence for people goes. */
  readonly say: (sentence: string) => void
}

const NOTHING: Batch = { upTo: null, undigested: [], more: false }

/**
 * The rows of a folder, kept up with the record. Rows can be made anew beside those that are served: live batches go
 * into the old file, batches of the whole record into the new one, in turns, until the new one takes its place. A
 * process that dies at any step finds either file as it was, and goes on.
 */
export class Digest {
  readonly #parts: DigestParts
  #live: IndexFile
  #next: IndexFile | null = null
  /** The old rows make room at once: there is none for both. */
  #inPlace = false
  #damage: string | null = null
  /** Numbers of records that go: rows that do not reach them yet make none of them. */
  readonly #skipped = new Set<number>()
  /** Where the served rows were last known to reach: a damaged file may not tell. */
  #cursor: number

  /** @throws what keeps the files from being opened, but never damage: rows can be made again. */
  constructor(parts: DigestParts) {
    this.#parts = parts
    this.#live = this.#open(indexPath(parts.folder), null)
    this.#cursor = this.#live.cursor.seq
    // Left behind by a process that ended: it is gone on with, or begun anew when it is of another version.
    const next = nextIndexPath(parts.folder)
    if (existsSync(next)) this.#next = this.#open(next, null)
    // Rows that are on their way themselves are not served beside others.
    this.#inPlace = this.#next !== null && isGrowing(this.#parts.spool, this.#live)
  }

  get cursor(): number {
    return this.#cursor
  }

  /** One batch of what is new, and while rows are made anew one batch of those. */
  step(): Step {
    const batch = this.#damage === null ? this.#advanceLive() : NOTHING
    const next = this.#next
    if (next === null) return { batch, more: batch.more, switchable: false, trouble: null }
    try {
      const rebuilt = advance(next, this.#parts)
      const switchable = this.#inPlace || (rebuilt.upTo === null && batch.upTo === null)
      return { batch, more: !switchable, switchable, trouble: null }
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError) throw error
      this.#recoverRebuild(next, error)
      return { batch, more: false, switchable: this.#inPlace, trouble: error.message }
    }
  }

  /** Takes away the rows of these records, in every file; done when this returns. Erasing twice is erasing once. */
  erase(seqs: readonly number[]): void {
    for (let rest = [...seqs].sort((a, b) => a - b); rest.length > 0; ) {
      const records = fromSpool(() => recordsBySeq(this.#parts.spool, rest))
      // What is gone from the spool has no walk; the batch ends where its bytes do.
      const end = records.length === 0 ? rest.length : rest.indexOf(records.at(-1)?.seq ?? 0) + 1
      this.#eraseEverywhere(rest.slice(0, end), records)
      rest = rest.slice(end)
    }
    this.#forgetPassed()
  }

  /**
   * Begins to make all rows anew; nothing when that is under way.
   * @param beside there is room for the old rows beside the new ones. If not, they make room at once.
   */
  rebuild(beside: boolean): void {
    if (this.#next !== null || isGrowing(this.#parts.spool, this.#live)) return
    this.#inPlace = !beside
    this.#next = this.#open(nextIndexPath(this.#parts.folder))
  }

  /** Somebody read damage in the rows that are served: they are made anew. */
  damaged(why: string): void {
    if (this.#damage !== null) return
    this.#damage = why
    this.#parts.say(`the rows in telemetry.db are damaged (${why}); they are made again from spool.db`)
    this.#next ??= this.#open(nextIndexPath(this.#parts.folder))
  }

  /**
   * The new rows take the place of the old ones. Nobody else of this process may have either file open.
   * @throws when another program keeps a file from being folded, or the disk fails: the old rows are served further.
   */
  switchOver(): void {
    const next = this.#next
    if (next === null) return
    // What came since must not vanish from sight: the new rows reach at least as far.
    while (!this.#inPlace && next.cursor.seq < this.#cursor && advance(next, this.#parts).upTo !== null);
    next.fold()
    if (this.#damage === null) this.#live.fold()
    next.close()
    this.#live.close()
    this.#next = null
    const { folder } = this.#parts
    let { missing } = this.#live
    try {
      const aside = replaceIndex(folder, this.#damage)
      if (aside !== null) this.#parts.say(aside)
      this.#inPlace = false
      this.#damage = null
      missing = next.missing
    } finally {
      this.#live = this.#open(indexPath(folder), missing)
      this.#cursor = this.#live.cursor.seq
      if (existsSync(nextIndexPath(folder))) this.#next = this.#open(nextIndexPath(folder))
    }
  }

  state(): DigestState {
    const [live, next] = [this.#live, this.#next]
    return stateOf(this.#parts.spool, { live, next, damage: this.#damage, cursor: this.#cursor })
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
  #recoverRebuild(next: IndexFile, error: Error): void {
    if (isDamage(error)) {
      this.#restartRebuild(next)
    } else if (isDiskFull(error)) {
      if (this.#damage !== null) {
        this.#inPlace = true
        return
      }
      next.close()
      removeIndex(next.path)
      this.#next = null
      this.#parts.say(
        'the disk has no room for new rows beside the old ones: the old rows stay; make room and digest again',
      )
    }
  }

  #open(path: string, missing: IndexFile['missing'] = []): IndexFile {
    const { db, trouble } = openIndex(path, () => newIndexStart(this.#parts))
    if (trouble !== null) this.#parts.say(trouble)
    return new IndexFile(path, db, { now: this.#parts.now, skipped: this.#skipped, missing })
  }

  #advanceLive(): Batch {
    try {
      const batch = advance(this.#live, this.#parts)
      this.#cursor = batch.upTo ?? this.#cursor
      return batch
    } catch (error) {
      if (!(error instanceof Error) || error instanceof SpoolDamagedError || !isDamage(error)) throw error
      this.damaged(error.message)
      return NOTHING
    }
  }

  #eraseEverywhere(seqs: readonly number[], records: readonly SpoolRecord[]): void {
    for (const seq of seqs) this.#skipped.add(seq)
    this.#eraseNext(seqs, records)
    if (this.#damage !== null) return
    try {
      // New rows are begun before the old ones are left as they are, so that no end of the process comes between.
      this.#live.erase(seqs, records, this.#parts.limits, (record, why) => this.#lost(record, why))
    } catch (error) {
      if (!(error instanceof Error) || !isDamage(error)) throw error
      this.damaged(error.message)
    }
  }

  #eraseNext(seqs: readonly number[], records: readonly SpoolRecord[]): void {
    const next = this.#next
    if (next === null) return
    let isLost = false
    try {
      next.erase(seqs, records, this.#parts.limits, (_record, why) => {
        isLost = true
        throw why
      })
    } catch (error) {
      if (!isLost) throw error
      this.#restartRebuild(next)
    }
  }

  /** Of a body that changed since, nobody can tell which rows it made: the rows of all others are made anew. */
  #lost({ seq }: SpoolRecord, why: Error): void {
    if (this.#next !== null) return
    this.#parts.say(
      `submission ${seq} cannot be read any more (${why.message}), so its rows cannot be told from others: all rows are made again from spool.db`,
    )
    // Room is being made: there may be none for both.
    this.#inPlace = true
    this.#next = this.#open(nextIndexPath(this.#parts.folder))
  }

  #restartRebuild(next: IndexFile): void {
    next.close()
    removeIndex(next.path)
    this.#next = this.#open(next.path)
  }

  /** What every file has reached need not be remembered: numbers are not given twice. */
  #forgetPassed(): void {
    if (this.#live.missing === null || this.#next?.missing === null) return
    const upTo = Math.min(this.#damage === null ? this.#cursor : Infinity, this.#next?.cursor.seq ?? Infinity)
    for (const seq of this.#skipped) if (seq <= upTo) this.#skipped.delete(seq)
  }
}
