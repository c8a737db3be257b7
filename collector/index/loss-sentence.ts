import { REPORT_CATEGORY } from '../../lib/protocol/data-category'
import type { Losses } from '../../lib/wire/losses'

/** Losses that the sentence names; how many more there are it says. */
const NAMED = 6

/** What the losses say in one sentence: in it what is nothing is left out, but for what a reader looks for. */
export function sayLosses(told: Omit<Losses, 'now' | 'journal' | 'sentence'>): string {
  const { stamp, made, lost, losses } = told
  const ofItems = losses.filter(({ by, category }) => by !== 'endpoint' && category !== REPORT_CATEGORY)
  const refused = losses.reduce((sum, { by, quantity }) => (by === 'endpoint' ? sum + quantity : sum), 0)
  const atEndpoint =
    refused === 0 ? '' : `; ${refused} ${refused === 1 ? 'envelope' : 'envelopes'} refused at the endpoint`
  if (
    made === 0 &&
    told.categories.every(({ category, unexplained }) => category === REPORT_CATEGORY && unexplained === 0)
  )
    return `${stamp === null ? 'nothing was made' : `the ledger has nothing for stamp ${stamp}`}${atEndpoint}`
  const amounts = [
    `made ${made}`,
    ...(['accepted', 'kept', 'pending'] as const)
      .filter((amount) => told[amount] !== 0 || (amount === 'accepted' && told.kept === 0))
      .map((amount) => `${amount} ${told[amount]}`),
    `lost ${lost}`,
  ].join(', ')
  const named = ofItems
    .slice(0, NAMED)
    .map((loss) => `${loss.quantity} ${loss.reason} of ${loss.category ?? 'envelopes'}`)
  const rest = ofItems.slice(NAMED).reduce((sum, { quantity }) => sum + quantity, 0)
  const why = rest === 0 ? named : [...named, `${rest} for other reasons`]
  return `${amounts}${why.length === 0 ? '' : `: ${why.join(', ')}`}${sayUnexplained(told)}${atEndpoint}`
}

/** Names every category whose ledger row does not balance. */
function sayUnexplained({ categories }: Pick<Losses, 'categories'>): string {
  const wrong = categories.filter(({ unexplained }) => unexplained !== 0)
  if (wrong.length === 0) return ''
  return `; the ledger does not balance: ${wrong.map((row) => `${row.unexplained} unexplained of ${row.category}`).join(', ')}`
}
