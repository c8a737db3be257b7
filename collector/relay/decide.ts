import type { Quantity } from '../../lib/protocol/data-category'
import type { RateLimit } from '../../lib/protocol/rate-limits'
import { type Decision, EVERY_ITEM } from '../spool/submission'

/** What an answer means: final for the envelope, or the relay waits and posts it again. */
export type Verdict = { readonly final: true; readonly decision: NonNullable<Decision> } | { readonly final: false }

/** Statuses behind which the same envelope may be taken later. */
const PASSING = new Set([408, 502, 503, 504])
/** These speak of the DSN or the address, not of this envelope: a mistyped DSN must not kill a backlog. */
const ADDRESS = new Set([401, 403, 404])

/**
 * Decides about an envelope from upstream's status and limits.
 * @param quantities per item: an item whose category this very answer limits was not taken, though the status says 200.
 */
export function decide(status: number, limits: readonly RateLimit[], quantities: readonly Quantity[]): Verdict {
  if (PASSING.has(status) || ADDRESS.has(status) || (status >= 300 && status < 400)) return { final: false }
  if (status === 429) return all('rate_limited', 'upstream_429')
  if (status < 200 || status >= 300) return all('invalid', `upstream_${status}`)
  const limited = quantities.map(({ category }) => isLimited(category, limits))
  if (!limited.includes(true)) return all('accepted', null)
  return {
    final: true,
    decision: limited.map((isLimitedHere, item) =>
      isLimitedHere
        ? { item, outcome: 'rate_limited', reason: `upstream_${status}` }
        : { item, outcome: 'accepted', reason: null },
    ),
  }
}

const all = (outcome: 'accepted' | 'rate_limited' | 'invalid', reason: string | null): Verdict => ({
  final: true,
  decision: [{ item: EVERY_ITEM, outcome, reason }],
})

const isLimited = (category: string, limits: readonly RateLimit[]): boolean =>
  limits.some((limit) => limit.seconds > 0 && (limit.categories.length === 0 || limit.categories.includes(category)))
