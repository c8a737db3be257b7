import type { Database } from 'better-sqlite3'
import type { FileUse, Rebuild } from '../../lib/wire/storage'
import { type Batch, headOf, rowsFrom } from './digest-batch'
import { type IndexFile, useOfFile } from './index-file'

/** How the rows stand. */
export interface DigestState {
  readonly cursor: number
  /** Of the rows that are served: records that were digested into them, and when they were begun. */
  readonly done: number
  readonly begunAt: number
  /** Both files, while rows are made anew. */
  readonly usage: FileUse
  readonly progress: Rebuild | null
  /** Why the rows that are served are not to be trusted; `null` when they are. */
  readonly damage: string | null
}

export interface Step {
  /** What came into the rows that are served. */
  readonly batch: Batch
  /** There may be more to do at once. */
  readonly more: boolean
  /** The new rows have caught up: they can take their place once nobody reads the old ones. */
  readonly switchable: boolean
  /** Why the new rows did not go on; what came into those that are served is there all the same. */
  readonly trouble: string | null
}

/** What there is of rows. */
interface Files {
  readonly live: IndexFile
  /** New rows, that are to take the place of the others. */
  readonly next: IndexFile | null
  readonly damage: string | null
  readonly cursor: number
}

/** Reads it from the files; of one that is damaged only its size is asked. */
export function stateOf(spool: Database, { live, next, damage, cursor }: Files): DigestState {
  const use = damage === null ? live.use() : useOfFile(live.path)
  const uses = next === null ? [use] : [use, next.use()]
  const sum = (of: (use: FileUse) => number): number => uses.reduce((all, one) => all + of(one), 0)
  const { done, begunAt } = damage === null ? live.cursor : { done: 0, begunAt: 0 }
  const grows = next ?? (damage === null && isGrowing(spool, live) ? live : null)
  return {
    cursor,
    done,
    begunAt,
    usage: { used: sum((one) => one.used), file: sum((one) => one.file), wal: sum((one) => one.wal) },
    progress: grows === null ? null : progressOf(spool, grows),
    damage,
  }
}

/** Are these rows still on their way through what was there before them? */
export function isGrowing(spool: Database, file: IndexFile): boolean {
  const { seq, goal } = file.cursor
  // The records up to the goal may have been evicted before their turn came.
  return seq < Math.min(goal, headOf(spool))
}

function progressOf(spool: Database, file: IndexFile): Rebuild {
  const { seq, done, begunAt } = file.cursor
  // Numbers that are gone are counted until they are passed: in the end it is exact.
  const left = Math.max(0, headOf(spool) - Math.max(seq, rowsFrom(spool)))
  return { done, of: done + left, startedAt: begunAt }
}
