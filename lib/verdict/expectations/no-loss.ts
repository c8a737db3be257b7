import { similarName } from '../../config/nearest'
import { REPORT_CATEGORY } from '../../protocol/data-category'
import { DISCARD_REASONS } from '../../protocol/outcome'
import type { Loss, Losses } from '../../wire/losses'
import { formatValue, listFirst, truncate } from '../text'
import { type Answer, type Finding, verdictOf } from '../verdict'
import { paragraphs } from './explain'

/**
 * What programs choose not to send, by the reasons of their client reports: a sample rate, a hook, a filter. None of it
 * was lost on the way.
 */
export const DELIBERATE_DISCARD_REASONS: readonly string[] = [
  'sample_rate',
  'before_send',
  'event_processor',
  'ignored',
  'no_parent_span',
  'insufficient_data',
]

const BY: Readonly<Record<Loss['by'], string>> = {
  sdk: 'discarded by the SDK',
  endpoint: 'refused at the endpoint',
  waystation: 'ended here',
  upstream: 'refused by upstream',
  person: 'dropped by a person',
}

/**
 * Was anything lost? What is still under way may be: incomplete. What upstream refused for what it is will not arrive,
 * though it is kept for a person: a dead letter is a failure. So is what the books cannot explain, whatever is allowed.
 * Client reports themselves are nothing that a program made.
 * @param allow reasons that are no failure; of a dead letter `upstream_400` and the like.
 * @param because why what is pending is not taken.
 * @throws TypeError where the reasons are no list of words, or one is nearly a reason that is known.
 */
export function noLoss(
  losses: Losses,
  {
    allow = [],
    because: pendingReason = null,
  }: { readonly allow?: readonly string[]; readonly because?: string | null } = {},
): Answer {
  if (!Array.isArray(allow) || allow.some((reason) => typeof reason !== 'string' || reason === ''))
    throw new TypeError(`allow is a list of reasons, such as ['sample_rate']: ${formatValue(allow)} was given`)
  for (const reason of allow) checkReason(reason, losses)
  const counted = losses.losses.filter(({ category }) => category !== REPORT_CATEGORY)
  const lost = counted.filter(({ reason }) => !allow.includes(reason))
  const allowed = [
    ...counted.filter(({ reason }) => allow.includes(reason)),
    ...losses.deadLetters
      .map(({ status, ...loss }) => ({ ...loss, reason: `upstream_${status}` }))
      .filter(({ reason, category }) => category !== REPORT_CATEGORY && allow.includes(reason)),
  ]
  const dead = losses.deadLetters.filter(({ category }) => category !== REPORT_CATEGORY)
  const refused = dead.filter(({ status }) => !allow.includes(`upstream_${status}`))
  const findings = [...lost.map(findingOf), ...refused.map(deadLetterOf), ...unexplainedOf(losses)]
  const { made } = losses
  const beside = allowed.map(
    ({ quantity, reason, category }) =>
      `${quantity} ${truncate(reason, 40)} of ${truncate(category ?? 'envelope', 40)}`,
  )
  const known = beside.length === 0 ? [] : [`allowed: ${listFirst(beside)}`]
  if (findings.length > 0)
    return {
      verdict: verdictOf(Math.max(1, made), findings, ''),
      message: paragraphs([
        [`of ${made} made something was lost`],
        findings.map(({ about, actual }) => `${about}: ${actual}`),
        [...known, losses.sentence],
      ]),
      negatedMessage: '',
    }
  const pending = pendingOf(losses)
  if (pending > 0) {
    const why = `${pending} of ${made} made ${pending === 1 ? 'has' : 'have'} no outcome yet: upstream is pending ${pending === 1 ? 'it' : 'them'} still${pendingReason === null ? '' : `, ${pendingReason}`}`
    return {
      verdict: { verdict: 'incomplete', why },
      message: paragraphs([[why], [...known, losses.sentence]]),
      negatedMessage: '',
    }
  }
  const nothing = 'nothing was made, so that nothing could be lost'
  const verdict = verdictOf(made, [], nothing)
  return {
    verdict,
    message: verdict.verdict === 'incomplete' ? nothing : '',
    negatedMessage: paragraphs([[`nothing was lost of ${made} made, and a loss was expected`], known]),
  }
}

/** What upstream has not answered for: what is pending, less the dead letters. */
export const pendingOf = ({ pending, deadLetters }: Losses): number =>
  deadLetters.reduce((sum, { category, quantity }) => (category === REPORT_CATEGORY ? sum : sum - quantity), pending)

function checkReason(reason: string, { losses }: Losses): void {
  const mistyped = losses.some((loss) => loss.reason === reason) ? null : mistypedReason(reason)
  if (mistyped !== null) throw new TypeError(`allow names ${mistyped}`)
}

function findingOf({ by, reason, category, quantity }: Loss): Finding {
  return {
    about: `${truncate(category ?? 'envelope', 60)}, ${truncate(reason, 60)}`,
    at: null,
    path: '',
    actual: `${quantity} ${BY[by]}`,
    expected: 'none lost',
  }
}

const deadLetterOf = ({ category, status, quantity }: Losses['deadLetters'][number]): Finding => ({
  about: `${truncate(category, 60)}, upstream_${status}`,
  at: null,
  path: '',
  actual: `${quantity} refused by upstream with ${status}: ${quantity === 1 ? 'a dead letter' : 'dead letters'}`,
  expected: 'none lost',
})

/** Book by book: two of them that are wrong may sum up to nothing. */
const unexplainedOf = ({ categories: books }: Losses): readonly Finding[] =>
  books
    .filter((book) => book.unexplained !== 0)
    .map((book) => ({
      about: `${truncate(book.category, 60)}, unexplained`,
      at: null,
      path: '',
      actual: `${book.unexplained} of which the books do not say what became of them`,
      expected: 'each accounted for',
    }))

/** Signs in which a reason may differ from one that is known, and be meant as that. */
const MOST_MISTYPED = 2

/**
 * Reasons are free text; one that is a letter or two beside a known one is mistyped.
 * @returns the reason, and what was meant; `null` where it may be one.
 */
export function mistypedReason(reason: string): string | null {
  if (DISCARD_REASONS.includes(reason)) return null
  const meant = similarName(reason, DISCARD_REASONS, MOST_MISTYPED)
  return meant === null ? null : `${formatValue(reason)}, which is no reason that is known: did you mean ${meant}?`
}
