import { similarName } from '../../config/nearest'
import { type Quantity, REPORT_CATEGORY } from '../../protocol/data-category'
import { DISCARD_REASONS, isForeignRefusal } from '../../protocol/outcome'
import { amountText, telemetryRows } from '../../wire/ledger-account'
import type { Loss, Losses } from '../../wire/losses'
import { formatValue, listFirst, truncate } from '../text'
import { type ExpectationResult, type Finding, verdictOf } from '../verdict'
import { paragraphs } from './explain'

const BY: Readonly<Record<Loss['by'], string>> = {
  sdk: 'discarded by the SDK',
  endpoint: 'refused at the endpoint',
  waystation: 'ended here',
  upstream: 'refused by upstream',
  person: 'dropped by a person',
}

/**
 * Was anything lost? Incomplete while items are pending. Dead letters fail, because upstream refused them for good, and so
 * do quantities that the ledger cannot explain, whatever is allowed. Client reports themselves do not count,
 * nor items that were not sent by choice.
 * @param allow reasons that are no failure; `upstream_400` and the like for dead letters.
 * @param because why items are pending.
 * @param abandoned items that pages posted while they were closed, by data category. A closing page reports them as lost by
 * the network, which proves no defect: that many are unproven instead of lost.
 * @throws TypeError if `allow` is no list of texts, or has a mistyped reason.
 */
export function noLoss(
  losses: Losses,
  {
    allow = [],
    because: pendingReason = null,
    abandoned = new Map(),
  }: {
    readonly allow?: readonly string[]
    readonly because?: string | null
    readonly abandoned?: ReadonlyMap<string, number>
  } = {},
): ExpectationResult {
  if (!Array.isArray(allow) || allow.some((reason) => typeof reason !== 'string' || reason === ''))
    throw new TypeError(`allow must be a list of reasons, such as ['network_error'], got ${formatValue(allow)}`)
  for (const reason of allow) checkReason(reason, losses)
  const counted = losses.losses.filter(
    ({ by, category, reason }) => category !== REPORT_CATEGORY && !(by === 'endpoint' && isForeignRefusal(reason)),
  )
  const open = counted.filter(({ reason }) => !allow.includes(reason))
  const lost = open.flatMap((loss) => {
    const quantity = loss.quantity - unprovenOf(loss, abandoned)
    return quantity > 0 ? [{ ...loss, quantity }] : []
  })
  const unproven = open.flatMap((loss) => {
    const quantity = Math.min(loss.quantity, unprovenOf(loss, abandoned))
    return quantity > 0 ? [`${quantity} ${truncate(loss.category ?? 'envelope', 40)}`] : []
  })
  const allowed = [
    ...counted.filter(({ reason }) => allow.includes(reason)),
    ...losses.deadLetters
      .map(({ status, ...loss }) => ({ ...loss, reason: `upstream_${status}` }))
      .filter(({ reason, category }) => category !== REPORT_CATEGORY && allow.includes(reason)),
  ]
  const dead = losses.deadLetters.filter(({ category }) => category !== REPORT_CATEGORY)
  const refused = dead.filter(({ status }) => !allow.includes(`upstream_${status}`))
  const explained = lost.find(isOverflow)
  const findings = [
    ...lost.map((loss) => findingOf(loss, loss === explained)),
    ...refused.map(deadLetterOf),
    ...unexplainedOf(losses),
  ]
  const rows = telemetryRows(losses.categories)
  const made = amountText(rows, 'made')
  const allowedTexts = allowed.map(
    ({ quantity, reason, category }) =>
      `${quantity} ${truncate(reason, 40)} of ${truncate(category ?? 'envelope', 40)}`,
  )
  const unseen = amountText(rows, 'unseen')
  const known = [
    ...(allowedTexts.length === 0 ? [] : [`allowed: ${listFirst(allowedTexts)}`]),
    ...(unseen === '' ? [] : [`arrived, answer unseen: ${unseen}`]),
  ]
  if (findings.length > 0)
    return {
      verdict: verdictOf(Math.max(1, rows.length), findings, ''),
      message: paragraphs([
        [made === '' ? 'telemetry was lost' : `telemetry was lost (made: ${made})`],
        findings.map(({ about, actual }) => `${about}: ${actual}`),
        [...known, losses.sentence],
      ]),
      negatedMessage: '',
    }
  const pending = pendingOf(losses)
  if (pending.length > 0) {
    const texts = pending.map(({ category, quantity }) => `${quantity} ${category}`).join(', ')
    const why = `still pending: ${texts}${pendingReason === null ? '' : `; ${pendingReason}`}`
    return {
      verdict: { verdict: 'incomplete', why },
      message: paragraphs([[why], [...known, losses.sentence]]),
      negatedMessage: '',
    }
  }
  if (unproven.length > 0) {
    const why = `${listFirst(unproven)} of pages that were closed while they posted may be lost`
    return { verdict: { verdict: 'incomplete', why }, message: why, negatedMessage: why }
  }
  const nothing = 'no telemetry was created, so nothing could be lost'
  const verdict = verdictOf(rows.length, [], nothing)
  return {
    verdict,
    message: verdict.verdict === 'incomplete' ? nothing : '',
    negatedMessage: paragraphs([[`nothing was lost (made: ${made}); expected a loss`], known]),
  }
}

/** Pending items by data category, without dead letters, which count as pending in the ledger. */
export const pendingOf = ({ categories, deadLetters }: Losses): readonly Quantity[] =>
  telemetryRows(categories).flatMap(({ category, pending }) => {
    const dead = deadLetters.reduce((sum, one) => (one.category === category ? sum + one.quantity : sum), 0)
    return pending > dead ? [{ category, quantity: pending - dead }] : []
  })

function checkReason(reason: string, { losses, notSent }: Losses): void {
  const mistyped = [...losses, ...notSent].some((loss) => loss.reason === reason) ? null : mistypedReason(reason)
  if (mistyped !== null) throw new TypeError(`allow: ${mistyped}`)
}

const unprovenOf = ({ by, reason, category }: Loss, abandoned: ReadonlyMap<string, number>): number =>
  by === 'sdk' && reason === 'network_error' && category !== null ? (abandoned.get(category) ?? 0) : 0

/** SDKs send a few envelopes at once and drop the others. */
export const OVERFLOW_CAUSE =
  'more sends were open at once than the transport allows: is its bufferSize small, or does the tunnel answer late?'

const isOverflow = ({ by, reason }: Loss): boolean => by === 'sdk' && reason === 'queue_overflow'

/** @param isExplained only the first finding of a cause, because the sentence is long */
function findingOf({ by, reason, category, quantity }: Loss, isExplained: boolean): Finding {
  const cause = isExplained ? `: ${OVERFLOW_CAUSE}` : ''
  return {
    about: `${truncate(category ?? 'envelope', 60)}, ${truncate(reason, 60)}`,
    at: null,
    path: '',
    actual: `${quantity} ${BY[by]}${cause}`,
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
