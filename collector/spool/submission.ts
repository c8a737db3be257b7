import type { Outcome } from '../../lib/protocol/outcome'
import type { Discard } from '../../lib/protocol/submission'
import type { Delivery, LeftOut, Removed } from '../../lib/wire/delivery'

export interface Appended {
  readonly seq: number
  readonly journal: number
  /** The previous pending submission of the same upstream: a relay that has read up to it has missed nothing. */
  readonly pendingAfter?: number
}

/** Nothing was stored: `needed` bytes more do not fit below the cap, or into the share of pending records or of copies. */
export interface DiskBudgetExceeded {
  readonly needed: number
  /** Pending records fill their share: eviction would not help. */
  readonly backlogFull?: true
  /** A copy: only older copies are evicted for it. */
  readonly copiesFull?: true
  /** The database of a shared record has reached its size. */
  readonly storeFull?: true
  /** It would not fit even into an empty folder, or an empty share. */
  readonly exceedsCap?: boolean
}

/** Outcomes that a delivery attempt decided, for every item or by item index; `null` leaves the envelope pending. */
export type Decision =
  | readonly { readonly item: number; readonly outcome: Outcome; readonly reason: string | null }[]
  | null

/** An outcome as it is stored. `item` is an item index, or `EVERY_ITEM`. */
export interface DecidedItem {
  readonly item: number
  readonly outcome: string
  readonly reason: string | null
}

/** `item` of an outcome that applies to every item of a submission. */
export const EVERY_ITEM = -1

export interface Attempt {
  readonly seq: number
  readonly upstream: string
  readonly startedAt: number
  readonly endedAt: number
  readonly status: number | null
  readonly error: string | null
  readonly rateLimits: string | null
  readonly retryAfter: string | null
  readonly answer: string | null
  readonly form: Delivery['form']
  readonly sha256: string
  readonly bytes: number
  readonly maybeDelivered: boolean
  readonly leftOut: readonly LeftOut[]
  /** Secrets that scrubbing removed from it. */
  readonly removed: readonly Removed[]
  readonly decision: Decision
  /** Upstream refused it in a way that a retry would not change: it becomes a dead letter, and `decision` is `null`. */
  readonly dead: boolean
  /** The record is on a damaged page, so nothing is known of its items. */
  readonly unreadable?: boolean
  /** Items that were cut, to be reported upstream once this attempt decides. */
  readonly toReport: readonly Discard[]
}

/** Limits stored per key and project: an answer can name as many categories as it likes. */
export const MAX_LIMITS_PER_PROJECT = 100

export interface StoredLimit {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  /** ms since the epoch; 0 for a limit that ended, which is deleted. */
  readonly until: number
  readonly receivedAt: number
  readonly reason: string | null
  readonly scope: string | null
  readonly sourceSeq: number | null
  /** A limit that a test scripted applies to its stamp alone, and is not stored. */
  readonly stamp?: string
}

export interface CorrectedLimit extends StoredLimit {
  /** By how many ms its times moved; 0 for one that ended. */
  readonly by: number
}

/** The setting that a rebuild of the index reads: rows of records up to this number were evicted and are not rebuilt. */
export const ROWS_FROM = 'rows_from'

/** The setting of a mirror's own file: the last batch that it has. A record of its own has none. */
export const MIRROR_CURSOR = 'mirror cursor'

/** The setting of a mirror's own file: how far back it reaches. One that began at the oldest number has none. */
export const MIRROR_REACH = 'mirror reach'
