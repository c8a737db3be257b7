import * as z from 'zod'
import { DELIVERY_STATUSES } from '../protocol/outcome'

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
