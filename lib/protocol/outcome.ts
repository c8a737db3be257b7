/**
 * What became of an item. Set once, with a reason; until then an item is `pending`.
 * `accepted` upstream answered 2xx · `kept` nothing was pending (local only) · `filtered` cut by a rule ·
 * `rate_limited` · `invalid` a final 4xx · `overflow` stored but never pending · `expired` undelivered after 24 h ·
 * `dropped` by a person.
 */
export const OUTCOMES = [
  'accepted',
  'kept',
  'filtered',
  'rate_limited',
  'invalid',
  'overflow',
  'expired',
  'dropped',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** An item's status as shown: `pending` until decided. A `copy` came beside the path and is never pending or counted. */
export const DELIVERY_STATUSES = ['pending', ...OUTCOMES, 'copy'] as const
export type DeliveryStatusName = (typeof DELIVERY_STATUSES)[number]

/** Reasons of our own for what upstream decides otherwise: it was cut here, or could not be posted. */
export const OUR_REASONS: ReadonlySet<string | null> = new Set(['limited', 'depends_on_limited', 'damaged_record'])

/** Who lost what has this entry in the books; `null` where nothing is lost. */
export function lostBy(
  entry: DeliveryStatusName | 'received' | 'client_discard',
  reason: string | null,
): 'sdk' | 'waystation' | 'upstream' | 'person' | null {
  switch (entry) {
    case 'client_discard':
      return 'sdk'
    case 'dropped':
      return 'person'
    case 'filtered':
    case 'overflow':
    case 'expired':
      return 'waystation'
    case 'rate_limited':
    case 'invalid':
      return OUR_REASONS.has(reason) ? 'waystation' : 'upstream'
    default:
      return null
  }
}
