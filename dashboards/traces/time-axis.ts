import { seriesOf } from '../ui/labels'

/** A stretch of the time axis, µs since the epoch. */
export interface TimeWindow {
  readonly startUs: number
  readonly endUs: number
}

/** Closer than this there is nothing to see: times are whole microseconds. */
const CLOSEST_US = 20

/** Farther than this from every segment is no moment of the trace, but another clock. */
const FAR_US = 24 * 3600 * 1_000_000

interface Timed {
  readonly startUs: number
  readonly endUs: number
}

/**
 * The segments, with the spans and errors that reach beyond them: a vital may come after its page load. What is a day away
 * does not count: Next's `clientComponentLoading` span is timed from the start of its process, in 1970. Never of zero length.
 */
export function fullWindow(
  segments: readonly Timed[],
  spans: readonly Timed[],
  errors: readonly { readonly timestampUs: number }[],
): TimeWindow {
  const core = extent(segments)
  const moments = errors.map(({ timestampUs }) => ({ startUs: timestampUs, endUs: timestampUs }))
  const near = ({ startUs, endUs }: Timed): boolean =>
    core === null || (startUs > core.startUs - FAR_US && endUs < core.endUs + FAR_US)
  const whole = extent([...segments, ...[...spans, ...moments].filter(near)])
  if (whole === null) return { startUs: 0, endUs: 1000 }
  return { startUs: whole.startUs, endUs: Math.max(whole.endUs, whole.startUs + 1000) }
}

/** So much of their width is left free on both sides of the segments. */
const AIR = 0.05

/**
 * What a reader sees first: the segments, with some air. An error that came minutes later would squeeze them to a line, so
 * it waits behind the edge. Without segments, everything.
 */
export function firstWindow(segments: readonly Timed[], full: TimeWindow): TimeWindow {
  const core = extent(segments)
  if (core === null) return full
  const air = Math.max((core.endUs - core.startUs) * AIR, CLOSEST_US)
  return {
    startUs: Math.max(core.startUs - air, full.startUs),
    endUs: Math.min(core.endUs + air, full.endUs),
  }
}

/** Does a span lie beyond even the whole window? */
export function timedElsewhere(span: Timed, full: TimeWindow): boolean {
  return span.endUs < full.startUs || span.startUs > full.endUs
}

function extent(all: readonly Timed[]): TimeWindow | null {
  let startUs = Number.POSITIVE_INFINITY
  let endUs = Number.NEGATIVE_INFINITY
  for (const one of all) {
    startUs = Math.min(startUs, one.startUs)
    endUs = Math.max(endUs, one.endUs)
  }
  return startUs > endUs ? null : { startUs, endUs }
}

/** Where a moment lies in the window: 0 at its start, 1 at its end, beyond them outside. */
export function fractionOf(window: TimeWindow, us: number): number {
  return (us - window.startUs) / (window.endUs - window.startUs)
}

/** The moment at a place in the window. */
function momentAt(window: TimeWindow, fraction: number): number {
  return window.startUs + fraction * (window.endUs - window.startUs)
}

/** The part between two places of the window, in either order. */
export function partOf(window: TimeWindow, from: number, to: number): TimeWindow {
  return { startUs: momentAt(window, Math.min(from, to)), endUs: momentAt(window, Math.max(from, to)) }
}

/** Closer (factor below 1) or farther, with the moment at `anchor` staying where it is. */
export function zoom(window: TimeWindow, full: TimeWindow, factor: number, anchor = 0.5): TimeWindow {
  const at = momentAt(window, anchor)
  return within({ startUs: at - (at - window.startUs) * factor, endUs: at + (window.endUs - at) * factor }, full)
}

/** Sideways by a part of its own width. */
export function pan(window: TimeWindow, full: TimeWindow, by: number): TimeWindow {
  const shift = (window.endUs - window.startUs) * by
  return within({ startUs: window.startUs + shift, endUs: window.endUs + shift }, full)
}

/** A span with some air on both sides. */
export function around(span: TimeWindow, full: TimeWindow): TimeWindow {
  const air = Math.max((span.endUs - span.startUs) * 0.05, CLOSEST_US)
  return within({ startUs: span.startUs - air, endUs: span.endUs + air }, full)
}

/** The nearest window that lies within all there is, and is not too close. */
export function within(window: TimeWindow, full: TimeWindow): TimeWindow {
  const whole = full.endUs - full.startUs
  const width = Math.min(Math.max(window.endUs - window.startUs, CLOSEST_US), whole)
  const middle = (window.startUs + window.endUs) / 2
  const startUs = Math.min(Math.max(middle - width / 2, full.startUs), full.endUs - width)
  return { startUs, endUs: startUs + width }
}

/** Do two windows show the same? */
export function sameWindow(a: TimeWindow, b: TimeWindow): boolean {
  return a.startUs === b.startUs && a.endUs === b.endUs
}

/** Does the window show everything? */
export function showsAll(window: TimeWindow, full: TimeWindow): boolean {
  return window.startUs <= full.startUs && window.endUs >= full.endUs
}

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

export interface Bar {
  /** Left edge and width as parts of the window, cut off a little outside it. */
  readonly left: number
  readonly width: number
  /** The whole bar lies before or after what the window shows. */
  readonly outside: 'before' | 'after' | null
  /** Where its duration has room to be written. */
  readonly label: 'after' | 'before' | 'inside'
}

/** A bar that ends before this has room for its duration beside it, on a narrow screen too. */
const LABEL_ROOM = 0.8

/** A span's bar in the window. */
export function barOf(span: TimeWindow, window: TimeWindow): Bar {
  const from = fractionOf(window, span.startUs)
  const to = fractionOf(window, span.endUs)
  const left = Math.min(Math.max(from, -0.01), 1.01)
  const right = Math.min(Math.max(to, -0.01), 1.01)
  return {
    left,
    width: Math.max(0, right - left),
    outside: to < 0 ? 'before' : from > 1 ? 'after' : null,
    label: right < LABEL_ROOM ? 'after' : left > 1 - LABEL_ROOM ? 'before' : 'inside',
  }
}

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
