import * as z from 'zod'
import { ENDPOINTS, type Endpoint } from '../protocol/request'
import { deliverySchema, removedSchema } from './delivery'
import { deliveryStatusSchema } from './delivery-status'

/** How a submission came in. */
const endpointSchema = z.enum(ENDPOINTS)

export type { Endpoint }

const envelopeItemSchema = z.object({
  index: z.number(),
  /** As received, also when unknown. */
  type: z.string(),
  category: z.string(),
  quantity: z.number(),
  /** Of the payload. */
  bytes: z.number(),
  deliveryStatus: deliveryStatusSchema,
  /** Why the digest could not read this item; it is kept and relayed all the same. */
  problem: z.string().nullable(),
})
export type EnvelopeItem = z.infer<typeof envelopeItemSchema>

export const envelopeSummarySchema = z.object({
  /** Sequence number in the spool: the submission's identity here. */
  seq: z.number(),
  /** Journal number of its `received` fact: the cursor. */
  journal: z.number(),
  receivedAt: z.number(),
  /** `null` until the digest has been at it. */
  digestedAt: z.number().nullable(),
  /** When upstream gave its final answer; `null` when it has not, or is not pending. */
  relayedAt: z.number().nullable(),
  endpoint: endpointSchema,
  project: z.string(),
  publicKey: z.string(),
  sdk: z.string().nullable(),
  eventId: z.string().nullable(),
  traceId: z.string().nullable(),
  environment: z.string().nullable(),
  /** Decoded bytes, as recorded. */
  bytes: z.number(),
  stamp: z.string().nullable(),
  /** `undigested`: the digest threw; `evicted`: its rows made room. Kept and relayed all the same. */
  digest: z.enum(['pending', 'digested', 'undigested', 'evicted']),
  deliveryStatus: deliveryStatusSchema,
  deliveries: z.number(),
  /** The last attempt to deliver it; `null` where there was none. */
  lastDelivery: z
    .object({
      at: z.number(),
      upstream: z.string(),
      status: z.number().nullable(),
      error: z.string().nullable(),
      /** The first 200 characters of upstream's words. */
      answer: z.string().nullable(),
    })
    .nullable(),
  items: z.array(envelopeItemSchema),
})
export type EnvelopeSummary = z.infer<typeof envelopeSummarySchema>

/** Newest first. `next` continues towards older ones, `null` at the end. `journal` is the head when this was read. */
export const envelopesPageSchema = z.object({
  envelopes: z.array(envelopeSummarySchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type EnvelopesPage = z.infer<typeof envelopesPageSchema>

export const envelopeDetailSchema = envelopeSummarySchema.omit({ items: true }).extend({
  header: z.record(z.string(), z.unknown()),
  facts: z.object({
    method: z.string(),
    contentType: z.string().nullable(),
    contentEncoding: z.string().nullable(),
    userAgent: z.string().nullable(),
    origin: z.string().nullable(),
    receipt: z.string(),
    page: z.string().nullable(),
    lab: z.boolean(),
    /** What was taken out before it was stored: the record has it no more. Left out where nothing was. */
    scrubbed: z.array(removedSchema).readonly().optional(),
  }),
  items: z.array(
    envelopeItemSchema.extend({
      header: z.record(z.string(), z.unknown()),
      /** The payload as text, cut at 256 KiB; `null` when it is not UTF-8 text. */
      text: z.string().nullable(),
      truncated: z.boolean(),
    }),
  ),
  attempts: z.array(deliverySchema),
})
export type EnvelopeDetail = z.infer<typeof envelopeDetailSchema>
