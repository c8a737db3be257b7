import type { Endpoint } from '../../../lib/protocol/request'
import type { Discard } from '../../../lib/protocol/submission'
import type { JournalFact } from '../../../lib/wire/journal'
import type { LedgerEntry } from '../ledger/ledger-entries'
import type { Attempt, StoredLimit } from '../submission'

/** The last batch that a mirror has applied: the number of its last fact, and its id. */
export interface MirrorCursor {
  readonly n: number
  /**
   * `null` at the start of an empty record, and among numbers whose batches are so old that their ids are deleted. After a
   * failover a number may be used again, by another batch.
   */
  readonly batch: string | null
}

/** Consecutive batches of the shared record, whole and in the order of their commits. */
export interface JournalPage {
  /** The cursor that the page follows. */
  readonly from: MirrorCursor
  readonly upTo: MirrorCursor
  /**
   * Contiguous: the first is `from.n + 1`, the last `upTo.n`. After `from.n` 0 the first may have any number: the shared
   * record starts with the oldest one that it keeps.
   */
  readonly facts: readonly Pick<JournalFact, 'n' | 'at' | 'kind' | 'seq'>[]
  /**
   * One per `received` fact, in their order, unless the record was deleted since. The number of the fact is its `seq`.
   */
  readonly records: readonly MirroredRecord[]
  /** One per `delivered` fact, in their order, unless the record was deleted or dropped since. */
  readonly attempts: readonly MirroredAttempt[]
  /** Those that `decided` facts wrote, unless the record was deleted or dropped since. */
  readonly outcomes: readonly MirroredOutcome[]
  /** Changes of the ledger totals, for those of each stamp, too. With a base, only those after it. */
  readonly totals: readonly MirroredTotal[]
  /** Replaces the ledger totals before `totals` are added. Those of stamps stay. */
  readonly base?: {
    /** Number of the last fact that it counts; it may be after `upTo`. */
    readonly upTo: number
    /** Without stamps; `journal` is 0. */
    readonly totals: readonly MirroredTotal[]
  }
  /**
   * Changes that have no number, in order. A mirror applies deletions after the facts of the page, and all others before the
   * facts of their batch, so that a decision is counted for a limit that was stored in the same batch or before.
   */
  readonly changes: readonly (MirroredChange & {
    /** The last number before the batch; absent or 0 where it is not known: applied before all facts of the page. */
    readonly after?: number
  })[]
}

/** A submission as stored. */
export interface MirroredRecord {
  readonly seq: number
  readonly receipt: string
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  /** JSON. */
  readonly facts: string
  /** JSON. */
  readonly quantities: string
  /** JSON of the limits that its answer reported; `null` for none. */
  readonly reportedLimits: string | null
  /** Of the body as received. */
  readonly bytes: number
  readonly deflated: boolean
  readonly checksum: number
  readonly body: Uint8Array
  /** On receipt. A record that is kept has outcomes in the same page. */
  readonly status: 'pending' | 'copy' | 'decided'
  /** Bytes that it counts for in a disk budget. */
  readonly storedBytes: number
}

/** The state of the shared record at the end of a batch, without its facts and records. */
export interface MirrorStart {
  /** The batch. A mirror follows from here. */
  readonly cursor: MirrorCursor
  /** Time of the batch, ms since the epoch. */
  readonly at: number
  /** Lowest number of the shared journal. */
  readonly oldest: number
  /** All, in an order in which a mirror can add them. */
  readonly totals: readonly MirroredTotal[]
  /** Summed where their order does not matter. */
  readonly changes: readonly MirroredChange[]
}

/** Consecutive facts before those that a mirror has, with the records that are left of them, and their present state. */
export interface OlderPage {
  /** The newest batch of the shared record when the page was read: the state is that of this batch. */
  readonly at: MirrorCursor
  readonly first: number
  readonly upTo: number
  /** Lowest number of the shared journal. */
  readonly oldest: number
  /** One per number. */
  readonly facts: JournalPage['facts']
  readonly records: readonly OlderRecord[]
  /** Of these records, oldest first, whatever their numbers. */
  readonly attempts: readonly Pick<MirroredAttempt, 'n' | 'attempt'>[]
  /** Of these records. */
  readonly outcomes: readonly MirroredOutcome[]
}

export interface OlderRecord extends MirroredRecord {
  readonly isPending: boolean
  /** When it became a dead letter, ms since the epoch; `null` if it is none. */
  readonly diedAt: number | null
  /** Status of the answer that refused it. */
  readonly diedWith: number | null
}

export interface MirroredAttempt {
  /** Number of its `delivered` fact. */
  readonly n: number
  readonly attempt: Attempt
  /** The record was pending, and became a dead letter by it. */
  readonly becameDead: boolean
}

export interface MirroredOutcome {
  readonly seq: number
  readonly item: number
  readonly outcome: string
  readonly reason: string | null
  readonly at: number
}

export interface MirroredTotal extends LedgerEntry {
  readonly stamp: string | null
  /** Number of the `received` fact of the record that it counts. */
  readonly journal: number
}

export type MirroredChange =
  | {
      readonly kind: 'refusal'
      readonly reason: string
      readonly bytes: number
      readonly path: string | null
      /** Refused bodies; absent for one. */
      readonly envelopes?: number
    }
  | { readonly kind: 'pages'; readonly documents: number; readonly pages: number }
  | { readonly kind: 'limits'; readonly limits: readonly StoredLimit[] }
  /** A person cleared these records, or their visitor deleted them. Facts of the same page may have decided them. */
  | { readonly kind: 'deleted'; readonly seqs: readonly number[] }
  | { readonly kind: 'setting'; readonly name: string; readonly value: string | null }
  | {
      readonly kind: 'cut'
      readonly publicKey: string
      readonly project: string
      readonly discards: readonly Discard[]
      /** -1 where a client report has told upstream. */
      readonly sign: 1 | -1
    }
