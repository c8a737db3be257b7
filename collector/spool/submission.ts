import type { Quantity } from '../../lib/protocol/data-category'
import type { Outcome } from '../../lib/protocol/outcome'
import type { Endpoint } from '../../lib/protocol/record'
import type { Delivery, LeftOut, Removed } from '../../lib/wire/delivery'

/** The request facts that are kept beside the bytes. */
export interface SubmissionFacts {
  readonly method: string
  readonly contentType: string | null
  readonly contentEncoding: string | null
  readonly userAgent: string | null
  /** Client hints (`sec-ch-ua…`), passed on upstream. */
  readonly clientHints: Readonly<Record<string, string>>
  readonly origin: string | null
  /** The client's address, from a trusted hop only. */
  readonly forwardedFor: string | null
  readonly page: string | null
  /** Caused by the lab: leaves this machine only when a person says so. */
  readonly lab: boolean
  /** How many ms it was in the lifeboat of its tunnel; absent where it came at once, and its sender reads the answer. */
  readonly keptMs?: number
  /** What the address of a report's endpoint says: `sentry_release`, `sentry_environment`. */
  readonly query?: Readonly<Record<string, string>>
  /** What was taken out of the body before it was stored, by rule and path; left out where nothing was. */
  readonly scrubbed?: readonly Removed[]
}

/** So much of a category was discarded by the SDK itself, as its client report says. */
export interface Discard extends Quantity {
  readonly reason: string
}

/** One received body on its way into the spool. */
export interface Submission {
  readonly receipt: string
  readonly receivedAt: number
  readonly endpoint: Endpoint
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  readonly facts: SubmissionFacts
  /** One entry per item, in order. */
  readonly quantities: readonly Quantity[]
  /** What its client reports say, all together. */
  readonly discards: readonly Discard[]
  /** Limits that its answer tells; empty where nothing is limited. */
  readonly reportedLimits: readonly ReportedLimit[]
  readonly body: Uint8Array
  /**
   * What is settled at the endpoint: `pending` upstream, an outcome (`kept`, `filtered`), or `copy` (beside the path: never
   * pending, never counted).
   */
  readonly deliveryStatus: 'pending' | 'copy' | { readonly outcome: Outcome; readonly reason: string }
}

/** A limit as a sender is told it. */
export interface ReportedLimit {
  /** As upstream names it; `all` for every one. */
  readonly category: string
  /** ms since the epoch. */
  readonly until: number
}

export interface Appended {
  readonly seq: number
  readonly journal: number
  /**
   * Only where it is pending from now on: whoever was told of all that was pending to this upstream up to here has missed
   * nothing before it.
   */
  readonly pendingAfter?: number
}

/** Nothing was stored, for so many bytes more would be beyond the cap. */
export interface NoRoom {
  readonly needed: number
  /** Not even were nothing else kept. */
  readonly fitsNever?: true
}

/** What a delivery attempt decided: for all items, or for some by index. `null` leaves the envelope pending. */
export type Decision =
  | readonly { readonly item: number; readonly outcome: Outcome; readonly reason: string | null }[]
  | null

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
  /** Items that were cut from this post, and what scrubbing removed. */
  readonly leftOut: readonly LeftOut[]
  readonly removed: readonly Removed[]
  readonly decision: Decision
  /** Refused for what it is: it becomes a dead letter. Then there is no decision. */
  readonly dead: boolean
  /** What was cut from it and is to be told upstream, once this attempt decides. */
  readonly toReport: readonly Discard[]
}

/** Limits that are kept of one key and project: an answer can name as many categories as it likes. */
export const MOST_LIMITS = 100

/** A limit as it is stored: per key, project and category (`all` for every one). */
export interface StoredLimit {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  /** ms since the epoch; 0 where it is over, and need not be kept. */
  readonly until: number
  readonly receivedAt: number
  readonly reason: string | null
  readonly scope: string | null
  /** The envelope whose answer told it. */
  readonly sourceSeq: number | null
}

/** A limit whose end is another time of day than was stored, for the clock was set since; or one that is over. */
export interface CorrectedLimit extends StoredLimit {
  /** By how much its times were moved, in ms; 0 where it is over. */
  readonly by: number
}

/** The setting that a rebuild reads: rows of records up to this one were evicted and are not made again. */
export const ROWS_FROM = 'rows_from'

/** `item` of an outcome row that speaks for the whole submission. */
export const EVERY_ITEM = -1

/** A body on record cannot be read as it was stored. Errors cross threads by their name. */
export class BodyDamagedError extends Error {
  static readonly NAME = 'BodyDamagedError'

  constructor(why: string) {
    super(`the body on record is damaged: ${why}`)
    this.name = BodyDamagedError.NAME
  }
}
