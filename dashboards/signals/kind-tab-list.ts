import { nearest } from '../../lib/config/nearest'
import { SIGNAL_KINDS, type SignalKind } from '../../lib/protocol/items/signal'
import type { SignalCounts } from '../../lib/wire/signal'

export interface KindTab {
  readonly kind: SignalKind
  /** `null` until it was read. */
  readonly count: number | null
}

/** Kinds that there are first, in their own order; those of which there is none after them. Unread, the order is the kinds' own. */
export function kindTabs(counts: SignalCounts['counts'] | null): readonly KindTab[] {
  const tabs = SIGNAL_KINDS.map((kind) => ({ kind, count: counts?.[kind] ?? (counts === null ? null : 0) }))
  return [...tabs.filter(({ count }) => count !== 0), ...tabs.filter(({ count }) => count === 0)]
}

/** The kind that an address names, the first of all where it names none; or the nearest to one that there is not. */
export function shownKind(named: string | null): { readonly kind: SignalKind } | { readonly nearest: SignalKind } {
  if (named === null) return { kind: SIGNAL_KINDS[0] }
  const kind = SIGNAL_KINDS.find((one) => one === named)
  return kind === undefined ? { nearest: nearest(named.slice(0, 40), SIGNAL_KINDS) } : { kind }
}
