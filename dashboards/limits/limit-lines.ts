import { plural } from '../../lib/format'
import { writeFilter } from '../../lib/wire/filter'
import type { Limit, LimitsNow } from '../../lib/wire/limits'
import { typeLimitedBy } from '../ui/labels'
import { printable } from '../ui/printable'
import { formatLeft } from '../ui/times'

export interface LimitLine {
  readonly limit: Limit
  /** The time left: `12 s`; `null` when it has ended. */
  readonly left: string | null
  /** The scope and the upstream: `organization of o1.ingest.sentry.io/2`. */
  readonly by: string
  readonly why: string
  readonly cut: string
  readonly cutHref: string | null
}

interface LimitLines {
  /** Latest end first. */
  readonly running: readonly LimitLine[]
  /** Most recently ended first. */
  readonly over: readonly LimitLine[]
}

/** Divides limits into running and ended ones. A limit that ended after it was read counts as ended. */
export function limitLines({ limits, ended }: Pick<LimitsNow, 'limits' | 'ended'>, nowMs: number): LimitLines {
  const line = (limit: Limit): LimitLine => ({
    limit,
    left: formatLeft(limit.until, nowMs),
    by: byWhom(limit),
    why: limit.reason === null ? 'not given' : printable(limit.reason.replaceAll('_', ' ')),
    cut: limit.cut === 0 ? 'nothing' : cutText(limit),
    cutHref: limit.cut === 0 ? null : cutEnvelopes(limit, nowMs),
  })
  const lines = limits.map(line)
  const byEnd = (a: LimitLine, b: LimitLine): number => b.limit.until - a.limit.until
  return {
    running: lines.filter(({ left }) => left !== null).sort(byEnd),
    over: [
      ...lines.filter(({ left }) => left === null),
      ...ended.map((limit) => ({ ...line(limit), left: null })),
    ].sort(byEnd),
  }
}

/** A limit on all categories cuts items of every kind. */
const cutText = ({ category, cut }: Limit): string => plural(cut, category === 'all' ? 'item' : printable(category))

/** Envelopes that were already pending when the limit started are cut too, so only its end bounds the list. */
function cutEnvelopes({ category, until }: Limit, nowMs: number): string {
  const query = new URLSearchParams()
  writeFilter(query, {
    delivery: 'rate_limited',
    type: typeLimitedBy(category),
    until: until > nowMs ? undefined : new Date(until).toISOString(),
  })
  return `/deliveries?${query}`
}

function byWhom({ upstream, scope }: Limit): string {
  const where = printable(upstream)
  return scope === null ? where : `${printable(scope)} of ${where}`
}
