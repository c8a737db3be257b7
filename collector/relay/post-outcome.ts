import type { Quantity } from '../../lib/protocol/data-category'
import { isLimited, limitsOfAnswer, type RateLimit } from '../../lib/protocol/rate-limits'
import { type Endpoint, isDirect, isOtlp } from '../../lib/protocol/request'
import { isDsnRejected, isEnvelopeRejected, isTemporaryFailure } from '../../lib/protocol/upstream-answer'
import type { LeftOut } from '../../lib/wire/delivery'
import { type Decision, EVERY_ITEM } from '../spool/spool'

/**
 * `decided`: each item has its final outcome. `envelopeRefused`: a dead letter, for a person to decide. `unavailable`:
 * upstream cannot take it now. `dsnRefused`: upstream refuses the DSN. The last two leave the envelope pending.
 */
export type PostOutcome =
  | { readonly kind: 'decided'; readonly decision: NonNullable<Decision> }
  | { readonly kind: 'envelopeRefused' | 'unavailable' | 'dsnRefused' }

/** Upstream does not have this endpoint, as those of OpenTelemetry or of crash reports: that says nothing about its DSN. */
const NO_ENDPOINT: ReadonlySet<number> = new Set([404, 405, 501])

/**
 * @param quantities per item. A 200 does not accept items of a category that it limits itself.
 * @param leftOut items that were not posted: they end as cut, the others as answered.
 */
export function outcomeOfPost(
  status: number,
  rateLimits: readonly RateLimit[],
  quantities: readonly Quantity[],
  leftOut: readonly LeftOut[] = [],
  endpoint: Endpoint = 'envelope',
): PostOutcome {
  if ((isOtlp(endpoint) || isDirect(endpoint)) && NO_ENDPOINT.has(status)) return { kind: 'envelopeRefused' }
  if (isTemporaryFailure(status)) return { kind: 'unavailable' }
  if (isDsnRejected(status)) return { kind: 'dsnRefused' }
  if (isEnvelopeRejected(status)) return { kind: 'envelopeRefused' }
  if (status === 429) return decided(quantities, leftOut, ['rate_limited', 'upstream_429'])
  if (status < 200 || status >= 300) return decided(quantities, leftOut, ['invalid', `upstream_${status}`])
  // An answer can contain thousands of limits: compare each category once, not each item.
  const categories = [...new Set(quantities.map(({ category }) => category))]
  const limited = new Set(categories.filter((category) => isLimited(rateLimits, category)))
  return decided(quantities, leftOut, ['accepted', null], ({ category }) =>
    limited.has(category) ? ['rate_limited', `upstream_${status}`] : null,
  )
}

/**
 * `Retry-After` alone is a limit only in a final answer: a pending envelope waits that long, and for a dead letter it
 * concerns only that envelope. @param now ms since the epoch.
 */
export function limitsOfPost(
  answer: { readonly status: number; readonly rateLimits: string | null; readonly retryAfter: string | null },
  now: number,
): readonly RateLimit[] {
  const { status } = answer
  const limitsNothing = isTemporaryFailure(status) || isDsnRejected(status) || isEnvelopeRejected(status)
  return limitsOfAnswer(limitsNothing ? { ...answer, retryAfter: null } : answer, now)
}

export const decisionOfCut = (leftOut: readonly LeftOut[]): NonNullable<Decision> =>
  leftOut.map(({ item, reason }) => ({ item, outcome: 'rate_limited', reason }))

type DeliveryStatus = readonly ['accepted' | 'rate_limited' | 'invalid', string | null]

/** @param except the status of an item that differs from the others; `null` where it does not. */
function decided(
  quantities: readonly Quantity[],
  leftOut: readonly LeftOut[],
  deliveryStatus: DeliveryStatus,
  except: (quantity: Quantity) => DeliveryStatus | null = () => null,
): PostOutcome {
  const cut = new Map(leftOut.map(({ item, reason }) => [item, reason]))
  const statuses = quantities.map((quantity, item): DeliveryStatus => {
    const reason = cut.get(item)
    return reason === undefined ? (except(quantity) ?? deliveryStatus) : ['rate_limited', reason]
  })
  const [[outcome, reason] = deliveryStatus] = statuses
  const isOne = statuses.every((one) => one[0] === outcome && one[1] === reason)
  const decision = isOne
    ? [{ item: EVERY_ITEM, outcome, reason }]
    : statuses.map((one, item) => ({ item, outcome: one[0], reason: one[1] }))
  return { kind: 'decided', decision }
}
