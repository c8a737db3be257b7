import type { Flow } from './flow'

/** Thinner bands would not be seen. */
export const LEAST_BAND = 2.5
/** A label needs this much of the axis; with less for any of them, the flow is drawn downwards. */
const SLOT = 124
/** Downwards: lines of a stage and of an exit. */
const [STAGE_ROW, EXIT_ROW] = [44, 64]
const NODE = 8
const CURVE = 12

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface FlowShape {
  readonly direction: 'across' | 'down'
  readonly width: number
  readonly height: number
  /** Made, sent, stored, and the end: their nodes, and where the label of each begins on the axis. */
  readonly nodes: readonly (Box & { readonly at: number })[]
  /** From node to node. */
  readonly bands: readonly Box[]
  /** First those before it was sent. `at` is the beginning of the label. */
  readonly exits: readonly { readonly path: string; readonly at: number }[]
  /** The width of a label, in px. */
  readonly room: number
  /** The label of envelopes that were refused on arrival. */
  readonly refusedAt: number
}

/**
 * The widths of bands, in proportion to their quantities, which add up to `size`. A quantity above 0 is drawn with at
 * least `least`, at the cost of the wide ones.
 */
export function bandWidths(quantities: readonly number[], size: number, least = LEAST_BAND): readonly number[] {
  const isRaised = quantities.map(() => false)
  for (;;) {
    const rest = quantities.reduce((sum, quantity, at) => (isRaised[at] ? sum : sum + quantity), 0)
    const room = size - least * isRaised.filter(Boolean).length
    const widths = quantities.map((quantity, at) => (isRaised[at] ? least : rest === 0 ? 0 : (quantity / rest) * room))
    const thin = widths.flatMap((width, at) => (width > 0 && width < least ? [at] : []))
    if (thin.length === 0) return widths
    for (const at of thin) isRaised[at] = true
  }
}

/** Draws a flow within a width in px: across where every label has room, else downwards with labels at its side. */
export function shapeOf({ accepted, kept, before, after }: Flow, available: number): FlowShape {
  const slots = [Math.max(1, before.length), 1, Math.max(2, after.length)] as const
  const count = slots[0] + slots[1] + slots[2]
  const isAcross = available >= count * SLOT
  const [thick, depth] = isAcross ? [104, 160] : [84, 120]
  const quantities = [...before, ...after].map(({ quantity }) => quantity)
  const all = bandWidths([...quantities, accepted + kept], thick)
  const widths = all.slice(0, quantities.length)
  const sent = thick - sumOf(widths.slice(0, before.length))
  const end = all.at(-1) ?? 0

  const stageRow = isAcross ? 0 : STAGE_ROW
  const rowOf = (width: number): number => (isAcross ? available / count : Math.max(EXIT_ROW, width + 20))
  const lead = isAcross ? NODE + CURVE : CURVE
  let cursor = 0
  const take = (length: number): number => {
    const at = cursor
    cursor += length
    return at
  }
  const exitsAt = (from: number, many: number, least: number): readonly number[] => {
    const places = Array.from({ length: many }, (_, at) => take(rowOf(widths[from + at] ?? 0)) + lead)
    if (isAcross) take((least - many) * rowOf(0))
    return places
  }
  const made = take(stageRow)
  const beforeAt = exitsAt(0, before.length, slots[0])
  const arrived = take(stageRow)
  const refusedAt = take(rowOf(0)) + lead
  const stored = take(stageRow)
  const afterAt = exitsAt(before.length, after.length, slots[2])
  const last = isAcross ? available - NODE : take(stageRow)

  const box = (main: number, length: number, breadth: number): Box =>
    isAcross ? { x: main, y: 0, width: length, height: breadth } : { x: 0, y: main, width: breadth, height: length }
  const nodeOf = (at: number, breadth: number) => ({ ...box(at, NODE, breadth), at })
  const bandOf = (from: number, to: number, breadth: number) => box(from + NODE, to - from - NODE, breadth)
  const exitsOf = (from: number, start: number, places: readonly number[]) =>
    places.map((at, index) => {
      const width = widths[from + index] ?? 0
      // The first to leave lies at the edge, so that no band crosses another one.
      const inner = (from === 0 ? thick : sent) - sumOf(widths.slice(from, from + index + 1))
      return { at, path: exitPath({ start: start + NODE, at, inner, width, depth, isAcross }) }
    })
  return {
    direction: isAcross ? 'across' : 'down',
    width: isAcross ? available : depth,
    height: isAcross ? depth : cursor,
    nodes: [nodeOf(made, thick), nodeOf(arrived, sent), nodeOf(stored, sent), nodeOf(last, end)],
    bands: [bandOf(made, arrived, sent), bandOf(arrived, stored, sent), bandOf(stored, last, end)],
    exits: [...exitsOf(0, made, beforeAt), ...exitsOf(before.length, stored, afterAt)],
    refusedAt,
    room: (isAcross ? rowOf(0) : available - depth) - CURVE,
  }
}

interface ExitLine {
  readonly start: number
  /** The position at which it turns away from the axis. */
  readonly at: number
  /** Its side towards the flow. */
  readonly inner: number
  readonly width: number
  readonly depth: number
  readonly isAcross: boolean
}

/** A band that follows the axis, turns, and leaves at a right angle. */
function exitPath({ start, at, inner, width, depth, isAcross }: ExitLine): string {
  const outer = inner + width
  const point = (main: number, cross: number): string =>
    (isAcross ? [main, cross] : [cross, main]).map((value) => Number(value.toFixed(2))).join(' ')
  const far = at + width
  return [
    `M${point(start, inner)}L${point(at - CURVE, inner)}`,
    `Q${point(far, inner)} ${point(far, outer + CURVE)}`,
    `L${point(far, depth)}L${point(at, depth)}L${point(at, outer + CURVE)}`,
    `Q${point(at, outer)} ${point(at - CURVE, outer)}L${point(start, outer)}Z`,
  ].join('')
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0)
