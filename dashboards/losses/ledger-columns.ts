import { REPORT_CATEGORY } from '../../lib/protocol/data-category'
import type { LedgerRow, Losses } from '../../lib/wire/losses'
import { statusNameText } from '../ui/status-text'

export type Amount = Exclude<keyof LedgerRow, 'category'>

export interface BookColumn {
  readonly amount: Amount
  readonly name: string
  /** What the number counts, in one sentence. */
  readonly means: string
  /** Which side of the account it stands on. */
  readonly side: 'in' | 'open' | 'good' | 'lost' | 'wrong'
}

const of = (amount: Exclude<Amount, 'made' | 'discarded' | 'received' | 'unexplained'>, side: BookColumn['side']) => ({
  amount,
  name: statusNameText(amount).word,
  means: statusNameText(amount).means,
  side,
})

/** The columns of the books, from what was made to what became of it. */
export const BOOK_COLUMNS: readonly BookColumn[] = [
  { amount: 'made', name: 'made', means: 'Received, and what SDKs say they discarded before sending.', side: 'in' },
  {
    amount: 'discarded',
    name: 'discarded',
    means: 'Discarded by the SDK itself before it was sent, as its client reports say. Lost.',
    side: 'lost',
  },
  { amount: 'received', name: 'received', means: 'Came in by a endpoint and was written to disk.', side: 'in' },
  { amount: 'pending', name: 'pending', means: 'On disk and not settled yet; dead letters among it.', side: 'open' },
  of('accepted', 'good'),
  of('kept', 'good'),
  of('filtered', 'lost'),
  of('rate_limited', 'lost'),
  of('invalid', 'lost'),
  of('overflow', 'lost'),
  of('expired', 'lost'),
  of('dropped', 'lost'),
  {
    amount: 'unexplained',
    name: 'unexplained',
    means: 'Received, and neither pending nor settled. Anything but 0 is a mistake in the books: please report it.',
    side: 'wrong',
  },
]

/**
 * The sum of all books, as one, without that of client reports, as in the account; what is unexplained of all, by how
 * much, in either direction.
 */
export function totalOf(books: readonly LedgerRow[]): Readonly<Record<Amount, number>> {
  const made = books.filter(({ category }) => category !== REPORT_CATEGORY)
  const sum = (amount: Amount): number => made.reduce((total, book) => total + book[amount], 0)
  const sums = Object.fromEntries(BOOK_COLUMNS.map(({ amount }) => [amount, sum(amount)])) as Record<Amount, number>
  return { ...sums, unexplained: unexplainedIn(books) }
}

/** What most is made of comes first; what is unexplained before all. */
export const inOrder = (books: readonly LedgerRow[]): readonly LedgerRow[] =>
  [...books].sort(
    (a, b) =>
      Math.abs(b.unexplained) - Math.abs(a.unexplained) ||
      b.made - a.made ||
      a.category.localeCompare(b.category, 'en'),
  )

export interface AccountPart {
  readonly amount: 'made' | 'accepted' | 'kept' | 'pending' | 'lost' | 'unexplained'
  readonly quantity: number
  /** What stands before it: made = accepted + kept + …; `null` before the first. */
  readonly sign: '=' | '+' | null
}

/** The account in one line. What is nothing is left out, but for what a reader looks for: accepted, lost. */
export function accountParts(losses: Losses): readonly AccountPart[] {
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
export const asSentence = (sentence: string): string =>
  `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${/[.!?]$/.test(sentence) ? '' : '.'}`

/** Since when is counted, and that it outlives the records. */
export const sinceText = (stamp: string | null): string =>
  `Counted since ${stamp === null ? 'this data folder was made' : 'the first record with this stamp came'}; what made room or was cleared still counts.`

/** By how much the books are wrong: too much in one does not make up for too little in another. */
export const unexplainedIn = (books: readonly Pick<LedgerRow, 'unexplained'>[]): number =>
  books.reduce((sum, { unexplained }) => sum + Math.abs(unexplained), 0)
