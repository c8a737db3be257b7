import type { Limit, LimitsNow, PageLimit } from '../../lib/wire/limits'
import type { LimitPeriod, PageLimitRow } from '../index/read-limits'
import type { Reader } from '../index/reader'
import type { RateLimits } from '../relay/rate-limits'

/** Those that ended and are shown. */
const MOST_ENDED = 50

export interface LimitParts {
  readonly relay: {
    readonly upstreamFor: (sent: {
      readonly publicKey: string
      readonly projectId: string
    }) => { readonly label: string } | undefined
  }
  readonly limits: Pick<RateLimits, 'active'>
  readonly reader: Pick<Reader, 'limitHistory'>
  readonly passLimits: boolean
  readonly holdErrors: boolean
  readonly now: () => number
}

/** What is limited just now, each by its host and project. Almost always nothing: then nothing is read. */
export function createActiveLimits(parts: LimitParts): () => Promise<Limit[]> {
  return async () => {
    if (parts.limits.active().length === 0) return []
    const { periods: spells } = await parts.reader.limitHistory()
    return activeOf(parts, spells).map(({ limit }) => limit)
  }
}

interface OfProject {
  readonly publicKey: string
  readonly project: string
}

/**
 * What upstreams limit just now, what they limited, and whether pages obeyed, each by its host and project. What runs, and
 * until when, the book of the relay knows, by a clock that nobody sets; what was cut meanwhile is on record.
 */
export function createLimitsNow(parts: LimitParts): () => Promise<LimitsNow> {
  return async () => {
    const { periods: spells, pages, unnamed } = await parts.reader.limitHistory()
    const now = parts.now()
    const label = (of: OfProject): string => labelOf(parts, of)
    const active = activeOf(parts, spells)
    const running = new Set(active.map(({ spell }) => spell))
    const ended = spells.filter((spell) => !running.has(spell))
    return {
      now,
      limits: active.map(({ limit }) => limit),
      ended: ended
        .map((spell) => ({ ...shown(spell, label(spell)), until: Math.min(spell.until, now) }))
        .sort((a, b) => b.until - a.until)
        .slice(0, MOST_ENDED),
      pages: pages.map((page) => judged(page, label(page), now)),
      unnamed,
      passLimits: parts.passLimits,
      holdErrors: parts.holdErrors,
    }
  }
}

/** @param spells the newest first. */
const activeOf = (parts: LimitParts, spells: readonly LimitPeriod[]) =>
  parts.limits.active().map((limit) => {
    const spell = spells.find((one) => isOf(one, limit))
    return { limit: { ...shown(spell ?? { ...limit, cut: 0 }, labelOf(parts, limit)), until: limit.until }, spell }
  })

const labelOf = ({ relay }: LimitParts, { publicKey, project }: OfProject): string =>
  relay.upstreamFor({ publicKey, projectId: project })?.label ?? project

const isOf = (spell: LimitPeriod, limit: OfProject & { readonly category: string }): boolean =>
  spell.category === limit.category && spell.project === limit.project && spell.publicKey === limit.publicKey

const shown = ({ publicKey: _, project: __, ...spell }: LimitPeriod, upstream: string): Limit => ({
  upstream,
  ...spell,
})

function judged(row: PageLimitRow, upstream: string, now: number): PageLimit {
  const { page, category, sentAt, until, sentWith, violatedSeq, violatedAt, resumedSeq, resumedAt } = row
  return {
    page,
    upstream,
    category,
    sentAt,
    until,
    sentWith,
    violated: firstOf(violatedSeq, violatedAt, sentAt),
    resumed: firstOf(resumedSeq, resumedAt, until),
    verdict: violatedSeq !== null ? 'violated' : now < until ? 'waiting' : 'obeyed',
  }
}

const firstOf = (seq: number | null, at: number | null, since: number): PageLimit['violated'] =>
  seq === null || at === null ? null : { seq, at, afterMs: at - since }
