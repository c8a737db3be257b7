import { formatLeft } from '../../dashboards/ui/times'
import { limitAppliesTo } from '../../lib/protocol/rate-limits'
import type { LimitsNow } from '../../lib/wire/limits'

/** Returns the first of these categories that an SDK does not send because of a rate limit; `null` for none. */
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
