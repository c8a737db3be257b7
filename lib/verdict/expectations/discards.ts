import { countedDiscard } from '../../protocol/outcome'
import type { Evidence } from '../evidence/evidence'
import type { CheckPlan } from './check-plan'
import { CHOSEN_REASONS } from './no-loss'
import { cut, firstFew, many } from './shown'
import { toldErrors } from './told-errors'

/**
 * What an SDK leaves out on honest pages, too: an error that came a moment ago, browsers' known noise, a request without a
 * parent, an idle navigation. Of these nobody has to look at anything.
 */
const OF_NO_NEWS: ReadonlySet<string> = new Set(['event_processor', 'ignored', 'no_parent_span', 'insufficient_data'])

const NETWORK_ERROR = 'network_error'
const SPAN_CATEGORIES: readonly string[] = ['span', 'transaction']

/**
 * Why it is not known that no error came up: client reports tell of some that were not sent. `null` where none does. A page
 * that is left tells of a `network_error` for what did arrive, so that one counts only where no error arrived.
 */
export function whyErrorsUnseen(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  const arrived = toldErrors(evidence).length > 0
  const gone = discardsOf(evidence, ['error'], losses).filter(({ reason }) => !(arrived && reason === NETWORK_ERROR))
  if (gone.length === 0) return null
  const count = sumOf(gone)
  return `${many(count, 'error')} ${count === 1 ? 'was' : 'were'} discarded by the SDK (${reasonsOf(gone)}), and nobody saw ${count === 1 ? 'it' : 'them'}; ${acceptedBy(gone)}`
}

/** Why nothing is known of spans: some were made, and none arrived. `null` where that is not so. */
export function whySpansUnseen(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  if (evidence.items.some(({ copy, category }) => !copy && SPAN_CATEGORIES.includes(category))) return null
  const gone = discardsOf(evidence, SPAN_CATEGORIES, losses)
  if (gone.length === 0) return null
  // A transaction that is discarded is told as its spans, too.
  const spans = gone.filter(({ category }) => category === 'span')
  const made = spans.length > 0 ? many(sumOf(spans), 'span') : many(sumOf(gone), 'transaction')
  return `${made} ${made.startsWith('1 ') ? 'was' : 'were'} made, and none arrived: ${reasonsOf(gone)}; ${acceptedBy(gone)}`
}

interface Discard {
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

/** What client reports say of these categories, less what a plan that names its reasons accepts. */
function discardsOf(
  { signals }: Evidence,
  categories: readonly string[],
  losses: CheckPlan['losses'],
): readonly Discard[] {
  if (losses === 'ignore') return []
  // What is allowed where nobody names anything is no loss on the way; that nothing can be judged by it is another thing.
  const accepted = losses.allow === CHOSEN_REASONS ? [] : losses.allow
  return signals.flatMap(({ kind, copy, fields: { category, reason, quantity } }): readonly Discard[] => {
    const told = kind === 'client_report' && !copy ? countedDiscard({ category, reason, quantity }) : null
    if (told === null || !categories.includes(told.category)) return []
    return OF_NO_NEWS.has(told.reason) || accepted.includes(told.reason) ? [] : [told]
  })
}

const sumOf = (gone: readonly Discard[]): number => gone.reduce((sum, { quantity }) => sum + quantity, 0)
const namesOf = (gone: readonly Discard[]): readonly string[] => [...new Set(gone.map(({ reason }) => cut(reason, 40)))]
const reasonsOf = (gone: readonly Discard[]): string => firstFew(namesOf(gone))
const acceptedBy = (gone: readonly Discard[]): string =>
  `losses: { allow: [${namesOf(gone)
    .map((name) => `'${name}'`)
    .join(', ')}, …] } in the configuration accepts that`
