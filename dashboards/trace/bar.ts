import { fractionOf, type TimeWindow } from './time-window'

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
