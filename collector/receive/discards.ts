import { readClientReport } from '../../lib/items/client-report'
import type { CountedItem } from '../../lib/protocol/data-category'
import type { Limits } from '../../lib/protocol/limits'
import type { Discard } from '../spool/submission'

/** What a book is named by, at most so long. */
const LONGEST_NAME = 64
/** More than a page can have made: one liar must not spoil the books. */
const MOST_OF_ONE_ENTRY = 1_000_000_000

/** The JavaScript SDK's own names for what Relay, and the items here, are counted under. */
const ALIASES: ReadonlyMap<string, string> = new Map([['metric', 'trace_metric']])
/** They say of what is counted already how many bytes it had. */
const BYTES: ReadonlySet<string> = new Set(['log_byte', 'trace_metric_byte'])

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
  return report.value.entries.flatMap((readEntry) => {
    const { category, reason, quantity } = readEntry()
    if (category === null || !isCount(quantity) || BYTES.has(category)) return []
    return [
      {
        category: (ALIASES.get(category) ?? category).slice(0, LONGEST_NAME),
        reason: (reason ?? UNKNOWN).slice(0, LONGEST_NAME),
        quantity,
      },
    ]
  })
}

const UNKNOWN = 'unknown'

const isCount = (quantity: number | null): quantity is number =>
  quantity !== null && Number.isSafeInteger(quantity) && quantity > 0 && quantity <= MOST_OF_ONE_ENTRY
