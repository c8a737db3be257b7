import * as z from 'zod'
import { ENDPOINTS, type Endpoint } from '../protocol/request'
import { deliverySchema, removedSchema } from './delivery'
import { deliveryStatusSchema } from './delivery-status'
import { pageSchema } from './page-schema'

const endpointSchema = z.enum(ENDPOINTS)

export type { Endpoint }

const envelopeItemSchema = z.object({
  index: z.number(),
  /** As received; may be unknown. */
  type: z.string(),
  category: z.string(),
  quantity: z.number(),
  bytes: z.number(),
  deliveryStatus: deliveryStatusSchema,
  /** Why the digest could not parse this item; it is stored and relayed nevertheless. */
  problem: z.string().nullable(),
})
export type EnvelopeItem = z.infer<typeof envelopeItemSchema>

export const envelopeSummarySchema = z.object({
  /** Sequence number in the spool, which identifies the submission. */
  seq: z.number(),
  /** Journal number of its `received` fact: the cursor. */
  journal: z.number(),
  receivedAt: z.number(),
  /** `null` until it is digested. */
  digestedAt: z.number().nullable(),
  /** When upstream gave its final answer; `null` before that, or when it is not relayed. */
  relayedAt: z.number().nullable(),
  endpoint: endpointSchema,
  project: z.string(),
  publicKey: z.string(),
  sdk: z.string().nullable(),
  eventId: z.string().nullable(),
  traceId: z.string().nullable(),
  environment: z.string().nullable(),
  /** Sent by Waystation's own app, the lab excepted. */
  own: z.boolean(),
  /** The random id of the page load; `null` for other senders. */
  page: z.string().nullable(),
  bytes: z.number(),
  stamp: z.string().nullable(),
  /** `undigested`: the digest threw. `evicted`: its rows were evicted. The record is relayed nevertheless. */
  digest: z.enum(['pending', 'digested', 'undigested', 'evicted']),
  deliveryStatus: deliveryStatusSchema,
  deliveries: z.number(),
  lastDelivery: z
    .object({
      at: z.number(),
      upstream: z.string(),
      status: z.number().nullable(),
      error: z.string().nullable(),
      /** The first 200 characters of upstream's answer. */
      answer: z.string().nullable(),
    })
    .nullable(),
  items: z.array(envelopeItemSchema),
})
export type EnvelopeSummary = z.infer<typeof envelopeSummarySchema>

export const envelopesPageSchema = pageSchema({ envelopes: z.array(envelopeSummarySchema) })
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
    /** Ms in the lifeboat of the tunnel; missing when it was passed on at once. */
    keptMs: z.number().optional(),
    /** Values that were scrubbed before storing; missing when there were none. */
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
