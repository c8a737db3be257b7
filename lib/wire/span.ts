import * as z from 'zod'
import { deliveryStatusSchema } from './delivery-status'
import { spanSchema } from './trace'

/** A span on its own, with what its trace or its segment says of it elsewhere. */
const spanRowSchema = spanSchema.extend({
  traceId: z.string(),
  environment: z.string().nullable(),
  release: z.string().nullable(),
  /** Journal number and time of the submission that is read: the list is ordered by it, newest first. */
  journal: z.number(),
  receivedAt: z.number(),
  /** Of the item that told of it. */
  deliveryStatus: deliveryStatusSchema,
})
export type SpanRow = z.infer<typeof spanRowSchema>

export const spansPageSchema = z.object({
  spans: z.array(spanRowSchema),
  /** Also where a page has fewer spans than were asked for: then there was much to look through, and this goes on. */
  next: z.string().nullable(),
  journal: z.number(),
})
export type SpansPage = z.infer<typeof spansPageSchema>

export const spanDetailSchema = z.object({ span: spanRowSchema, journal: z.number() })
export type SpanDetail = z.infer<typeof spanDetailSchema>
