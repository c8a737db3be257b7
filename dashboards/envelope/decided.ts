import type { EnvelopeDetail } from '../../lib/wire/envelope'
import type { Fate } from '../../lib/wire/fate'
import type { ItemOutcome } from '../../lib/wire/outcome'

/** What was decided of some items, together. */
export interface Decided {
  readonly at: number
  readonly fate: Fate
  /** `null` where it was decided of the envelope as a whole. */
  readonly items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[] | null
}

/** What became of the items, and when: those with the same fate, decided at once, are told together, by time. */
export function decidedOf(
  items: readonly Pick<EnvelopeDetail['items'][number], 'index' | 'type' | 'quantity'>[],
  outcomes: readonly Pick<ItemOutcome, 'item' | 'outcome' | 'reason' | 'at'>[],
): readonly Decided[] {
  const byFate = new Map<string, Decided>()
  for (const { item, outcome, reason, at } of outcomes) {
    const key = JSON.stringify([outcome, reason, at, item === null])
    const before = byFate.get(key)?.items ?? []
    const found = items.find(({ index }) => index === item)
    byFate.set(key, {
      at,
      fate: { name: outcome, reason },
      items: item === null ? null : [...before, found ?? { index: item, type: 'item', quantity: 1 }],
    })
  }
  return [...byFate.values()].sort((a, b) => a.at - b.at)
}
