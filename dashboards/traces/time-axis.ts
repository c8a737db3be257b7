import { datedOrAll, isUndated } from '../../lib/protocol/trace/span-tree'

/** A range of the time axis, in µs since the epoch. */
export interface TimeWindow {
  readonly startUs: number
  readonly endUs: number
}

export type Interval = TimeWindow

/** The smallest window: times are whole microseconds. */
const CLOSEST_US = 20
/** The whole trace is laid out in this many windows at most: browsers lay out no wider elements. */
const MOST_ZOOM = 20_000

/** A span this far from every segment was timed by another clock. */
const FAR_US = 24 * 3600 * 1_000_000

interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/** The whole trace, never empty. Spans a day away do not count, nor the start of spans that start in 1970. */
export function fullWindow(
  segments: readonly Timed[],
  spans: readonly Timed[],
  errors: readonly { readonly timestampUs: number }[],
): TimeWindow {
  const core = coreOf(segments)
  const errorTimes = errors.map(({ timestampUs }) => ({ startUs: timestampUs, endUs: timestampUs }))
  const near = ({ startUs, endUs }: Timed): boolean =>
    core === null || (startUs > core.startUs - FAR_US && endUs < core.endUs + FAR_US)
  const whole = extent(datedOrAll([...segments, ...[...spans, ...errorTimes].filter(near)]))
  if (whole === null) return { startUs: 0, endUs: 1000 }
  return { startUs: whole.startUs, endUs: Math.max(whole.endUs, whole.startUs + 1000) }
}

/** The extent of the segments. */
const coreOf = (segments: readonly Timed[]): TimeWindow | null => extent(datedOrAll(segments))

/** The margin on both sides of the segments, as a part of their width. */
const MARGIN = 0.05

/** The initial window: the segments with a margin, because an error minutes later would squeeze them to a line. */
export function firstWindow(segments: readonly Timed[], full: TimeWindow): TimeWindow {
  const core = coreOf(segments)
  if (core === null) return full
  const margin = Math.max((core.endUs - core.startUs) * MARGIN, CLOSEST_US)
  return {
    startUs: Math.max(core.startUs - margin, full.startUs),
    endUs: Math.min(core.endUs + margin, full.endUs),
  }
}

/** Whether a span lies outside the whole trace, because another clock timed it. */
export function timedElsewhere(span: Timed, full: TimeWindow): boolean {
  return span.endUs < full.startUs || span.startUs > full.endUs || (isUndated(span) && !isUndated(full))
}

/** From the first start to the last end; `null` without any. */
export function extent(all: readonly Timed[]): TimeWindow | null {
  let startUs = Number.POSITIVE_INFINITY
  let endUs = Number.NEGATIVE_INFINITY
  for (const one of all) {
    startUs = Math.min(startUs, one.startUs)
    endUs = Math.max(endUs, one.endUs)
  }
  return startUs > endUs ? null : { startUs, endUs }
}

/** The position of a time in the window: 0 at its start, 1 at its end. */
export function fractionOf(window: TimeWindow, us: number): number {
  return (us - window.startUs) / (window.endUs - window.startUs)
}

function timeAt(window: TimeWindow, fraction: number): number {
  return window.startUs + fraction * (window.endUs - window.startUs)
}

/** The range between two positions of the window, in either order. */
export function partOf(window: TimeWindow, from: number, to: number): TimeWindow {
  return { startUs: timeAt(window, Math.min(from, to)), endUs: timeAt(window, Math.max(from, to)) }
}

export function zoom(window: TimeWindow, full: TimeWindow, factor: number, anchor = 0.5): TimeWindow {
  const at = timeAt(window, anchor)
  return within({ startUs: at - (at - window.startUs) * factor, endUs: at + (window.endUs - at) * factor }, full)
}

export function pan(window: TimeWindow, full: TimeWindow, by: number): TimeWindow {
  const shift = (window.endUs - window.startUs) * by
  return within({ startUs: window.startUs + shift, endUs: window.endUs + shift }, full)
}

export function around(span: TimeWindow, full: TimeWindow): TimeWindow {
  const margin = Math.max((span.endUs - span.startUs) * 0.05, CLOSEST_US)
  return within({ startUs: span.startUs - margin, endUs: span.endUs + margin }, full)
}

/** The nearest window that is inside the whole trace and not too small. */
export function within(window: TimeWindow, full: TimeWindow): TimeWindow {
  const whole = full.endUs - full.startUs
  const width = Math.min(Math.max(window.endUs - window.startUs, CLOSEST_US, whole / MOST_ZOOM), whole)
  const middle = (window.startUs + window.endUs) / 2
  const startUs = Math.min(Math.max(middle - width / 2, full.startUs), full.endUs - width)
  return { startUs, endUs: startUs + width }
}

export function sameWindow(a: TimeWindow, b: TimeWindow): boolean {
  return a.startUs === b.startUs && a.endUs === b.endUs
}

export function showsAll(window: TimeWindow, full: TimeWindow): boolean {
  return window.startUs <= full.startUs && window.endUs >= full.endUs
}

interface Tick {
  /** µs after the start of the trace. */
  readonly offsetUs: number
  /** Position in the window, 0 to 1. */
  readonly fraction: number
}

/** This many labels fit on a narrow screen. */
export const MOST_TICKS = 7

/** At most `most` ticks at round offsets (1, 2 or 5 times a power of ten) from the start of the trace. */
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

/** The smallest round step of at least `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power
}

/** The place of a bar on the axis of the whole trace, in per cent of it. */
export function placeOf(
  { startUs, endUs }: Interval,
  full: TimeWindow,
): { readonly left: string; readonly width: string } {
  const from = fractionOf(full, startUs)
  return { left: `${from * 100}%`, width: `${(fractionOf(full, endUs) - from) * 100}%` }
}

/** The axis of the whole trace, of which the window is the visible part, for style sheets. */
export function trackProperties(window: TimeWindow, full: TimeWindow): Record<`--${string}`, string> {
  const zoomed = (full.endUs - full.startUs) / (window.endUs - window.startUs)
  return { '--track-left': `${-fractionOf(full, window.startUs) * zoomed * 100}%`, '--track-width': `${zoomed * 100}%` }
}

/** A bar that ends before this part of the window leaves space for its label. */
const LABEL_LIMIT = 0.88

/** Says on which side of the window a bar is, or on which side of its end the label has space. */
export function sideOf({ startUs, endUs }: Interval, window: TimeWindow): 'earlier' | 'later' | 'after' | 'before' {
  if (endUs < window.startUs) return 'earlier'
  if (startUs > window.endUs) return 'later'
  return fractionOf(window, endUs) < LABEL_LIMIT ? 'after' : 'before'
}
