import * as z from 'zod'

/** The causes of losses: the SDK, the intake endpoint, the relay (by a rule or for disk space), upstream, a person. */
export const LOST_BY = ['sdk', 'endpoint', 'waystation', 'upstream', 'person'] as const

const lossSchema = z.object({
  by: z.enum(LOST_BY),
  /** e.g. `ratelimit_backoff`, `limited`, `upstream_413`, `backlog_full`. */
  reason: z.string(),
  /** `null` for refused envelopes, which have no parsed items: their quantity counts envelopes. */
  category: z.string().nullable(),
  quantity: z.number(),
})
export type Loss = z.infer<typeof lossSchema>

const amount = z.number()

/**
 * In quantities: `received = pending + accepted + kept + filtered + rate_limited + invalid + overflow + expired +
 * dropped + unexplained`, `made = received + discarded + notSent` and `made = accepted + kept + pending + lost + notSent +
 * unexplained`.
 */
export const ledgerRowSchema = z.object({
  category: z.string(),
  made: amount,
  /** Not sent by choice: sampled out or filtered by the developer, according to client reports. Not lost. */
  notSent: amount,
  /**
   * Arrived, although the SDK reported a `network_error`: the connection closed before our answer was sent. Part of
   * `received`, not of `discarded` and `lost`.
   */
  unseen: amount,
  /** `discarded` and every outcome except accepted and kept. */
  lost: amount,
  /** Lost by SDKs before sending, according to client reports. */
  discarded: amount,
  received: amount,
  /** Includes dead letters. */
  pending: amount,
  accepted: amount,
  kept: amount,
  filtered: amount,
  rate_limited: amount,
  invalid: amount,
  overflow: amount,
  expired: amount,
  dropped: amount,
  /** Received, but neither pending nor decided: 0 unless the ledger is wrong. */
  unexplained: amount,
})
export type LedgerRow = z.infer<typeof ledgerRowSchema>

/**
 * `GET /query/losses?stamp=S`: how much telemetry was made, accepted, not sent and lost, by whom and why. Quantities
 * of different categories are never added.
 */
export const lossesSchema = z.object({
  now: z.number(),
  journal: z.number(),
  /** The stamp of the query; `null` for all telemetry. */
  stamp: z.string().nullable(),
  categories: z.array(ledgerRowSchema),
  /** The largest first; includes lost client reports, in the category `internal`. */
  losses: z.array(lossSchema),
  /** Items that SDKs did not send because the developer chose so, the largest first. They are no losses. */
  notSent: z.array(z.object({ reason: z.string(), category: z.string(), quantity: amount })),
  /** Pending items that upstream refused and no person has sent again or dropped. */
  deadLetters: z.array(z.object({ category: z.string(), status: z.number(), quantity: amount })),
  /**
   * Spans inside of the transactions that are stored here. Information, no part of the balance: an SDK counts a lost
   * transaction in the category `span` too, a received one only in `transaction`.
   */
  innerSpans: amount,
  /** One clause per data category: `span: made 14, accepted 5, lost 9 (9 ratelimit_backoff)`. */
  sentence: z.string(),
})
export type Losses = z.infer<typeof lossesSchema>
