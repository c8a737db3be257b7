import type { Quantity } from '../../lib/protocol/data-category'
import {
  isOfTheDsn,
  isOfTheEnvelope,
  isPassing,
  limitsOfAnswer,
  limitsTake,
  type RateLimit,
} from '../../lib/protocol/upstream-answer'
import type { LeftOut } from '../../lib/wire/delivery'
import { type Decision, EVERY_ITEM } from '../spool/submission'

/**
 * What an answer means for the envelope that was posted: it is `final`; it is a `dead` letter, which a person decides
 * about; or it stays pending, for upstream cannot take it just `now`, or it `refuses` all that we send.
 */
export type Verdict =
  | { readonly kind: 'final'; readonly decision: NonNullable<Decision> }
  | { readonly kind: 'dead' | 'not now' | 'refuses' }

/**
 * What an answer limits. Where it leaves the envelope pending, a `Retry-After` alone is how long to wait: a limit would cut
 * what need only wait. Where it makes a dead letter of it, that speaks of this envelope, and of no other.
 * @param now ms since the epoch.
 */
export function limitsOfPost(
  answer: { readonly status: number; readonly rateLimits: string | null; readonly retryAfter: string | null },
  now: number,
): readonly RateLimit[] {
  const { status } = answer
  const limitsNothing = isPassing(status) || isOfTheDsn(status) || isOfTheEnvelope(status)
  return limitsOfAnswer(limitsNothing ? { ...answer, retryAfter: null } : answer, now)
}

/**
 * Decides about an envelope from upstream's status and limits.
 * @param quantities per item: an item whose category this very answer limits was not taken, though the status says 200.
 * @param leftOut items that were not posted at all: they end as cut, the others as answered.
 */
export function decide(
  status: number,
  limits: readonly RateLimit[],
  quantities: readonly Quantity[],
  leftOut: readonly LeftOut[] = [],
): Verdict {
  if (isPassing(status)) return { kind: 'not now' }
  if (isOfTheDsn(status)) return { kind: 'refuses' }
  if (isOfTheEnvelope(status)) return { kind: 'dead' }
  if (status === 429) return settled(quantities, leftOut, ['rate_limited', 'upstream_429'])
  if (status < 200 || status >= 300) return settled(quantities, leftOut, ['invalid', `upstream_${status}`])
  // An answer can name as many limits as its headers have room for, and is asked once for each category.
  const taken = new Set(
    [...new Set(quantities.map(({ category }) => category))].filter((one) => limitsTake(limits, one)),
  )
  return settled(quantities, leftOut, ['accepted', null], ({ category }) =>
    taken.has(category) ? ['rate_limited', `upstream_${status}`] : null,
  )
}

/** What becomes of an envelope of which nothing is left to post. */
export const settledByCut = (leftOut: readonly LeftOut[]): NonNullable<Decision> =>
  leftOut.map(({ item, reason }) => ({ item, outcome: 'rate_limited', reason }))

type DeliveryStatus = readonly ['accepted' | 'rate_limited' | 'invalid', string | null]

/** @param except what becomes of an item that is an exception; `null` of one that is none. */
function settled(
  quantities: readonly Quantity[],
  leftOut: readonly LeftOut[],
  deliveryStatus: DeliveryStatus,
  except: (quantity: Quantity) => DeliveryStatus | null = () => null,
): Verdict {
  const cut = new Map(leftOut.map(({ item, reason }) => [item, reason]))
  const deliveryStatuses = quantities.map((quantity, item): DeliveryStatus => {
    const reason = cut.get(item)
    return reason === undefined ? (except(quantity) ?? deliveryStatus) : ['rate_limited', reason]
  })
  const [[outcome, reason] = deliveryStatus] = deliveryStatuses
  const isOne = deliveryStatuses.every((one) => one[0] === outcome && one[1] === reason)
  const decision = isOne
    ? [{ item: EVERY_ITEM, outcome, reason }]
    : deliveryStatuses.map((one, item) => ({ item, outcome: one[0], reason: one[1] }))
  return { kind: 'final', decision }
}
