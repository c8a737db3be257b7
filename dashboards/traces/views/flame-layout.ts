import type { FlameFrame } from '../../../lib/protocol/trace/flame'

/** Narrower rectangles are left out: a part of the width that is shown. */
export const LEAST_SHARE = 0.001
/** Rectangles that are drawn; those nearest to the root come first. */
export const MOST_BOXES = 2000

/** A rectangle of a flame graph; edges are parts of the shown width, 0 to 1. */
export interface FlameBox {
  readonly frame: FlameFrame
  readonly key: string
  readonly left: number
  readonly width: number
  /** The rectangle that fills the width, or one below it. */
  readonly isInZoom: boolean
}

export interface FlameLayout {
  /** Parents before their children. */
  readonly boxes: readonly FlameBox[]
  readonly rows: number
  /** Rectangles too narrow, or too many, to be drawn. */
  readonly leftOut: number
}

/** Each span belongs to one frame, so its first span identifies a frame while others are added. */
export const frameKey = ({ spanIds }: FlameFrame): string => spanIds[0] ?? ''

/** Positions that differ by less are the same: shares are sums of rounded numbers. */
const ROUNDING = 1e-9

/** Does a frame lie within the width of another one? */
const isWithin = (inner: FlameFrame, outer: FlameFrame): boolean =>
  inner.x >= outer.x - ROUNDING && inner.x + inner.share <= outer.x + outer.share + ROUNDING

/** The frames from the root down to this one. @param frames parents before their children */
export const framesTo = (frames: readonly FlameFrame[], frame: FlameFrame): readonly FlameFrame[] =>
  frames.filter((one) => one.depth < frame.depth && isWithin(frame, one)).concat(frame)

/** The rectangles of frames. With a zoomed frame, those above it and below it are drawn, and it fills the width. */
export function flameLayout(frames: readonly FlameFrame[], zoomed: FlameFrame | null): FlameLayout {
  const { x, share } = zoomed ?? { x: 0, share: 1 }
  const shown =
    zoomed === null
      ? frames
      : frames.filter((one) => (one.depth < zoomed.depth ? isWithin(zoomed, one) : isWithin(one, zoomed)))
  const wide = shown.filter((frame) => frame.share >= LEAST_SHARE * share).slice(0, MOST_BOXES)
  const boxes = wide.map((frame): FlameBox => {
    const left = Math.max(0, (frame.x - x) / share)
    const right = Math.min(1, (frame.x + frame.share - x) / share)
    const isInZoom = zoomed === null || frame.depth >= zoomed.depth
    return { frame, key: frameKey(frame), left, width: right - left, isInZoom }
  })
  const rows = boxes.reduce((most, { frame }) => Math.max(most, frame.depth + 1), 0)
  return { boxes, rows, leftOut: shown.length - wide.length }
}

/** The rectangle that an arrow key goes to from another one; `undefined` without one in that direction, or for other keys. */
export function nextBox(boxes: readonly FlameBox[], from: FlameBox, key: string): FlameBox | undefined {
  const row = (depth: number) => boxes.filter(({ frame }) => frame.depth === depth).sort((a, b) => a.left - b.left)
  const { depth } = from.frame
  if (key === 'ArrowUp') return row(depth - 1).find(({ frame }) => isWithin(from.frame, frame))
  if (key === 'ArrowDown') return row(depth + 1).find(({ frame }) => isWithin(frame, from.frame))
  if (key === 'Home') return boxes[0]
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
  const siblings = row(depth)
  return step === 0 ? undefined : siblings[siblings.indexOf(from) + step]
}

export interface ServiceTime {
  readonly service: string
  readonly us: number
  /** Part of the time of all services. */
  readonly share: number
  /** Its operations by name, the longest first. */
  readonly parts: readonly { readonly name: string; readonly us: number }[]
}

/** The own time of frames by service, the longest first. */
export function timeByService(frames: readonly FlameFrame[]): readonly ServiceTime[] {
  const services = new Map<string, Map<string, number>>()
  let totalUs = 0
  for (const { service, name, ownUs } of frames) {
    const names = services.get(service) ?? new Map<string, number>()
    names.set(name, (names.get(name) ?? 0) + ownUs)
    services.set(service, names)
    totalUs += ownUs
  }
  return [...services]
    .map(([service, names]) => {
      const parts = [...names].map(([name, us]) => ({ name, us })).filter(({ us }) => us > 0)
      const us = parts.reduce((sum, part) => sum + part.us, 0)
      return { service, us, share: us / totalUs, parts: parts.sort((a, b) => b.us - a.us) }
    })
    .filter(({ us }) => us > 0)
    .sort((a, b) => b.us - a.us)
}
