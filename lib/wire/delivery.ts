import * as z from 'zod'

/** So many places are told of what was removed from a record: more may have been. */
export const MOST_REMOVED_TOLD = 200

/**
 * How the posted bytes differ from the record: `cut` whole items left out, `scrubbed` edited by rules, `late` with
 * `sent_at` moved forward by its wait. `received` alone: exactly the record's bytes.
 */
const FORMS = ['received', 'cut', 'scrubbed', 'late'] as const

/** An item that was cut whole. */
const leftOutSchema = z.object({
  item: z.number(),
  type: z.string(),
  category: z.string(),
  quantity: z.number(),
  /** `limited`, or `depends_on_limited`: what it belongs to was cut. */
  reason: z.string(),
})
export type LeftOut = z.infer<typeof leftOutSchema>

/** What scrubbing found, never the value. */
export const removedSchema = z.object({
  /** Name of the rule. */
  rule: z.string(),
  /**
   * Where: item number, then the way through its payload, e.g. `0.request.headers.Authorization`; `1.header.filename` in an
   * item's header line, `header.trace.transaction` in that of the envelope.
   */
  path: z.string(),
})
export type Removed = z.infer<typeof removedSchema>

/** One attempt to deliver an envelope upstream, and the answer. */
export const deliverySchema = z.object({
  id: z.number(),
  journal: z.number(),
  seq: z.number(),
  /** 1 for the first. */
  attempt: z.number(),
  /** Host and project of the upstream, never its key. */
  upstream: z.string(),
  startedAt: z.number(),
  endedAt: z.number(),
  /** `null` when no answer came: see `error`. */
  status: z.number().nullable(),
  error: z.string().nullable(),
  rateLimits: z.string().nullable(),
  retryAfter: z.string().nullable(),
  /** Upstream's words, cut at 4 KiB. */
  answer: z.string().nullable(),
  form: z.array(z.enum(FORMS)),
  /** Of the bytes that were posted; empty where none were: the record is damaged. */
  sha256: z.string(),
  bytes: z.number(),
  /** The post may have arrived although no answer came. */
  maybeDelivered: z.boolean(),
  leftOut: z.array(leftOutSchema),
  /** Also filled where scrubbing only reports: `form` says whether it was removed. The first 200 places. */
  removed: z.array(removedSchema),
})
export type Delivery = z.infer<typeof deliverySchema>

/** Did bytes go out? Of a record that cannot be read none do. */
export const wasPosted = ({ sha256 }: Pick<Delivery, 'sha256'>): boolean => sha256 !== ''

export const deliveriesPageSchema = z.object({
  deliveries: z.array(deliverySchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type DeliveriesPage = z.infer<typeof deliveriesPageSchema>
