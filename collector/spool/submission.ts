import type { Quantity } from '../../lib/protocol/data-category'
import type { Outcome } from '../../lib/protocol/outcome'
import type { Door } from '../../lib/protocol/record'

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
  /** What the address of a report's endpoint says: `sentry_release`, `sentry_environment`. */
  readonly query?: Readonly<Record<string, string>>
}

/** One received body on its way into the spool. */
export interface Submission {
  readonly receipt: string
  readonly receivedAt: number
  readonly door: Door
  readonly project: string
  readonly publicKey: string
  readonly stamp: string | null
  readonly facts: SubmissionFacts
  /** One entry per item, in order. */
  readonly quantities: readonly Quantity[]
  readonly body: Uint8Array
  /**
   * What is settled at the door: `owed` upstream, an outcome (`kept`, `filtered`), or `copy` (beside the path: never
   * owed, never counted).
   */
  readonly fate: 'owed' | 'copy' | { readonly outcome: Outcome; readonly reason: string }
}

export interface Appended {
  readonly seq: number
  readonly journal: number
  /**
   * Only where it is owed from now on: whoever was told of all that was owed to this upstream up to here has missed
   * nothing before it.
   */
  readonly owedAfter?: number
}

/** Nothing was stored, for so many bytes more would be beyond the cap. */
export interface NoRoom {
  readonly needed: number
  /** Not even were nothing else kept. */
  readonly fitsNever?: true
}

/** What a delivery attempt decided: for all items, or for some by index. `null` leaves the envelope owed. */
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
  readonly form: 'received'
  readonly sha256: string
  readonly bytes: number
  readonly maybeDelivered: boolean
  readonly decision: Decision
}

/** A limit as it is stored: per key, project and category (`all` for every one). */
export interface StoredLimit {
  readonly publicKey: string
  readonly project: string
  readonly category: string
  /** ms since the epoch. */
  readonly until: number
  readonly toldAt: number
  readonly reason: string | null
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
