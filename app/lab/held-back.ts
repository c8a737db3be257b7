import { formatLeft } from '../../dashboards/ui/times'
import { takes } from '../../lib/protocol/upstream-answer'
import type { LimitsNow } from '../../lib/wire/limits'

/**
 * Why none of these data categories comes just now: SDKs are told what upstream limits, and keep it to themselves.
 * @returns of the first that is limited until when, by the limit that ends last; `null` where SDKs are told of none.
 */
export function heldBackWords(limits: LimitsNow, categories: readonly string[]): string | null {
  const { passLimits, holdErrors, now } = limits
  if (!passLimits) return null
  for (const category of categories) {
    // Where errors wait here for the end of a limit, SDKs go on to send them.
    if (category === 'error' && holdErrors) continue
    const ends = limits.limits.filter((limit) => takes(limit.category, category)).map(({ until }) => until)
    const left = ends.length === 0 ? null : formatLeft(Math.max(...ends), now)
    if (left !== null) return `held back: upstream limits ${category} for ${left} more`
  }
  return null
}
