import type { LedgerRow, Losses } from '../../../../lib/wire/losses'

/** An empty ledger row with the given values. */
export const ledgerRowOf = (given: Partial<LedgerRow> = {}): LedgerRow => ({
  category: 'error',
  made: 0,
  discarded: 0,
  received: 0,
  pending: 0,
  accepted: 0,
  kept: 0,
  filtered: 0,
  rate_limited: 0,
  invalid: 0,
  overflow: 0,
  expired: 0,
  dropped: 0,
  unexplained: 0,
  ...given,
})

/** Empty losses with the given values. */
export const lossesOf = (given: Partial<Losses> = {}): Losses => ({
  now: 0,
  journal: 0,
  stamp: null,
  categories: [],
  losses: [],
  deadLetters: [],
  made: 0,
  accepted: 0,
  kept: 0,
  pending: 0,
  lost: 0,
  unexplained: 0,
  sentence: '',
  ...given,
})
