import type { LedgerRow, Losses } from '../../../../lib/wire/losses'

/** An empty ledger row with the given values. */
export const ledgerRowOf = (given: Partial<LedgerRow> = {}): LedgerRow => ({
  category: 'error',
  made: 0,
  notSent: 0,
  unseen: 0,
  lost: 0,
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

type Amounts = Partial<Omit<LedgerRow, 'category'>>
/** Amounts of the category `error` next to the values of the answer. */
export type LossesSample = Partial<Omit<Losses, 'notSent'>> &
  Omit<Amounts, 'notSent'> &
  Partial<Pick<Losses, 'notSent'>>

/** Empty losses with the given values. Amounts make a row of the category `error`. */
export function lossesOf(given: LossesSample = {}): Losses {
  const { now, journal, stamp, categories, losses, notSent, deadLetters, innerSpans, sentence, ...amounts } = given
  return {
    now: now ?? 0,
    journal: journal ?? 0,
    stamp: stamp ?? null,
    categories: categories ?? (Object.keys(amounts).length === 0 ? [] : [ledgerRowOf(amounts)]),
    losses: losses ?? [],
    notSent: notSent ?? [],
    deadLetters: deadLetters ?? [],
    innerSpans: innerSpans ?? 0,
    sentence: sentence ?? '',
  }
}
