import type { Limit, LimitsNow, PageLimit } from '../../lib/wire/limits'
import { type PlotWindow, percentAt } from '../ui/plot-time'

export interface LimitPeriod {
  readonly fromMs: number
  readonly untilMs: number
}

/** An act of pages: they were sent the limit, sent the category nevertheless, kept to it, or sent again after its end. */
export type MarkKind = 'sent' | 'violated' | 'obeyed' | 'resumed'

export interface LimitMark {
  readonly kind: MarkKind
  readonly atMs: number
  /** Pages whose marks would touch are one mark. */
  readonly pages: number
}

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

/** Marks of one kind that are nearer than this are one. */
const MERGE_PERCENT = 1.2

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
    .flatMap(({ sentAt, until, verdict, violated, resumed }): readonly Omit<LimitMark, 'pages'>[] => [
      { kind: 'sent', atMs: sentAt },
      ...(violated === null ? [] : [{ kind: 'violated' as const, atMs: violated.at }]),
      ...(verdict === 'obeyed' && until <= nowMs ? [{ kind: 'obeyed' as const, atMs: until }] : []),
      ...(resumed === null ? [] : [{ kind: 'resumed' as const, atMs: resumed.at }]),
    ])
    .filter(({ atMs }) => atMs >= window.startMs && atMs <= window.endMs)
    .sort((a, b) => a.atMs - b.atMs)
  const merged: LimitMark[] = []
  for (const mark of single) {
    const at = merged.findIndex(
      ({ kind, atMs }) => kind === mark.kind && percentAt(window, mark.atMs) - percentAt(window, atMs) < MERGE_PERCENT,
    )
    const near = merged[at]
    if (near === undefined) merged.push({ ...mark, pages: 1 })
    else merged[at] = { ...near, pages: near.pages + 1 }
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
