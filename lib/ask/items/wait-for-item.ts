import type { CollectorClient } from '../../wire/query-client'
import { type Condition, differencesFrom } from './conditions'
import { describeItems, type ItemDescription } from './describe-items'
import { followRecorded } from './follow-recorded'

/** How many items are kept for the explanation when nothing matches. */
const MOST_MISSES = 1000

export interface Misses {
  readonly newest: readonly ItemDescription[]
  /** All, with those that are no longer kept. */
  readonly count: number
}

/**
 * Waits for one item of a kind that meets the conditions. Reads everything that is recorded when the time is over.
 * @throws what the client throws when the collector is gone
 */
export async function waitForItem(given: {
  readonly client: Pick<CollectorClient, 'recorded'>
  readonly kind: string
  readonly conditions: readonly Condition[]
  readonly after: number
  readonly stamp: string | null
  readonly stop: AbortSignal
  /** Aborts when the time is over. */
  readonly late: AbortSignal
  /** For each answer. */
  readonly timeoutMs: number
}): Promise<{ readonly found: ItemDescription | null; readonly misses: Misses }> {
  const newest: ItemDescription[] = []
  let count = 0
  for await (const { evidence } of followRecorded(given))
    for (const item of evidence.flatMap((one) => describeItems(one, new Set([given.kind])))) {
      if (differencesFrom(item.value, given.conditions).length === 0) return { found: item, misses: { newest, count } }
      newest.push(item)
      count += 1
      if (newest.length > MOST_MISSES) newest.shift()
    }
  return { found: null, misses: { newest, count } }
}
