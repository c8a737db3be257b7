import type { SignalKind } from '../../lib/protocol/items/signal'
import type { FilterOf } from '../../lib/wire/filter'

/** What the address of `/signals` says: `?kind=` which of them, `?open=` the row that shows all its fields, and a filter. */
export const KIND_PARAM = 'kind'
export const OPEN_PARAM = 'open'
export const SIGNALS_PARAMS: readonly string[] = [KIND_PARAM, OPEN_PARAM]

/** The list of one kind, as narrow as told. */
export function signalsHref(kind: SignalKind, more: FilterOf<'signals'> & { readonly open?: string } = {}): string {
  return `/signals?${new URLSearchParams({ [KIND_PARAM]: kind, ...more })}`
}

/** What the address of `/deliveries` says: `?show=` which of its lists, and a filter of it. */
export const SHOW_PARAM = 'show'
export const DELIVERIES_PARAMS: readonly string[] = [SHOW_PARAM]

export const LEDGERS = ['envelopes', 'attempts', 'dead-letters'] as const
export type Ledger = (typeof LEDGERS)[number]

/** The list that an address names; what names none is the first, so that an old link leads somewhere. */
export const shownLedger = (named: string | null): Ledger => LEDGERS.find((one) => one === named) ?? 'envelopes'

export const ledgerHref = (ledger: Ledger): string =>
  ledger === 'envelopes' ? '/deliveries' : `/deliveries?${new URLSearchParams({ [SHOW_PARAM]: ledger })}`
