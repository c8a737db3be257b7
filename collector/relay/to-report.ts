import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import type { EnvelopeItemFrame } from '../../lib/protocol/envelope'
import type { LeftOut } from '../../lib/wire/delivery'
import type { Discard } from '../spool/submission'

/** The reason by which SDKs report what a limit made them drop (Sentry's "Client Reports"). */
const BACK_OFF_REASON = 'ratelimit_backoff'

const decoder = new TextDecoder()

/**
 * What upstream is told of items that were cut, in the way of SDKs: by item, a container by its entries, a transaction
 * also as its spans and itself. Client reports report no client reports, and nothing that upstream has no count of: a sender
 * could make up any number of types.
 */
export function toReportOf(items: readonly EnvelopeItemFrame[], leftOut: readonly LeftOut[]): readonly Discard[] {
  const sums = new Map<string, number>()
  const count = (category: string, quantity: number): void => {
    sums.set(category, (sums.get(category) ?? 0) + quantity)
  }
  for (const { item, type, category, quantity } of leftOut) {
    if (category === 'internal' || !DATA_CATEGORIES.has(category)) continue
    count(category, quantity)
    const payload = items[item]?.payload
    if (type === 'transaction' && payload !== undefined) count('span', spansIn(payload) + 1)
  }
  return [...sums].map(([category, quantity]) => ({ category, quantity, reason: BACK_OFF_REASON }))
}

/** How many spans a transaction lists; of one that cannot be read none are known. */
function spansIn(payload: Uint8Array): number {
  try {
    const { spans } = JSON.parse(decoder.decode(payload)) as { readonly spans?: unknown }
    return Array.isArray(spans) ? spans.length : 0
  } catch {
    return 0
  }
}
