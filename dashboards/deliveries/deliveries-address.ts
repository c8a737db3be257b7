/** What the address of `/deliveries` says: `?show=` which of its lists, and a filter of it. */
export const SHOW_PARAM = 'show'
export const OWN_PARAMS: readonly string[] = [SHOW_PARAM]

export const LEDGERS = ['envelopes', 'attempts', 'dead-letters'] as const
export type Ledger = (typeof LEDGERS)[number]

/** The list that an address names; what names none is the first, so that an old link leads somewhere. */
export const shownLedger = (named: string | null): Ledger => LEDGERS.find((one) => one === named) ?? 'envelopes'

export const ledgerHref = (ledger: Ledger): string =>
  ledger === 'envelopes' ? '/deliveries' : `/deliveries?${new URLSearchParams({ [SHOW_PARAM]: ledger })}`
