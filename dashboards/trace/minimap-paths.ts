import { seriesOf } from '../ui/services'
import { fractionOf, type TimeWindow } from './time-window'

interface MapSpan extends TimeWindow {
  readonly service: string
}

/** The map's drawing surface, stretched to its place. */
export const MAP_WIDTH = 1000
export const MAP_HEIGHT = 100
/** More lines than this cannot be told apart on a map some 30 pixels high. */
const MOST_LINES = 400

/** The whole trace in small: for each bar colour one SVG path with a line per span. */
export function minimapPaths(spans: readonly MapSpan[], full: TimeWindow): ReadonlyMap<number, string> {
  const lines = new Map<number, string[]>()
  const every = Math.max(1, Math.ceil(spans.length / MOST_LINES))
  for (let at = 0; at < spans.length; at += every) {
    const span = spans[at]
    if (span === undefined) continue
    const y = Math.round(((at + 0.5) / spans.length) * MAP_HEIGHT)
    const from = Math.round(fractionOf(full, span.startUs) * MAP_WIDTH)
    const to = Math.max(from + 1, Math.round(fractionOf(full, span.endUs) * MAP_WIDTH))
    const series = seriesOf(span.service)
    const path = lines.get(series) ?? []
    path.push(`M${from} ${y}H${to}`)
    lines.set(series, path)
  }
  return new Map([...lines].map(([series, path]) => [series, path.join('')]))
}
