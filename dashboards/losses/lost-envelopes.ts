import type { DeliveryStatusName } from '../../lib/protocol/outcome'
import { writeFilter } from '../../lib/wire/filter'
import type { Loss } from '../../lib/wire/losses'
import { typeOfCategory } from '../ui/labels'

/** What was lost here, for want of room or time or by a rule, by its reason. */
const HERE: ReadonlyMap<string, DeliveryStatusName> = new Map([
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

/**
 * The list of the envelopes with that status, as far as they are still kept. `null` of what never became a record: what an
 * SDK discarded, what the endpoint refused.
 * @param stamp whose losses they are; `null` for everybody's
 */
export function lostEnvelopesHref(
  { by, reason, category }: Pick<Loss, 'by' | 'reason' | 'category'>,
  stamp: string | null,
): string | null {
  const deliveryStatus = deliveryStatusOf(by, reason)
  if (deliveryStatus === null) return null
  const query = new URLSearchParams()
  writeFilter(query, {
    deliveryStatus,
    type: category === null ? undefined : typeOfCategory(category),
    stamp: stamp ?? undefined,
  })
  return `/deliveries?${query}`
}

function deliveryStatusOf(by: Loss['by'], reason: string): DeliveryStatusName | null {
  if (by === 'person') return 'dropped'
  if (by === 'waystation') return HERE.get(reason) ?? null
  if (by !== 'upstream') return null
  // An answer of 2xx may limit a category that was in the post.
  return /^(?:rate_limited|upstream_(?:2\d\d|429))$/.test(reason) ? 'rate_limited' : 'invalid'
}
