import * as z from 'zod'
import { DELIVERY_STATUSES, OUTCOMES } from '../protocol/outcome'

/** What became of an item or envelope, and why: shown as glyph and word at the end of each row. */
export const deliveryStatusSchema = z.object({
  name: z.enum(DELIVERY_STATUSES),
  /** e.g. `upstream_413`, `no_upstream`, `lab`; of what is pending `dead_letter`; `null` where the name says it all. */
  reason: z.string().nullable(),
})
export type DeliveryStatus = z.infer<typeof deliveryStatusSchema>

/** An envelope's or a trace's status from its parts: what is not settled or went wrong is named first. */
export function worstDeliveryStatus(deliveryStatuses: readonly DeliveryStatus[]): DeliveryStatus {
  const order: readonly DeliveryStatus['name'][] = [
    'invalid',
    'expired',
    'dropped',
    'overflow',
    'rate_limited',
    'pending',
    'filtered',
    'accepted',
    'kept',
    'copy',
  ]
  for (const name of order) {
    const alike = deliveryStatuses.filter((deliveryStatus) => deliveryStatus.name === name)
    // Of several the one that says why says more.
    const found = alike.find((deliveryStatus) => deliveryStatus.reason !== null) ?? alike[0]
    if (found !== undefined) return found
  }
  return { name: 'pending', reason: null }
}

/** What became of an item, or of all items of an envelope at once. */
const itemOutcomeSchema = z.object({
  /** The envelope. */
  seq: z.number(),
  /** Journal number of its `received` fact. */
  journal: z.number(),
  /** `null` where the outcome speaks of every item. */
  item: z.number().nullable(),
  outcome: z.enum(OUTCOMES),
  /** e.g. `upstream_413`, `no_upstream`; `null` where the name says it all. */
  reason: z.string().nullable(),
  /** When it was decided: ms since the epoch. */
  at: z.number(),
  /** What the item counts as, and how many; `null` where the outcome speaks of several items. */
  category: z.string().nullable(),
  quantity: z.number().nullable(),
})
export type ItemOutcome = z.infer<typeof itemOutcomeSchema>

/** The newest envelope's first. `next` continues towards older ones, `null` at the end. `journal` is the head. */
export const outcomesPageSchema = z.object({
  outcomes: z.array(itemOutcomeSchema),
  next: z.string().nullable(),
  journal: z.number(),
})
export type OutcomesPage = z.infer<typeof outcomesPageSchema>

/** `GET /query/outcomes/{seq}`: what became of one envelope's items, in their order; empty while nothing is decided. */
export const envelopeOutcomesSchema = z.object({
  seq: z.number(),
  outcomes: z.array(itemOutcomeSchema),
  journal: z.number(),
})
export type EnvelopeOutcomes = z.infer<typeof envelopeOutcomesSchema>
