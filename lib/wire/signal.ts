import * as z from 'zod'
import { SIGNAL_KINDS } from '../protocol/items/signal'
import { deliveryStatusSchema } from './delivery-status'

/** A log, a metric, a session and the like: one shape for all, what only its kind has in `fields`. */
export const signalSchema = z.object({
  kind: z.enum(SIGNAL_KINDS),
  /** Unique among its kind. */
  key: z.string(),
  journal: z.number(),
  seq: z.number(),
  item: z.number(),
  receivedAt: z.number(),
  /** µs since the epoch; the time of arrival where the item names none. */
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

/** Newest first. `next` continues towards older ones, `null` at the end. `journal` is the head when this was read. */
export const signalsPageSchema = z.object({
  signals: z.array(signalSchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type SignalsPage = z.infer<typeof signalsPageSchema>

/** One by its kind and key. */
export const signalDetailSchema = z.object({ signal: signalSchema, journal: z.number() })
export type SignalDetail = z.infer<typeof signalDetailSchema>

/** How many there are of each kind: what the board's tabs show. */
export const signalCountsSchema = z.object({
  counts: z.record(z.enum(SIGNAL_KINDS), z.number()),
  journal: z.number(),
})
export type SignalCounts = z.infer<typeof signalCountsSchema>
