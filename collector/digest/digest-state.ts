import type { FileUse, Rebuild } from '../../lib/wire/storage'
import type { Batch } from './digest-batch'

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
