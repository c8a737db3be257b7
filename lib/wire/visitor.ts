import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { envelopeDetailSchema } from './envelope'

const amountSchema = z.object({ category: z.string(), quantity: z.number() })

const visitorRecordSchema = z.object({
  seq: z.number(),
  /** ms since the epoch. */
  receivedAt: z.number(),
  /** Of the body as it was received. */
  bytes: z.number(),
  /** One per item. */
  items: z.array(amountSchema),
  deliveryStatus: deliveryStatusSchema,
  /** Attempts to deliver it upstream, and the last one. */
  deliveries: z.number(),
  lastDelivery: z
    .object({ at: z.number(), upstream: z.string(), status: z.number().nullable(), error: z.string().nullable() })
    .nullable(),
  /** Secrets that were removed before it was stored. */
  scrubbed: z.number(),
})
export type VisitorRecord = z.infer<typeof visitorRecordSchema>

/** `GET /query/visitor`: what the visitor sent, newest first. */
export const visitorRecordsSchema = z.object({
  records: z.array(visitorRecordSchema),
  /** The parameter `before` of the next page; `null` on the last one. */
  next: z.number().nullable(),
  /** All records of the visitor. */
  total: z.number(),
  /** Records that are not delivered yet, dead letters included. */
  pending: z.number(),
  /** Quantities of the newest records by category. */
  counts: z.array(amountSchema),
})
export type VisitorRecords = z.infer<typeof visitorRecordsSchema>

/** `GET /query/visitor/{seq}`: one record in full, with its neighbours among those of the visitor. */
export const visitorDetailSchema = z.object({
  record: envelopeDetailSchema,
  newer: z.number().nullable(),
  older: z.number().nullable(),
})
export type VisitorDetail = z.infer<typeof visitorDetailSchema>

export const visitorDeletedSchema = z.object({
  /** Records that were deleted. */
  records: z.number(),
  /** Those among them that were pending: nobody delivers them any more. */
  dropped: z.number(),
  /** Those among them that upstream received before, or may have received. */
  posted: z.number(),
  /** Posts that were in progress, and ended before their record was deleted. */
  awaited: z.number(),
})
export type VisitorDeleted = z.infer<typeof visitorDeletedSchema>
