import type { LedgerRow, Losses } from '../../lib/wire/losses'

export interface AccountPart {
  readonly amount: 'made' | 'accepted' | 'kept' | 'pending' | 'lost' | 'unexplained'
  readonly quantity: number
  /** What stands before it: made = accepted + kept + …; `null` before the first. */
  readonly sign: '=' | '+' | null
}

/** The account in one line. What is nothing is left out, but for what a reader looks for: accepted, lost. */
export function accountOf(losses: Losses): readonly AccountPart[] {
  const parts = (['accepted', 'kept', 'pending', 'lost', 'unexplained'] as const).filter(
    (amount) => amount === 'lost' || losses[amount] !== 0 || (amount === 'accepted' && losses.kept === 0),
  )
  return [
    { amount: 'made', quantity: losses.made, sign: null },
    ...parts.map((amount, at) => ({
      amount,
      quantity: losses[amount],
      sign: at === 0 ? ('=' as const) : ('+' as const),
    })),
  ]
}

/** Nothing was made and nothing refused. */
export const isBlank = ({ made, losses }: Pick<Losses, 'made' | 'losses'>): boolean => made === 0 && losses.length === 0

/** The sentence of the API begins small, as what stands in a log does. */
export const asHeadline = (sentence: string): string =>
  `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${/[.!?]$/.test(sentence) ? '' : '.'}`

/** Since when is counted, and that it outlives the records. */
export const sinceWords = (stamp: string | null): string =>
  `Counted since ${stamp === null ? 'this data folder was made' : 'the first record with this stamp came'}; what made room or was cleared still counts.`

/** By how much the books are wrong: too much in one does not make up for too little in another. */
export const unexplainedIn = (books: readonly Pick<LedgerRow, 'unexplained'>[]): number =>
  books.reduce((sum, { unexplained }) => sum + Math.abs(unexplained), 0)
