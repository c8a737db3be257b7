import { z } from 'zod'

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
  form: z.enum(['received', 'cut', 'scrubbed', 'late']),
  /** Of the bytes that were posted. */
  sha256: z.string(),
  bytes: z.number(),
  /** The post may have arrived although no answer came. */
  maybeDelivered: z.boolean(),
})
export type Delivery = z.infer<typeof deliverySchema>

export const deliveriesPageSchema = z.object({
  deliveries: z.array(deliverySchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type DeliveriesPage = z.infer<typeof deliveriesPageSchema>
