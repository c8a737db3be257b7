import { categoryOfItem, DATA_CATEGORIES } from '../../lib/protocol/data-category'
import type { Envelope, EnvelopeItemFrame } from '../../lib/protocol/envelope'
import { isTraceAttachment } from '../../lib/protocol/items/attachment'
import type { Discard } from '../../lib/protocol/submission'
import type { LeftOut } from '../../lib/wire/delivery'

/** Why an item is left out; `null` keeps it. */
export type Cut = 'limited' | 'depends_on_limited' | null

/** Item types that attachments belong to. */
const HAVE_ATTACHMENTS: ReadonlySet<string> = new Set(['event', 'transaction', 'feedback'])
/** The reason by which SDKs report items that they dropped for a limit (Sentry's "Client Reports"). */
const BACK_OFF_REASON = 'ratelimit_backoff'

const NEWLINE = Uint8Array.of(0x0a)
const decoder = new TextDecoder()

/** Its category is limited, or every item that it depends on is left out. Both items of a replay have one category. */
export function cutsOf(items: readonly EnvelopeItemFrame[], isLimited: (category: string) => boolean): readonly Cut[] {
  const limited = items.map(({ header }) => isLimited(categoryOfItem(header)))
  const areAllLimited = (isParent: (type: string) => boolean): boolean => {
    const parents = items.flatMap(({ header }, index) => (isParent(header.type) ? [limited[index]] : []))
    return parents.length > 0 && !parents.includes(false)
  }
  const attachmentsGo = areAllLimited((type) => HAVE_ATTACHMENTS.has(type))
  const profilesGo = areAllLimited((type) => type === 'transaction')
  return items.map(({ header }, index) => {
    if (limited[index]) return 'limited'
    const depends =
      (header.type === 'attachment' && attachmentsGo && !isTraceAttachment(header.content_type)) ||
      (header.type === 'profile' && profilesGo)
    return depends ? 'depends_on_limited' : null
  })
}

export const leftOutOf = (
  items: readonly EnvelopeItemFrame[],
  quantities: readonly { readonly quantity: number }[],
  cuts: readonly Cut[],
): readonly LeftOut[] =>
  items.flatMap(({ header }, item) => {
    const reason = cuts[item] ?? null
    if (reason === null) return []
    const { type } = header
    return [{ item, type, category: categoryOfItem(header), quantity: quantities[item]?.quantity ?? 1, reason }]
  })

/** Joins byte slices by one newline. No item is edited, so its explicit or implied length stays correct. */
export function withoutCut(body: Uint8Array, { headerEnd, items }: Envelope, cuts: readonly Cut[]): Uint8Array {
  const kept = items.filter((_, index) => (cuts[index] ?? null) === null)
  const slices = [body.subarray(0, headerEnd), ...kept.map((item) => body.subarray(item.start, item.payloadEnd))]
  return Buffer.concat(slices.flatMap((slice, index) => (index === 0 ? [slice] : [NEWLINE, slice])))
}

/**
 * Counted as SDKs count: a container by its entries, a transaction also as its spans plus one. Leaves out client
 * reports and unknown categories: a sender could invent any number of types.
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

function spansIn(payload: Uint8Array): number {
  try {
    const { spans } = JSON.parse(decoder.decode(payload)) as { readonly spans?: unknown }
    return Array.isArray(spans) ? spans.length : 0
  } catch {
    return 0
  }
}
