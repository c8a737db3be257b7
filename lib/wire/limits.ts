import * as z from 'zod'

/** A category that an upstream limits, or limited. A limit received again while it runs extends it. */
export const limitSchema = z.object({
  /** Host and project of the upstream that limits. */
  upstream: z.string(),
  category: z.string(),
  /** When it was received first, and when it ends according to the last answer: ms since the epoch. */
  receivedAt: z.number(),
  until: z.number(),
  reason: z.string().nullable(),
  /** `organization`, `project` or `key`, as received. */
  scope: z.string().nullable(),
  sourceSeq: z.number().nullable(),
  /** Quantity of the category that the relay dropped while it ran; not counted for the limit of a stamp. */
  cut: z.number(),
  /** The stamp to which it applies; left out for all envelopes. */
  stamp: z.string().optional(),
})
export type Limit = z.infer<typeof limitSchema>

/** A limit of one category that was sent to one page, and the telemetry of that page afterwards. */
export const pageLimitSchema = z.object({
  /** The random id of the page load (`x-waystation-page`). */
  page: z.string(),
  upstream: z.string(),
  category: z.string(),
  sentAt: z.number(),
  until: z.number(),
  /** The envelope whose answer contained it. */
  sentWith: z.number(),
  /** The first envelope with that category while the limit ran, and how long after it was sent. */
  violated: z.object({ seq: z.number(), at: z.number(), afterMs: z.number() }).nullable(),
  /** The first envelope with that category after the limit, and how long after its end. */
  resumed: z.object({ seq: z.number(), at: z.number(), afterMs: z.number() }).nullable(),
  /** `waiting` while the limit runs and is not violated. */
  verdict: z.enum(['obeyed', 'violated', 'waiting']),
})
export type PageLimit = z.infer<typeof pageLimitSchema>

/** `GET /query/limits`: current and past limits of upstreams, and whether pages obeyed them. */
export const limitsNowSchema = z.object({
  now: z.number(),
  limits: z.array(limitSchema),
  /** Ended limits, the latest first; at most 50. */
  ended: z.array(limitSchema),
  /** The latest first; at most 200. */
  pages: z.array(pageLimitSchema),
  /** Answers that sent a limit to a client without a page header: whether it obeys cannot be judged. */
  unnamed: z.number(),
  /** True when SDKs receive the limits (`WAYSTATION_PASS_LIMITS`). */
  passLimits: z.boolean(),
  /** True when errors wait for the end of a limit instead of being dropped (`WAYSTATION_HOLD_ERRORS`). */
  holdErrors: z.boolean(),
})
export type LimitsNow = z.infer<typeof limitsNowSchema>
