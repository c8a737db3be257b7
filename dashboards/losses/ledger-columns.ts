import { REPORT_CATEGORY } from '../../lib/protocol/data-category'
import type { LedgerRow, Losses } from '../../lib/wire/losses'
import { statusNameText } from '../ui/status-text'

export type Amount = Exclude<keyof LedgerRow, 'category'>

export interface LedgerColumn {
  readonly amount: Amount
  readonly name: string
  readonly meaning: string
  readonly side: 'in' | 'open' | 'good' | 'lost' | 'wrong'
}

const of = (
  amount: Exclude<Amount, 'made' | 'discarded' | 'received' | 'unexplained'>,
  side: LedgerColumn['side'],
) => ({
  amount,
  name: statusNameText(amount).word,
  meaning: statusNameText(amount).meaning,
  side,
})

/** The columns of the ledger, from items made to their outcomes. */
export const LEDGER_COLUMNS: readonly LedgerColumn[] = [
  { amount: 'made', name: 'made', meaning: 'Received, or discarded by SDKs before sending.', side: 'in' },
  {
    amount: 'discarded',
    name: 'discarded',
    meaning: 'Discarded by the SDK before sending, according to its client reports. Lost.',
    side: 'lost',
  },
  { amount: 'received', name: 'received', meaning: 'Received by an endpoint and stored.', side: 'in' },
  {
    amount: 'pending',
    name: 'pending',
    meaning: 'Stored, outcome not decided yet; includes dead letters.',
    side: 'open',
  },
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
    meaning: 'Received, but neither pending nor settled. Anything but 0 is a bug in Waystation: please report it.',
    side: 'wrong',
  },
]

/** The sum of all categories except client reports. Unexplained amounts are added as absolute values. */
export function totalOf(rows: readonly LedgerRow[]): Readonly<Record<Amount, number>> {
  const made = rows.filter(({ category }) => category !== REPORT_CATEGORY)
  const sum = (amount: Amount): number => made.reduce((total, row) => total + row[amount], 0)
  const sums = Object.fromEntries(LEDGER_COLUMNS.map(({ amount }) => [amount, sum(amount)])) as Record<Amount, number>
  return { ...sums, unexplained: unexplainedIn(rows) }
}

/** Categories with unexplained items first, then the largest. */
export const inOrder = (rows: readonly LedgerRow[]): readonly LedgerRow[] =>
  [...rows].sort(
    (a, b) =>
      Math.abs(b.unexplained) - Math.abs(a.unexplained) ||
      b.made - a.made ||
      a.category.localeCompare(b.category, 'en'),
  )

interface AccountPart {
  readonly amount: 'made' | 'accepted' | 'kept' | 'pending' | 'lost' | 'unexplained'
  readonly quantity: number
  /** The sign before it in the equation; `null` for the first. */
  readonly sign: '=' | '+' | null
}

/** The account as an equation. Zero amounts are left out, except accepted and lost. */
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

/** Whether nothing was made and nothing refused. */
export const isBlank = ({ made, losses }: Pick<Losses, 'made' | 'losses'>): boolean => made === 0 && losses.length === 0

export const sinceText = (stamp: string | null): string =>
  `Counted since ${stamp === null ? 'this data folder was created' : 'the first record with this stamp'}; evicted and cleared records still count.`

/** The sum of all deviations: too many items in one category do not offset too few in another. */
export const unexplainedIn = (rows: readonly Pick<LedgerRow, 'unexplained'>[]): number =>
  rows.reduce((sum, { unexplained }) => sum + Math.abs(unexplained), 0)
