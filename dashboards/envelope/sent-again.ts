import { isOfTheEnvelope } from '../../lib/protocol/answer-status'
import type { Delivery } from '../../lib/wire/delivery'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'

/**
 * After which attempts, by their places, a person sent the envelope again: they made a dead letter of it, which goes on
 * by no other way. Not after the last one where that was left so: a dead letter still, or one that was dropped or gave way.
 */
export function sentAgain(
  attempts: readonly Pick<Delivery, 'status'>[],
  deliveryStatus: DeliveryStatus,
): ReadonlySet<number> {
  const isLeft =
    deliveryStatus.reason === 'dead_letter' || deliveryStatus.name === 'dropped' || deliveryStatus.name === 'invalid'
  const last = attempts.length - 1
  return new Set(
    attempts.flatMap(({ status }, at) =>
      status !== null && isOfTheEnvelope(status) && (at < last || !isLeft) ? [at] : [],
    ),
  )
}
