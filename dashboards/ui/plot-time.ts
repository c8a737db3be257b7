/** The time axis of a plot, ms since the epoch. Its end is the present, or shortly after it. */
export interface PlotWindow {
  readonly startMs: number
  readonly endMs: number
}

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const QUARTER_MS = 15 * MINUTE_MS

/** The window moves in steps of about a pixel, so that a plot is not drawn again each second without need. */
const STEPS = 900

/** @param aheadMs how far the window reaches beyond the present */
export function plotWindow(nowMs: number, rangeMs: number, aheadMs = 0): PlotWindow {
  const step = rangeMs / STEPS
  const endMs = Math.ceil(nowMs / step) * step
  return { startMs: endMs - rangeMs, endMs: endMs + aheadMs }
}

/** The position of a time: 0 at the start of the window, 100 at its end. */
export const percentAt = ({ startMs, endMs }: PlotWindow, atMs: number): number =>
  ((atMs - startMs) / (endMs - startMs)) * 100

export interface Extent {
  readonly x: number
  readonly width: number
}

/** The visible part of a span of time in percent; `null` when it lies outside. */
export function extentOf(window: PlotWindow, fromMs: number, toMs: number): Extent | null {
  if (toMs < window.startMs || fromMs > window.endMs) return null
  const x = Math.max(0, percentAt(window, fromMs))
  return { x, width: Math.min(100, percentAt(window, toMs)) - x }
}

const TICK_STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE_MS)
const MOST_TICKS = 7

/** Round local times within a window, at most seven. */
export function ticksOf({ startMs, endMs }: PlotWindow): readonly number[] {
  const step = TICK_STEPS_MS.find((ms) => (endMs - startMs) / ms <= MOST_TICKS) ?? 2 * 12 * HOUR_MS
  const zoneMs = new Date(endMs).getTimezoneOffset() * MINUTE_MS
  const first = Math.ceil((startMs - zoneMs) / step) * step + zoneMs
  const ticks: number[] = []
  for (let at = first; at <= endMs; at += step) ticks.push(at)
  return ticks
}
