import { categoryOf } from '../../lib/protocol/data-category'
import type { Envelope, EnvelopeItemFrame } from '../../lib/protocol/envelope'
import type { LeftOut } from '../../lib/wire/delivery'

/** Why an item is left out; `null` keeps it. */
export type Cut = 'limited' | 'depends_on_limited' | null

/** What has attachments. */
const HAVE_ATTACHMENTS: ReadonlySet<string> = new Set(['event', 'transaction', 'feedback'])
/** These belong to a trace, whatever comes with them. */
const TRACE_ATTACHMENTS: ReadonlySet<unknown> = new Set([
  'application/vnd.sentry.trace-attachment',
  'application/vnd.sentry.attachment.v2',
])

/**
 * Decides for each item whether it is left out: when its category is limited, or when what it depends on is left out
 * with that. Both halves of a replay are of one category.
 */
export function cutsOf(items: readonly EnvelopeItemFrame[], isLimited: (category: string) => boolean): readonly Cut[] {
  const limited = items.map(({ header }) => isLimited(categoryOf(header.type)))
  /** There is one, and none of them goes on. */
  const isGone = (isParent: (type: string) => boolean): boolean => {
    const parents = items.flatMap(({ header }, index) => (isParent(header.type) ? [limited[index]] : []))
    return parents.length > 0 && !parents.includes(false)
  }
  const attachmentsGo = isGone((type) => HAVE_ATTACHMENTS.has(type))
  const profilesGo = isGone((type) => type === 'transaction')
  return items.map(({ header }, index) => {
    if (limited[index]) return 'limited'
    const depends =
      (header.type === 'attachment' && attachmentsGo && !TRACE_ATTACHMENTS.has(header.content_type)) ||
      (header.type === 'profile' && profilesGo)
    return depends ? 'depends_on_limited' : null
  })
}

/** What was cut, as deliveries tell it. @param quantities per item, as the endpoint counted them. */
export const leftOutOf = (
  items: readonly EnvelopeItemFrame[],
  quantities: readonly { readonly quantity: number }[],
  cuts: readonly Cut[],
): readonly LeftOut[] =>
  items.flatMap(({ header }, item) => {
    const reason = cuts[item] ?? null
    if (reason === null) return []
    const { type } = header
    return [{ item, type, category: categoryOf(type), quantity: quantities[item]?.quantity ?? 1, reason }]
  })

/**
 * The envelope without what is cut: the header line and each kept item as they came, joined by one newline. Whole items
 * go and none is edited, so a length, written or implied, means what it meant.
 */
export function withoutCut(body: Uint8Array, { headerEnd, items }: Envelope, cuts: readonly Cut[]): Uint8Array {
  const kept = items.filter((_, index) => (cuts[index] ?? null) === null)
  const slices = [body.subarray(0, headerEnd), ...kept.map((item) => body.subarray(item.start, item.payloadEnd))]
  return Buffer.concat(slices.flatMap((slice, index) => (index === 0 ? [slice] : [NEWLINE, slice])))
}

const NEWLINE = Uint8Array.of(0x0a)
