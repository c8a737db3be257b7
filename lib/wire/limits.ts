import * as z from 'zod'

/** One category that an upstream limits, or limited: told again while it runs, it is the same. */
export const limitSchema = z.object({
  /** Host and project of the upstream that limits. */
  upstream: z.string(),
  /** A data category, or `all`. */
  category: z.string(),
  /** When it was told first, and when it ends as told last: ms since the epoch. */
  receivedAt: z.number(),
  until: z.number(),
  reason: z.string().nullable(),
  /** `organization`, `project` or `key`, as upstream says it. */
  scope: z.string().nullable(),
  /** The envelope whose answer told it. */
  sourceSeq: z.number().nullable(),
  /** Quantity of the category that was cut here meanwhile. */
  cut: z.number(),
})
export type Limit = z.infer<typeof limitSchema>

/** What one page was told of one category, and what came from it afterwards. */
export const pageLimitSchema = z.object({
  /** Random per page load, as its tunnel names it. */
  page: z.string(),
  upstream: z.string(),
  category: z.string(),
  sentAt: z.number(),
  until: z.number(),
  /** The envelope whose answer told it. */
  sentWith: z.number(),
  /** The first envelope with that category that came while the limit ran, and how long after it was told. */
  violated: z.object({ seq: z.number(), at: z.number(), afterMs: z.number() }).nullable(),
  /** The first that came when it had ended, and how long after its end. */
  resumed: z.object({ seq: z.number(), at: z.number(), afterMs: z.number() }).nullable(),
  /** `waiting` while the limit runs and nothing broke it. */
  verdict: z.enum(['obeyed', 'violated', 'waiting']),
})
export type PageLimit = z.infer<typeof pageLimitSchema>

/** `GET /query/limits`: what upstreams limit just now, what they limited, and whether pages obeyed. */
export const limitsNowSchema = z.object({
  now: z.number(),
  limits: z.array(limitSchema),
  /** Those that ended, the last one first; at most 50. */
  ended: z.array(limitSchema),
  /** The last told first; at most 200. */
  pages: z.array(pageLimitSchema),
  /** Answers that told a limit to a client that names no page: it cannot be judged. */
  unnamed: z.number(),
  /** Are SDKs told? (`WAYSTATION_PASS_LIMITS`) */
  passLimits: z.boolean(),
  /** Do errors wait for the end of a limit instead of being cut? (`WAYSTATION_HOLD_ERRORS`) */
  holdErrors: z.boolean(),
})
export type LimitsNow = z.infer<typeof limitsNowSchema>
