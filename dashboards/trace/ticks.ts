import type { TimeWindow } from './time-window'

export interface Tick {
  /** µs after the start of the trace. */
  readonly offsetUs: number
  /** Place in the window, 0 to 1. */
  readonly fraction: number
}

/** So many labels fit beside each other on a narrow screen. */
export const MOST_TICKS = 7

/** Marks on the axis at round times (1, 2 or 5 times a power of ten) after the start of the trace, at most `most`. */
export function ticks(window: TimeWindow, originUs: number, most: number): readonly Tick[] {
  const width = window.endUs - window.startUs
  const step = roundStep(width / Math.max(1, most))
  const first = Math.ceil((window.startUs - originUs) / step)
  const last = Math.floor((window.endUs - originUs) / step)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => {
    const offsetUs = (first + at) * step
    return { offsetUs, fraction: (originUs + offsetUs - window.startUs) / width }
  })
}

/** The smallest round step that is not below the least. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power
}
