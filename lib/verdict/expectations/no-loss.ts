import { similarName } from '../../config/nearest'
import { plural } from '../../format'
import { REPORT_CATEGORY } from '../../protocol/data-category'
import { DISCARD_REASONS } from '../../protocol/outcome'
import type { Loss, Losses } from '../../wire/losses'
import { formatValue, listFirst, truncate } from '../text'
import { type Answer, type Finding, verdictOf } from '../verdict'
import { paragraphs } from './explain'

/** Reasons in client reports for items that the program chose not to send: a sample rate, a hook, a filter. */
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
 * Was anything lost? Incomplete while items are pending. Dead letters fail, because upstream refused them for good, and so
 * do quantities that the ledger cannot explain, whatever is allowed. Client reports themselves do not count.
 * @param allow reasons that are no failure; `upstream_400` and the like for dead letters.
 * @param because why items are pending.
 * @throws TypeError if `allow` is no list of texts, or has a mistyped reason.
 */
export function noLoss(
  losses: Losses,
  {
    allow = [],
    because: pendingReason = null,
  }: { readonly allow?: readonly string[]; readonly because?: string | null } = {},
): Answer {
  if (!Array.isArray(allow) || allow.some((reason) => typeof reason !== 'string' || reason === ''))
    throw new TypeError(`allow must be a list of reasons, such as ['sample_rate'], got ${formatValue(allow)}`)
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
  const allowedTexts = allowed.map(
    ({ quantity, reason, category }) =>
      `${quantity} ${truncate(reason, 40)} of ${truncate(category ?? 'envelope', 40)}`,
  )
  const known = allowedTexts.length === 0 ? [] : [`allowed: ${listFirst(allowedTexts)}`]
  if (findings.length > 0)
    return {
      verdict: verdictOf(Math.max(1, made), findings, ''),
      message: paragraphs([
        [`telemetry was lost (of ${plural(made, 'item')})`],
        findings.map(({ about, actual }) => `${about}: ${actual}`),
        [...known, losses.sentence],
      ]),
      negatedMessage: '',
    }
  const pending = pendingOf(losses)
  if (pending > 0) {
    const why = `${pending} of ${plural(made, 'item')} ${pending === 1 ? 'is' : 'are'} still pending${pendingReason === null ? '' : `: ${pendingReason}`}`
    return {
      verdict: { verdict: 'incomplete', why },
      message: paragraphs([[why], [...known, losses.sentence]]),
      negatedMessage: '',
    }
  }
  const nothing = 'no telemetry was created, so nothing could be lost'
  const verdict = verdictOf(made, [], nothing)
  return {
    verdict,
    message: verdict.verdict === 'incomplete' ? nothing : '',
    negatedMessage: paragraphs([[`nothing was lost (of ${plural(made, 'item')}); expected a loss`], known]),
  }
}

/** Pending items without dead letters, which count as pending in the ledger. */
export const pendingOf = ({ pending, deadLetters }: Losses): number =>
  deadLetters.reduce((sum, { category, quantity }) => (category === REPORT_CATEGORY ? sum : sum - quantity), pending)

function checkReason(reason: string, { losses }: Losses): void {
  const mistyped = losses.some((loss) => loss.reason === reason) ? null : mistypedReason(reason)
  if (mistyped !== null) throw new TypeError(`allow: ${mistyped}`)
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

/** Checked per category, because errors of two categories may cancel out. */
const unexplainedOf = ({ categories }: Losses): readonly Finding[] =>
  categories
    .filter((row) => row.unexplained !== 0)
    .map((row) => ({
      about: `${truncate(row.category, 60)}, unexplained`,
      at: null,
      path: '',
      actual: `${row.unexplained} without a known outcome`,
      expected: 'an outcome for every item',
    }))

const MAX_DISTANCE = 2

/** Reasons are free text, so only one that is close to a known reason counts as mistyped. */
export function mistypedReason(reason: string): string | null {
  if (DISCARD_REASONS.includes(reason)) return null
  const similar = similarName(reason, DISCARD_REASONS, MAX_DISTANCE)
  return similar === null ? null : `${formatValue(reason)} is not a known reason; did you mean ${similar}?`
}
