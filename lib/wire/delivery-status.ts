import * as z from 'zod'
import { DELIVERY_STATUSES, OUTCOMES } from '../protocol/outcome'
import { pageSchema } from './page-schema'

/** The status of an item or envelope with its reason; shown as glyph and label at the end of each row. */
export const deliveryStatusSchema = z.object({
  name: z.enum(DELIVERY_STATUSES),
  /** For example `upstream_413`, `lab`; `dead_letter` for a pending one; `null` when the name is sufficient. */
  reason: z.string().nullable(),
})
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>

const itemOutcomeSchema = z.object({
  seq: z.number(),
  /** Journal number of its `received` fact. */
  journal: z.number(),
  /** `null` when the outcome applies to every item. */
  item: z.number().nullable(),
  outcome: z.enum(OUTCOMES),
  /** For example `upstream_413`, `no_upstream`; `null` when the name is sufficient. */
  reason: z.string().nullable(),
  at: z.number(),
  /** Category and quantity of the item; `null` when the outcome applies to several items. */
  category: z.string().nullable(),
  quantity: z.number().nullable(),
})
export type ItemOutcome = z.infer<typeof itemOutcomeSchema>

/** Newest envelope first. */
export const outcomesPageSchema = pageSchema({ outcomes: z.array(itemOutcomeSchema) })
export type OutcomesPage = z.infer<typeof outcomesPageSchema>

/** `GET /query/outcomes/{seq}`: the outcomes of an envelope's items, in order; empty before any is decided. */
export const envelopeOutcomesSchema = z.object({
  seq: z.number(),
  outcomes: z.array(itemOutcomeSchema),
  journal: z.number(),
})
export type EnvelopeOutcomes = z.infer<typeof envelopeOutcomesSchema>
