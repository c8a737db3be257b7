import { formatLeft } from '../../dashboards/ui/times'
import { limitAppliesTo } from '../../lib/protocol/upstream-answer'
import type { LimitsNow } from '../../lib/wire/limits'

/**
 * Explains why an SDK sends none of these data categories: it received a rate limit of upstream.
 * @returns the first limited category, with the time until its last limit ends; `null` when no limit reached the SDK.
 */
export function limitNotice(limits: LimitsNow, categories: readonly string[]): string | null {
  const { passLimits, holdErrors, now } = limits
  if (!passLimits) return null
  for (const category of categories) {
    // With `holdErrors` errors wait in the collector, and SDKs continue to send them.
    if (category === 'error' && holdErrors) continue
    const ends = limits.limits.filter((limit) => limitAppliesTo(limit.category, category)).map(({ until }) => until)
    const left = ends.length === 0 ? null : formatLeft(Math.max(...ends), now)
    if (left !== null) return `not sent: upstream limits ${category} for ${left} more`
  }
  return null
}
