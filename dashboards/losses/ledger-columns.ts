import { amountText, telemetryRows } from '../../lib/wire/ledger-account'
import type { LedgerRow, Losses } from '../../lib/wire/losses'
import { statusNameText } from '../../lib/wire/status-text'

export type Amount = Exclude<keyof LedgerRow, 'category'>

export interface LedgerColumn {
  readonly amount: Amount
  readonly name: string
  readonly meaning: string
  readonly side: 'in' | 'open' | 'good' | 'lost' | 'wrong'
}

const of = (
  amount: Exclude<Amount, 'made' | 'lost' | 'notSent' | 'unseen' | 'discarded' | 'received' | 'unexplained'>,
  side: LedgerColumn['side'],
) => ({
  amount,
  name: statusNameText(amount).word,
  meaning: statusNameText(amount).meaning,
  side,
})

/** The columns of the ledger: first the balance, then its parts. */
export const LEDGER_COLUMNS: readonly LedgerColumn[] = [
  { amount: 'made', name: 'made', meaning: 'Received, or never sent by the SDK.', side: 'in' },
  of('accepted', 'good'),
  of('kept', 'good'),
  {
    amount: 'pending',
    name: 'pending',
    meaning: 'Stored, outcome not decided yet; includes dead letters.',
    side: 'open',
  },
  {
    amount: 'notSent',
    name: 'by choice',
    meaning: 'Sampled out or filtered by the program, according to its client reports. Not lost.',
    side: 'open',
  },
  {
    amount: 'lost',
    name: 'lost',
    meaning: 'The sum of the columns from discarded to dropped.',
    side: 'lost',
  },
  {
    amount: 'discarded',
    name: 'discarded',
    meaning: 'Lost by the SDK before sending, according to its client reports.',
    side: 'lost',
  },
  of('filtered', 'lost'),
  of('rate_limited', 'lost'),
  of('invalid', 'lost'),
  of('overflow', 'lost'),
  of('expired', 'lost'),
  of('dropped', 'lost'),
  { amount: 'received', name: 'received', meaning: 'Received by an endpoint and stored.', side: 'in' },
  {
    amount: 'unseen',
    name: 'answer unseen',
    meaning:
      'Received, although the SDK reported a network error: its connection closed before our answer was sent. Not lost.',
    side: 'open',
  },
  {
    amount: 'unexplained',
    name: 'unexplained',
    meaning: 'Received, but neither pending nor settled. Anything but 0 is a bug in Waystation: please report it.',
    side: 'wrong',
  },
]

/** Categories with unexplained items first, then the largest. */
export const inOrder = (rows: readonly LedgerRow[]): readonly LedgerRow[] =>
  [...rows].sort(
    (a, b) =>
      Math.abs(b.unexplained) - Math.abs(a.unexplained) ||
      b.made - a.made ||
      a.category.localeCompare(b.category, 'en'),
  )

/** The category that an address names, else the first one with losses, else the first. */
export const chosenRow = (rows: readonly LedgerRow[], named: string | null): LedgerRow | null =>
  rows.find(({ category }) => category === named) ?? rows.find(({ lost }) => lost !== 0) ?? rows[0] ?? null

/** Whether nothing was made and nothing refused. */
export const isBlank = ({ categories, losses }: Pick<Losses, 'categories' | 'losses'>): boolean =>
  losses.length === 0 && telemetryRows(categories).length === 0 && unexplainedText(categories) === ''

export const sinceText = (stamp: string | null): string =>
  `Counted since ${stamp === null ? 'the record began' : 'the first record with this stamp'}; evicted and cleared records still count.`

/** The categories that do not balance, such as `2 error, -2 span`; empty when all do. */
export const unexplainedText = (rows: readonly LedgerRow[]): string => amountText(rows, 'unexplained')
