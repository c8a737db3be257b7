import { groupBy } from '../group-by'
import { DATA_CATEGORIES, REPORT_CATEGORY } from '../protocol/data-category'
import { type ANSWER_UNSEEN, isChosen, lostBy, OUTCOMES, type Outcome } from '../protocol/outcome'
import type { LedgerRow, Loss, Losses } from './losses'

/** One amount of a data category, as the ledger totals store it. */
export interface LedgerEntry {
  readonly category: string
  readonly entry: 'received' | 'pending' | 'client_discard' | typeof ANSWER_UNSEEN | Outcome
  /** Empty or `null` when there is none. */
  readonly reason: string | null
  readonly quantity: number
}

type Account = Pick<Losses, 'categories' | 'losses' | 'notSent'>

/** Sums up entries, each data category by itself. Quantities of two categories have different units. */
export function accountOf(entries: readonly LedgerEntry[]): Account {
  const categories = [...groupBy(entries, ({ category }) => category)]
    .map(([category, of]) => ledgerRowOf(category, of))
    .sort((one, other) => rankOf(one.category) - rankOf(other.category) || compare(one.category, other.category))
  const notSent = entries.filter(({ entry, reason }) => entry === 'client_discard' && isChosen(reason))
  return {
    categories,
    losses: summed(entries.flatMap(lossOf)).sort(largestFirst),
    notSent: summed(notSent.map((one) => ({ by: 'sdk' as const, ...namedBy(one) })))
      .sort(largestFirst)
      .map(({ reason, category, quantity }) => ({ reason, category, quantity })),
  }
}

function ledgerRowOf(category: string, entries: readonly LedgerEntry[]): LedgerRow {
  const sumOf = (matches: (one: LedgerEntry) => boolean): number =>
    entries.reduce((sum, one) => (matches(one) ? sum + one.quantity : sum), 0)
  const amountOf = (name: LedgerEntry['entry']): number => sumOf(({ entry }) => entry === name)
  const [received, pending] = [amountOf('received'), amountOf('pending')]
  const notSent = sumOf(({ entry, reason }) => entry === 'client_discard' && isChosen(reason))
  const discarded = amountOf('client_discard') - notSent
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, amountOf(outcome)])) as Record<
    Outcome,
    number
  >
  const decided = OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0)
  return {
    category,
    made: received + discarded + notSent,
    notSent,
    unseen: amountOf('answer_unseen'),
    lost: discarded + decided - outcomes.accepted - outcomes.kept,
    discarded,
    received,
    pending,
    ...outcomes,
    unexplained: received - pending - decided,
  }
}

type CategoryLoss = Loss & { readonly category: string }

/** The loss that an entry stands for; none for entries that are no loss. */
function lossOf(one: LedgerEntry): readonly CategoryLoss[] {
  const by = lostBy(one.entry, one.reason)
  return by === null || one.quantity === 0 ? [] : [{ by, ...namedBy(one) }]
}

const namedBy = ({ category, entry, reason, quantity }: LedgerEntry) => ({
  reason: reason === null || reason === '' ? entry : reason,
  category,
  quantity,
})

function summed(losses: readonly CategoryLoss[]): CategoryLoss[] {
  const sums = new Map<string, CategoryLoss>()
  for (const one of losses) {
    const key = JSON.stringify([one.by, one.reason, one.category])
    sums.set(key, { ...one, quantity: one.quantity + (sums.get(key)?.quantity ?? 0) })
  }
  return [...sums.values()]
}

export function largestFirst(one: Loss, other: Loss): number {
  return (
    other.quantity - one.quantity ||
    compare(one.by, other.by) ||
    compare(one.reason, other.reason) ||
    compare(one.category ?? '', other.category ?? '')
  )
}

/** By code points, so that the order does not depend on a locale. */
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const ORDER = [...DATA_CATEGORIES]

/** Known categories come first, in their fixed order; then categories that senders made up. */
function rankOf(category: string): number {
  const rank = ORDER.indexOf(category)
  return rank < 0 ? ORDER.length : rank
}

/** The rows of telemetry. Client reports describe losses and are not telemetry of the program. */
export const telemetryRows = (rows: readonly LedgerRow[]): readonly LedgerRow[] =>
  rows.filter(({ category, made }) => category !== REPORT_CATEGORY && made !== 0)

/** One amount of each data category that has any, such as `2 error, 9 span`; empty when none has. */
export const amountText = (rows: readonly LedgerRow[], amount: Exclude<keyof LedgerRow, 'category'>): string =>
  rows
    .filter((row) => row[amount] !== 0)
    .map((row) => `${row[amount]} ${row.category}`)
    .join(', ')

/** Categories that the sentence names; the board lists all. */
const NAMED = 6

/**
 * The account in one sentence, a clause per data category. Amounts of 0 are left out, except `made`, `lost` and one of
 * `accepted` and `kept`. Empty without telemetry.
 */
export function accountSentence({ categories, losses, notSent }: Account): string {
  const rows = telemetryRows(categories)
  const clauses = rows.slice(0, NAMED).map((row) => {
    const of = <One extends { category: string | null }>(all: readonly One[]) =>
      all.filter(({ category }) => category === row.category)
    const amounts = (['accepted', 'kept', 'pending'] as const)
      .filter((amount) => row[amount] !== 0 || (amount === 'accepted' && row.kept === 0))
      .map((amount) => `${amount} ${row[amount]}`)
    const lost = `lost ${row.lost}${causes(of(losses).filter(({ by }) => by !== 'endpoint'))}`
    const chosen = row.notSent === 0 ? [] : [`not sent by choice ${row.notSent}${causes(of(notSent))}`]
    const unseen = row.unseen === 0 ? [] : [`arrived, answer unseen ${row.unseen}`]
    return `${row.category}: made ${row.made}, ${[...amounts, lost, ...unseen, ...chosen].join(', ')}`
  })
  const rest = rows.length - NAMED
  const more = rest <= 0 ? [] : [`${rest} more ${rest === 1 ? 'category' : 'categories'}`]
  return [...clauses, ...more, ...unexplainedClause(categories)].join('; ')
}

const causes = (of: readonly { readonly reason: string; readonly quantity: number }[]): string =>
  of.length === 0 ? '' : ` (${of.map(({ reason, quantity }) => `${quantity} ${reason}`).join(', ')})`

/** Names every category whose ledger row does not balance. */
function unexplainedClause(categories: readonly LedgerRow[]): readonly string[] {
  const wrong = categories.filter(({ unexplained }) => unexplained !== 0)
  if (wrong.length === 0) return []
  return [
    `the ledger does not balance: ${wrong.map((row) => `${row.unexplained} unexplained of ${row.category}`).join(', ')}`,
  ]
}
