import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { ItemOutcome } from '../../lib/wire/outcome'

/** What was decided of some items, together. */
export interface Decided {
  readonly at: number
  readonly deliveryStatus: DeliveryStatus
  /** `null` where it was decided of the envelope as a whole. */
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[] | null
}

/** What became of the items, and when: those with the same status, decided at once, are told together, by time. */
export function decidedOf(
  items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[],
  outcomes: readonly Pick<ItemOutcome, 'item' | 'outcome' | 'reason' | 'at'>[],
): readonly Decided[] {
  const byDeliveryStatus = new Map<string, Decided>()
  for (const { item, outcome, reason, at } of outcomes) {
    const key = JSON.stringify([outcome, reason, at, item === null])
    const before = byDeliveryStatus.get(key)?.items ?? []
    const found = items.find(({ index }) => index === item)
    byDeliveryStatus.set(key, {
      at,
      deliveryStatus: { name: outcome, reason },
      items: item === null ? null : [...before, found ?? { index: item, type: 'item', quantity: 1 }],
    })
  }
  return [...byDeliveryStatus.values()].sort((a, b) => a.at - b.at)
}
