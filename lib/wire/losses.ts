import * as z from 'zod'

/** Who lost it: the SDK itself, our endpoint, our relay by a rule or for want of room, upstream, or a person who dropped it. */
export const LOST_BY = ['sdk', 'endpoint', 'waystation', 'upstream', 'person'] as const

const lossSchema = z.object({
  by: z.enum(LOST_BY),
  /** e.g. `ratelimit_backoff`, `limited`, `upstream_413`, `backlog_full`. */
  reason: z.string(),
  /** `null` at the endpoint: what is refused there has no items, its quantity counts envelopes. */
  category: z.string().nullable(),
  quantity: z.number(),
})
export type Loss = z.infer<typeof lossSchema>

const amount = z.number()

/**
 * One data category of the ledger, in quantities: `received = pending + accepted + kept + filtered + rate_limited + invalid +
 * overflow + expired + dropped + unexplained` and `made = received + discarded`.
 */
export const ledgerRowSchema = z.object({
  category: z.string(),
  made: amount,
  /** What SDKs discarded before they sent it, as their client reports say. */
  discarded: amount,
  received: amount,
  /** Dead letters among them. */
  pending: amount,
  accepted: amount,
  kept: amount,
  filtered: amount,
  rate_limited: amount,
  invalid: amount,
  overflow: amount,
  expired: amount,
  dropped: amount,
  /** Received, and neither pending nor decided: always 0 while the ledger is right. */
  unexplained: amount,
})
export type LedgerRow = z.infer<typeof ledgerRowSchema>

/** `GET /query/losses?stamp=S`: what was made, what of it is accepted, what was lost, by whom and why. */
export const lossesSchema = z.object({
  now: z.number(),
  journal: z.number(),
  /** Whose; `null` for everybody's. */
  stamp: z.string().nullable(),
  categories: z.array(ledgerRowSchema),
  /** The largest first; client reports that were lost are among them, in the category `internal`. */
  losses: z.array(lossSchema),
  /** Among what is pending: what upstream refused for what it is, and no person has sent again or dropped. */
  deadLetters: z.array(z.object({ category: z.string(), status: z.number(), quantity: amount })),
  /**
   * Sums over the categories but `internal`: a client report tells of losses, and is nothing that a program made.
   * `made = accepted + kept + pending + lost + unexplained`; `lost` without the endpoint's.
   */
  made: amount,
  accepted: amount,
  kept: amount,
  pending: amount,
  lost: amount,
  /** Over all categories, `internal` included. */
  unexplained: amount,
  /** e.g. `made 214, accepted 201, lost 13: 9 ratelimit_backoff of span, 3 sample_rate of transaction, 1 upstream_413 of attachment`. */
  sentence: z.string(),
})
export type Losses = z.infer<typeof lossesSchema>
