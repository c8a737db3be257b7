import type { EnvelopeItem } from '../../lib/wire/envelope'

export interface ItemCount {
  readonly type: string
  readonly quantity: number
}

/** The types in an envelope with their quantities, in the order they first occur. */
export function itemCounts(items: readonly Pick<EnvelopeItem, 'type' | 'quantity'>[]): readonly ItemCount[] {
  const counts = new Map<string, number>()
  for (const { type, quantity } of items) counts.set(type, (counts.get(type) ?? 0) + quantity)
  return [...counts].map(([type, quantity]) => ({ type, quantity }))
}

/** What a list calls an item: an event is an error, as its data category, its limits and its own list say. */
export const itemName = (type: string): string => (type === 'event' ? 'error' : type)
