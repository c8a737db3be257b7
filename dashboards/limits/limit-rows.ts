import type { Limit, LimitsNow, PageLimit } from '../../lib/wire/limits'
import { type PlotWindow, percentAt } from '../ui/plot-time'

export interface LimitPeriod {
  readonly fromMs: number
  readonly untilMs: number
}

/** An act of pages: they were sent the limit, sent the category nevertheless, kept to it, or sent again after its end. */
export type MarkKind = 'sent' | 'violated' | 'obeyed' | 'resumed'

/** Marks that would touch are one, which shows the kind that matters most. */
export interface LimitMark {
  readonly kind: MarkKind
  readonly atMs: number
  /** Pages by what they did. */
  readonly pages: Readonly<Partial<Record<MarkKind, number>>>
}

/** Two lines of marks: whether pages obeyed, and what they were sent and sent themselves. The first matters more. */
const LINES: readonly (readonly MarkKind[])[] = [
  ['violated', 'obeyed'],
  ['resumed', 'sent'],
]
export const lineOf = (kind: MarkKind): number => (LINES[0]?.includes(kind) === true ? 0 : 1)

export interface LimitRow {
  readonly key: string
  readonly upstream: string
  readonly category: string
  /** Oldest first. */
  readonly periods: readonly LimitPeriod[]
  readonly marks: readonly LimitMark[]
  /** When the limit in force ends; `null` when none is. */
  readonly untilMs: number | null
}

/** The width of a glyph with its count on a narrow screen. */
const MERGE_PERCENT = 2.5

/**
 * One row for each category of an upstream that has a limit in the window: those in force first, by their end, then
 * those that ended last.
 */
export function limitRows(limits: Pick<LimitsNow, 'limits' | 'ended' | 'pages'>, window: PlotWindow, nowMs: number) {
  const rows = new Map<string, { readonly of: Limit; readonly periods: LimitPeriod[] }>()
  for (const limit of [...limits.limits, ...limits.ended]) {
    const key = keyOf(limit)
    const row = rows.get(key) ?? { of: limit, periods: [] }
    rows.set(key, row)
    row.periods.push({ fromMs: limit.receivedAt, untilMs: limit.until })
  }
  return [...rows]
    .map(
      ([
        key,
        {
          of: { upstream, category },
          periods,
        },
      ]): LimitRow => {
        const last = Math.max(...periods.map(({ untilMs }) => untilMs))
        return {
          key,
          upstream,
          category,
          periods: periods
            .filter(({ fromMs, untilMs }) => untilMs >= window.startMs && fromMs <= window.endMs)
            .sort((a, b) => a.fromMs - b.fromMs),
          marks: marksOf(
            limits.pages.filter((page) => keyOf(page) === key),
            window,
            nowMs,
          ),
          untilMs: last > nowMs ? last : null,
        }
      },
    )
    .filter(({ periods }) => periods.length > 0)
    .sort((a, b) => endOf(b) - endOf(a))
}

const keyOf = ({ upstream, category }: Pick<Limit, 'upstream' | 'category'>): string => `${upstream} ${category}`

const endOf = ({ periods }: LimitRow): number => Math.max(...periods.map(({ untilMs }) => untilMs))

function marksOf(pages: readonly PageLimit[], window: PlotWindow, nowMs: number): readonly LimitMark[] {
  const single = pages
    .flatMap(({ sentAt, until, verdict, violated, resumed }): readonly Pick<LimitMark, 'kind' | 'atMs'>[] => [
      { kind: 'sent', atMs: sentAt },
      ...(violated === null ? [] : [{ kind: 'violated' as const, atMs: violated.at }]),
      ...(verdict === 'obeyed' && until <= nowMs ? [{ kind: 'obeyed' as const, atMs: until }] : []),
      ...(resumed === null ? [] : [{ kind: 'resumed' as const, atMs: resumed.at }]),
    ])
    .filter(({ atMs }) => atMs >= window.startMs && atMs <= window.endMs)
    .sort((a, b) => a.atMs - b.atMs)
  return LINES.flatMap((kinds) =>
    mergeNear(
      single.filter(({ kind }) => kinds.includes(kind)),
      kinds,
      window,
    ),
  )
}

function mergeNear(
  marks: readonly Pick<LimitMark, 'kind' | 'atMs'>[],
  kinds: readonly MarkKind[],
  window: PlotWindow,
): readonly LimitMark[] {
  const merged: LimitMark[] = []
  for (const { kind, atMs } of marks) {
    const last = merged.at(-1)
    if (last === undefined || percentAt(window, atMs) - percentAt(window, last.atMs) >= MERGE_PERCENT) {
      merged.push({ kind, atMs, pages: { [kind]: 1 } })
      continue
    }
    const isMore = kinds.indexOf(kind) < kinds.indexOf(last.kind)
    const pages = { ...last.pages, [kind]: (last.pages[kind] ?? 0) + 1 }
    merged[merged.length - 1] = { kind: isMore ? kind : last.kind, atMs: last.atMs, pages }
  }
  return merged
}

/** Part of the range that the window reaches beyond the present at most, for limits that run. */
const MOST_AHEAD = 0.25

/** How far the window has to reach beyond the present to show the ends of running limits. */
export function aheadOf(limits: readonly Pick<Limit, 'until'>[], nowMs: number, rangeMs: number): number {
  const longest = Math.max(0, ...limits.map(({ until }) => until - nowMs))
  // A little more, so that the end is not at the edge.
  return Math.min(longest * 1.1, rangeMs * MOST_AHEAD)
}
