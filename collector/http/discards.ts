import type { CountedItem } from '../../lib/protocol/data-category'
import { readClientReport } from '../../lib/protocol/items/client-report'
import type { Limits } from '../../lib/protocol/limits'
import { countedDiscard } from '../../lib/protocol/outcome'
import type { Discard } from '../spool/submission'

interface Item extends CountedItem {
  readonly payload: Uint8Array
}

/**
 * What SDKs discarded themselves, as the client reports of a submission say, each reason and category summed. An entry
 * without category or quantity counts nothing, and neither does what is beyond the limit of one client report: all of
 * them are read while their sender waits.
 */
export function discardsOf(items: readonly Item[], limits: Limits): readonly Discard[] {
  const sums = new Map<string, Map<string, number>>()
  let bytes = 0
  for (const { header, payload } of items) {
    if (header.type !== 'client_report') continue
    bytes += payload.length
    if (bytes > limits.client_report) break
    for (const { category, reason, quantity } of readDiscards(payload, limits)) {
      const of = sums.get(category) ?? new Map<string, number>()
      sums.set(category, of)
      of.set(reason, (of.get(reason) ?? 0) + quantity)
    }
  }
  return [...sums].flatMap(([category, of]) => [...of].map(([reason, quantity]) => ({ category, reason, quantity })))
}

function readDiscards(payload: Uint8Array, limits: Limits): readonly Discard[] {
  const report = readClientReport(payload, limits)
  if (!report.ok) return []
  return report.value.entries.flatMap((readEntry) => countedDiscard(readEntry()) ?? [])
}
