import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import { writeFilter } from '../../lib/wire/filter'
import type { Loss } from '../../lib/wire/losses'
import { typeOfCategory } from '../ui/labels'

const STATUS_OF_REASON: ReadonlyMap<string, DeliveryStatusName> = new Map([
  ['limited', 'rate_limited'],
  ['depends_on_limited', 'rate_limited'],
  ['unscrubbed', 'filtered'],
  ['backlog_full', 'overflow'],
  ['undelivered_for_24_h', 'expired'],
  ['damaged_record', 'invalid'],
  ['filtered', 'filtered'],
  ['overflow', 'overflow'],
  ['expired', 'expired'],
])

/** The list of the stored envelopes with this loss; `null` for losses that never became a record. */
export function lostEnvelopesHref(loss: Pick<Loss, 'by' | 'reason' | 'category'>, stamp: string | null): string | null {
  const deliveryStatus = statusOfLoss(loss)
  return deliveryStatus === null ? null : envelopesHref(deliveryStatus, loss.category, stamp)
}

/** The list of the stored envelopes with a delivery status. */
export function envelopesHref(delivery: DeliveryStatusName, category: string | null, stamp: string | null): string {
  const query = new URLSearchParams()
  const type = category === null ? undefined : typeOfCategory(category)
  writeFilter(query, { delivery, type, stamp: stamp ?? undefined })
  return `/deliveries?${query}`
}

/** The outcome of the lost items; `null` when they never were stored, and for an unknown reason. */
export function statusOfLoss({ by, reason }: Pick<Loss, 'by' | 'reason'>): DeliveryStatusName | null {
  if (by === 'person') return 'dropped'
  if (by === 'waystation') return STATUS_OF_REASON.get(reason) ?? null
  if (by !== 'upstream') return null
  // A 2xx answer may limit a category in the same post.
  return /^(?:rate_limited|upstream_(?:2\d\d|429))$/.test(reason) ? 'rate_limited' : 'invalid'
}
