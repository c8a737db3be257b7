import { seriesOfSpan } from '../ui/labels'
import { fractionOf, type TimeWindow } from './time-axis'

export interface MapSpan extends TimeWindow {
  readonly service: string
  readonly op: string | null
  readonly failed: boolean
}

/** The SVG view box of the minimap, which is stretched to its element. */
export const MAP_WIDTH = 1000
export const MAP_ROWS = 32

export type MapPaint = 'failed' | 1 | 2 | 3 | 4 | 5 | 6

/**
 * Draws every span: the first ones at the top, merged into rows of pixels. A pixel shows a failed span
 * before others, then the longest. @returns a path for each colour
 */
export function minimapPaths(spans: readonly MapSpan[], full: TimeWindow): ReadonlyMap<MapPaint, string> {
  const rows = Math.min(MAP_ROWS, Math.max(1, spans.length))
  const height = MAP_ROWS / rows
  const paths = new Map<MapPaint, string[]>()
  for (let row = 0; row < rows; row++) {
    const from = Math.ceil((row * spans.length) / rows)
    const to = Math.ceil(((row + 1) * spans.length) / rows)
    const y = ((row + 0.5) * height).toFixed(1)
    for (const run of paintRow(spans.slice(from, to), full)) {
      const path = paths.get(run.paint) ?? []
      path.push(`M${run.from} ${y}H${run.to}`)
      paths.set(run.paint, path)
    }
  }
  return new Map([...paths].map(([paint, path]) => [paint, path.join('')]))
}

interface Run {
  readonly paint: MapPaint
  readonly from: number
  readonly to: number
}

function paintRow(spans: readonly MapSpan[], full: TimeWindow): readonly Run[] {
  const first = [...spans].sort(
    (a, b) => Number(b.failed) - Number(a.failed) || b.endUs - b.startUs - (a.endUs - a.startUs),
  )
  const painted = new Array<MapPaint | undefined>(MAP_WIDTH)
  // The next pixel that is free, so that each pixel is visited once.
  const free = Array.from({ length: MAP_WIDTH + 1 }, (_, at) => at)
  const nextFree = (at: number): number => {
    let end = at
    while (free[end] !== end) end = free[end] ?? MAP_WIDTH
    for (let step = at; step !== end; ) {
      const after = free[step] ?? end
      free[step] = end
      step = after
    }
    return end
  }
  for (const span of first) {
    const from = pixelOf(full, span.startUs)
    const to = Math.max(from + 1, Math.ceil(fractionOf(full, span.endUs) * MAP_WIDTH))
    let at = nextFree(from)
    if (at >= Math.min(to, MAP_WIDTH)) continue
    const paint = span.failed ? 'failed' : seriesOfSpan(span)
    for (; at < Math.min(to, MAP_WIDTH); at = nextFree(at)) {
      painted[at] = paint
      free[at] = at + 1
    }
  }
  const runs: Run[] = []
  for (let at = 0; at < MAP_WIDTH; ) {
    const paint = painted[at]
    let to = at + 1
    while (to < MAP_WIDTH && painted[to] === paint) to += 1
    if (paint !== undefined) runs.push({ paint, from: at, to })
    at = to
  }
  return runs
}

const pixelOf = (full: TimeWindow, us: number): number =>
  Math.min(MAP_WIDTH - 1, Math.max(0, Math.floor(fractionOf(full, us) * MAP_WIDTH)))
