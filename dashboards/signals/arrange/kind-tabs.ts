import { SIGNAL_KINDS, type SignalKind } from '../../../lib/protocol/signal-kind'
import type { SignalCounts } from '../../../lib/wire/signal'

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

/** The kind that the address names, else the first of all. */
export const shownKind = (named: string | null): SignalKind =>
  SIGNAL_KINDS.find((kind) => kind === named) ?? SIGNAL_KINDS[0]
