import { OUTCOMES } from '../../lib/protocol/outcome'
import type { DeliveryStatus } from '../../lib/wire/delivery-status'
import type { Overview } from '../../lib/wire/overview'

export interface BookLine {
  readonly name: DeliveryStatus['name']
  readonly count: number
}

/** Where the received items are now: what is not settled first, then every outcome that has any. They add up. */
export function bookLines(items: Overview['items']): readonly BookLine[] {
  const settled = OUTCOMES.map((name) => ({ name, count: items.outcomes[name] ?? 0 }))
  return [{ name: 'pending' as const, count: items.pending }, ...settled.filter((line) => line.count > 0)]
}
