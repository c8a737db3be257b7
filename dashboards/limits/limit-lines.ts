import { plural } from '../../lib/format'
import { writeFilter } from '../../lib/wire/filter'
import type { Limit, LimitsNow } from '../../lib/wire/limits'
import { typeLimitedBy } from '../ui/labels'
import { printable } from '../ui/printable'
import { formatLeft } from '../ui/times'

export interface LimitLine {
  readonly limit: Limit
  /** What is left of it: `12 s`; `null` when it is over. */
  readonly left: string | null
  /** Who limits, as upstream says it: `organization of o1.ingest.sentry.io/2`. */
  readonly by: string
  /** Upstream’s word for it. */
  readonly why: string
  /** What was cut here while it ran. */
  readonly cut: string
  /** The envelopes of which something like it was cut, the last first; `null` where nothing was. */
  readonly cutHref: string | null
}

export interface LimitLines {
  /** The one that ends last first. */
  readonly running: readonly LimitLine[]
  /** The last one that ended first. */
  readonly over: readonly LimitLine[]
}

/** Limits by whether they still run; one whose clock has run out since it was read is over. */
export function limitLines({ limits, ended }: Pick<LimitsNow, 'limits' | 'ended'>, nowMs: number): LimitLines {
  const line = (limit: Limit): LimitLine => ({
    limit,
    left: formatLeft(limit.until, nowMs),
    by: byWhom(limit),
    why: limit.reason === null ? 'not said' : printable(limit.reason.replaceAll('_', ' ')),
    cut: limit.cut === 0 ? 'nothing' : cutWords(limit),
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

/** A limit of everything cuts things of all sorts, which have no name in common. */
const cutWords = ({ category, cut }: Limit): string => plural(cut, category === 'all' ? 'item' : printable(category))

/** What was pending already when the limit was told was cut, too: only its end bounds them. */
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
