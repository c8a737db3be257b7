import type { DeliveryStatus } from './delivery-status'

/** Returns the status of an envelope or trace from its parts: failures first, then pending, then success. */
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
    // Prefers one with a reason.
    const found = alike.find((deliveryStatus) => deliveryStatus.reason !== null) ?? alike[0]
    if (found !== undefined) return found
  }
  return { name: 'pending', reason: null }
}
