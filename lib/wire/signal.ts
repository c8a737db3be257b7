import * as z from 'zod'
import { SIGNAL_KINDS } from '../protocol/items/signal'
import { deliveryStatusSchema } from './delivery-status'
import { pageSchema } from './page-schema'

/** A signal (a log, a metric, a session, …) in the shape of all kinds; `fields` has the fields of its kind. */
export const signalSchema = z.object({
  kind: z.enum(SIGNAL_KINDS),
  /** Unique among its kind. */
  key: z.string(),
  journal: z.number(),
  seq: z.number(),
  item: z.number(),
  receivedAt: z.number(),
  /** µs since the epoch; the time of receipt when the item has none. */
  timestampUs: z.number(),
  traceId: z.string().nullable(),
  spanId: z.string().nullable(),
  eventId: z.string().nullable(),
  name: z.string(),
  level: z.string().nullable(),
  service: z.string().nullable(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  copy: z.enum(['no', 'also', 'only']),
  deliveryStatus: deliveryStatusSchema,
  fields: z.record(z.string(), z.unknown()),
})
export type SignalRow = z.infer<typeof signalSchema>

export const signalsPageSchema = pageSchema({ signals: z.array(signalSchema) })
export type SignalsPage = z.infer<typeof signalsPageSchema>

export const signalDetailSchema = z.object({ signal: signalSchema, journal: z.number() })
export type SignalDetail = z.infer<typeof signalDetailSchema>

export const signalCountsSchema = z.object({
  counts: z.record(z.enum(SIGNAL_KINDS), z.number()),
  journal: z.number(),
})
export type SignalCounts = z.infer<typeof signalCountsSchema>
