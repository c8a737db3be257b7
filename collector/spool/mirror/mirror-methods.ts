import type { Database } from 'better-sqlite3'
import type { Checkpointer } from '../../runtime/checkpointer'
import { faultPoint } from '../../runtime/fault-point'
import type { ThreadCalls } from '../../runtime/thread-call'
import type { Ballast, DiskBounds } from '../disk/disk-budget'
import { readUsage } from '../disk/usage'
import { diskMethods } from '../writer-methods'
import type { Mirror } from './mirror'

interface MirrorParts {
  readonly db: Database
  /** Of spool.db. */
  readonly path: string
  readonly mirror: Mirror
  readonly checkpointer: Checkpointer
  readonly ballast: Ballast
  readonly withRemedy: (problem: string) => string
}

/**
 * The methods of the thread that keeps a mirror, for its disk budget and its digest. They have the names and groups of
 * `createWriterMethods`, so that `commitBatch` runs them and `DiskBudgetKeeper` calls them. Nothing expires here, and an
 * eviction writes neither outcomes nor totals: the shared record decides.
 */
export function createMirrorMethods(parts: MirrorParts) {
  const { mirror, checkpointer } = parts
  /** Something left for space, so there is none for older records. */
  const endReach = (seqs: readonly number[]): void => {
    if (seqs.length > 0) mirror.noteEvicted()
  }
  const evict = (seqs: readonly number[]): void => {
    mirror.evict(seqs)
    endReach(seqs)
  }
  return {
    /** Calls that the writes of the same batch depend on; they run first. */
    settings: {
      setBounds: (bounds: DiskBounds) => {
        mirror.budget.bounds = bounds
      },
    },
    writes: {
      ready: () => true,
      noteDigested: mirror.noteDigested.bind(mirror),

      // The next batch of sequence numbers that may be deleted, oldest first; empty when there are none.
      settledRecords: (upTo: number, bytes?: number) => mirror.evictor.settledRecords(upTo, bytes),
      agedRecords: (before: number, now: number) => mirror.evictor.agedRecords(before, now),
      copyRecords: (upTo: number, bytes?: number) => mirror.evictor.copyRecords(upTo, bytes),
      recordsWithRows: (upTo: number, bytes?: number) => mirror.evictor.recordsWithRows(upTo, bytes),
      /** Dead letters, then pending records: the classes that are evicted last. */
      deadLetterRecords: (upTo: number, bytes?: number) => {
        const dead = mirror.evictor.deadLetterRecords(upTo, bytes)
        return dead.length > 0 ? dead : mirror.evictor.pendingRecords(upTo)
      },
      expiredRecords: (_upTo: number): readonly number[] => [],

      // Delete records, whose rows must be deleted before.
      evictSettled: (seqs: readonly number[]) => {
        mirror.evictor.evictSettled(seqs)
        endReach(seqs)
        faultPoint('evict')
      },
      evictAged: (seqs: readonly number[]) => {
        mirror.evictor.evictAged(seqs)
        endReach(seqs)
      },
      evictCopies: (seqs: readonly number[]) => mirror.evictor.evictCopies(seqs),
      evictDeadLetters: evict,
      evictExpired: evict,
      noteRowsEvicted: (seqs: readonly number[]) => {
        mirror.evictor.noteRowsEvicted(seqs)
        endReach(seqs)
      },
    },
    /** Calls that must not run in a transaction, or must work while another program keeps the file locked; they run last. */
    maintenance: {
      usage: () => ({
        ...readUsage({
          ...parts,
          writer: mirror,
          log: checkpointer.state,
          expiresAfterMs: Number.POSITIVE_INFINITY,
          isPendingLost: () => false,
        }),
        // A mirror refuses nothing, however much of it is pending.
        isBacklogFull: false,
      }),
      ...diskMethods(parts),
    },
  }
}

type MirrorMethods = ReturnType<typeof createMirrorMethods>

export type MirrorCalls = ThreadCalls<
  MirrorMethods['settings'] & MirrorMethods['writes'] & MirrorMethods['maintenance']
>
