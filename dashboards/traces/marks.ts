import type { Breadcrumb, EventSummary } from '../../lib/wire/event'
import { fractionOf, type TimeWindow } from './time-axis'

/** Errors and breadcrumbs at about the same position of the axis. */
export interface Mark {
  /** Position in the window, 0 to 1. */
  readonly fraction: number
  readonly errors: readonly EventSummary[]
  readonly breadcrumbs: readonly Breadcrumb[]
}

export interface Marks {
  readonly marks: readonly Mark[]
  /** How many lie before and after the window; they are counted, not drawn. */
  readonly earlier: number
  readonly later: number
}

/** Marks closer than this part of the axis would overlap, so they are merged. */
const NEAR = 1 / 100

/** The marks on the axis. Overlapping ones are merged. */
export function marksIn(
  window: TimeWindow,
  errors: readonly EventSummary[],
  breadcrumbs: readonly Breadcrumb[],
): Marks {
  const positions = new Map<number, { errors: EventSummary[]; breadcrumbs: Breadcrumb[] }>()
  let earlier = 0
  let later = 0
  const marksAt = (us: number): { errors: EventSummary[]; breadcrumbs: Breadcrumb[] } | null => {
    const fraction = fractionOf(window, us)
    if (fraction < 0) earlier += 1
    else if (fraction > 1) later += 1
    if (fraction < 0 || fraction > 1) return null
    const bucket = Math.round(fraction / NEAR)
    const found = positions.get(bucket) ?? { errors: [], breadcrumbs: [] }
    positions.set(bucket, found)
    return found
  }
  for (const error of errors) marksAt(error.timestampUs)?.errors.push(error)
  for (const breadcrumb of breadcrumbs) {
    if (breadcrumb.timestampUs !== null) marksAt(breadcrumb.timestampUs)?.breadcrumbs.push(breadcrumb)
  }
  const marks = [...positions].map(([bucket, found]) => ({ fraction: Math.min(1, bucket * NEAR), ...found }))
  return { marks: marks.sort((a, b) => a.fraction - b.fraction), earlier, later }
}

/** Distinct breadcrumbs, oldest first. Errors of one page each carry the breadcrumbs before them, so the same one repeats. */
export function distinctBreadcrumbs(breadcrumbs: readonly Breadcrumb[]): readonly Breadcrumb[] {
  const seen = new Map<string, Breadcrumb>()
  for (const breadcrumb of breadcrumbs) {
    const { timestampUs, category, type, level, message, data } = breadcrumb
    const key = JSON.stringify([timestampUs, category, type, level, message, data])
    if (!seen.has(key)) seen.set(key, breadcrumb)
  }
  return [...seen.values()].sort((a, b) => (a.timestampUs ?? 0) - (b.timestampUs ?? 0))
}
