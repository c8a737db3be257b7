import type { Breadcrumb, EventSummary } from '../../lib/wire/event'
import { fractionOf, type TimeWindow } from './time-axis'

/** What happened at about one place of the axis. */
export interface Mark {
  /** 0 to 1. */
  readonly fraction: number
  readonly errors: readonly EventSummary[]
  readonly breadcrumbs: readonly Breadcrumb[]
}

export interface Marks {
  readonly marks: readonly Mark[]
  /** What lies outside the window: told, not drawn. */
  readonly earlier: number
  readonly later: number
}

/** Glyphs closer than this part of the axis would cover each other and become one. */
const NEAR = 1 / 100

/** Errors and breadcrumbs on the axis, those that would overlap taken together. */
export function marksIn(
  window: TimeWindow,
  errors: readonly EventSummary[],
  breadcrumbs: readonly Breadcrumb[],
): Marks {
  const places = new Map<number, { errors: EventSummary[]; breadcrumbs: Breadcrumb[] }>()
  let earlier = 0
  let later = 0
  const placeAt = (us: number): { errors: EventSummary[]; breadcrumbs: Breadcrumb[] } | null => {
    const fraction = fractionOf(window, us)
    if (fraction < 0) earlier += 1
    else if (fraction > 1) later += 1
    if (fraction < 0 || fraction > 1) return null
    const bucket = Math.round(fraction / NEAR)
    const place = places.get(bucket) ?? { errors: [], breadcrumbs: [] }
    places.set(bucket, place)
    return place
  }
  for (const error of errors) placeAt(error.timestampUs)?.errors.push(error)
  for (const breadcrumb of breadcrumbs) {
    if (breadcrumb.timestampUs !== null) placeAt(breadcrumb.timestampUs)?.breadcrumbs.push(breadcrumb)
  }
  const marks = [...places].map(([bucket, place]) => ({ fraction: Math.min(1, bucket * NEAR), ...place }))
  return { marks: marks.sort((a, b) => a.fraction - b.fraction), earlier, later }
}

/** One page's errors each carry the breadcrumbs before them: the same one counts once. Oldest first. */
export function distinctBreadcrumbs(breadcrumbs: readonly Breadcrumb[]): readonly Breadcrumb[] {
  const seen = new Map<string, Breadcrumb>()
  for (const breadcrumb of breadcrumbs) {
    const { timestampUs, category, type, level, message, data } = breadcrumb
    const key = JSON.stringify([timestampUs, category, type, level, message, data])
    if (!seen.has(key)) seen.set(key, breadcrumb)
  }
  return [...seen.values()].sort((a, b) => (a.timestampUs ?? 0) - (b.timestampUs ?? 0))
}
