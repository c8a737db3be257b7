import { REPORT_CATEGORY } from '../../lib/protocol/data-category'
import type { LedgerRow } from '../../lib/wire/losses'
import { deliveryStatusWords } from '../ui/status-text'
import { unexplainedIn } from './account-lines'

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
  name: deliveryStatusWords(amount).word,
  means: deliveryStatusWords(amount).means,
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
