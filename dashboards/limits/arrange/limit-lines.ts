import type { Limit, LimitsNow } from '../../../lib/wire/limits'
import { formatLeft } from '../../words/clocks'
import { printable } from '../../words/printable'
import { plural } from '../../words/quantities'

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

function byWhom({ upstream, scope }: Limit): string {
  const where = printable(upstream)
  return scope === null ? where : `${printable(scope)} of ${where}`
}
