import type { FaultPoint } from '../../collector/runtime/fault-point'
import type { Draw } from './draw'

/** How one life ends: some time after it took envelopes, still at its start, or when it passes a named point. */
export type End =
  | { readonly at: 'random'; readonly afterMs: number }
  | { readonly at: 'start'; readonly afterMs: number }
  | { readonly at: 'point'; readonly point: FaultPoint; readonly nth: number }

/** The points that every plan has, and the latest passing of each that is waited for. */
const POINTS = {
  before_commit: 40,
  after_commit: 40,
  checkpoint: 1,
  digest: 12,
  relayed: 40,
} as const satisfies Partial<Record<FaultPoint, number>>

/** Passed only on a folder that is nearly full, and while rows are made anew. */
export const RARE_POINT_NAMES = ['evict', 'rebuild_switch'] as const satisfies readonly FaultPoint[]

export type PlannedPoint = keyof typeof POINTS | (typeof RARE_POINT_NAMES)[number]

export const POINT_NAMES = Object.keys(POINTS) as readonly (keyof typeof POINTS)[]

/** So many ends: of every ten five are the named points in turn, one is at the start, the others come at random. */
export function planEnds(draw: Draw, count: number): readonly End[] {
  return Array.from({ length: count }, (_, index): End => {
    const point = POINT_NAMES[Math.floor(index / 2) % POINT_NAMES.length]
    if (index % 2 === 0 && point !== undefined) return { at: 'point', point, nth: draw.between(1, POINTS[point]) }
    if (index % 10 === 9) return { at: 'start', afterMs: draw.between(20, 400) }
    return { at: 'random', afterMs: draw.between(20, 600) }
  })
}

/** So many ends at the rare points in turn. */
export function planRareEnds(draw: Draw, count: number): readonly End[] {
  return Array.from({ length: count }, (_, index): End => {
    if (index % 2 === 1) return { at: 'point', point: 'rebuild_switch', nth: 1 }
    return { at: 'point', point: 'evict', nth: draw.between(1, 3) }
  })
}
