import { numberOf } from '../../group-by'
import type { CriticalPath } from './critical-path'
import { normaliseName } from './span-name'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** A rectangle of a flame graph: the spans of one operation below the same operations. */
export interface FlameFrame {
  readonly service: string
  readonly op: string | null
  /** The name without ids, numbers and quoted texts. */
  readonly name: string
  /** 0 for a root. */
  readonly depth: number
  /** The left edge and the width as parts of the whole, 0 to 1. */
  readonly x: number
  readonly share: number
  /** Time of its spans and all below, in µs; `ownUs` without those below. */
  readonly totalUs: number
  readonly ownUs: number
  /** In order of their start, parents before their children. */
  readonly spanIds: readonly string[]
}

export interface FlameGraph {
  /** Parents before their children. */
  readonly frames: readonly FlameFrame[]
  /** The time of the whole width, in µs. */
  readonly totalUs: number
}

/**
 * The flame graph of a critical path: the width of a rectangle is its time on the path, so the widths of each level add up
 * to at most the duration of the root.
 * @param leastShare leaves out narrower rectangles, with those above them
 */
export function pathFlame<Span extends AnalysedSpan>(
  tree: TimeTree<Span>,
  { sections }: CriticalPath,
  leastShare = 0,
): FlameGraph {
  const pathUs = new Map<string, number>()
  for (const { spanId, startUs, endUs } of sections) pathUs.set(spanId, (pathUs.get(spanId) ?? 0) + endUs - startUs)
  return flameOf(tree, pathUs, leastShare)
}

/**
 * The flame graph by name. The width of a rectangle is the self time of its spans and of all below; spans that run at the
 * same time count each. @param ownUs self times by span id, see `selfTimes` @param leastShare see `pathFlame`
 */
export function flameOf<Span extends AnalysedSpan>(
  tree: TimeTree<Span>,
  ownUs: ReadonlyMap<string, number>,
  leastShare = 0,
): FlameGraph {
  const frames = framesOf(tree, ownUs)
  const totalUs = frames.reduce((sum, frame) => sum + frame.ownUs, 0)
  // The next free position of the roots, and within each frame.
  let free = 0
  const placed: FlameFrame[] = []
  for (const frame of frames) {
    const { parent, firstSpan, name, totalUs: us, ownUs: own, spanIds } = frame
    const share = us / totalUs
    const x = parent === null ? free : parent.free
    if (parent === null) free += share
    else parent.free += share
    frame.free = x
    // A child is never wider than its parent, so nothing is drawn above a gap.
    if (share < leastShare) continue
    const { service, op } = firstSpan
    const position = { depth: frame.depth, x, share }
    placed.push({ service, op, name, ...position, totalUs: us, ownUs: own, spanIds })
  }
  return { frames: placed, totalUs }
}

interface Frame<Span> {
  readonly parent: Frame<Span> | null
  /** Its position in the list, from 1. */
  readonly number: number
  readonly depth: number
  readonly firstSpan: Span
  readonly name: string
  readonly spanIds: string[]
  totalUs: number
  ownUs: number
  free: number
}

/** Merges spans with time by the operations above them. @returns parents before their children */
function framesOf<Span extends AnalysedSpan>(
  { nodes, parents }: TimeTree<Span>,
  ownUs: ReadonlyMap<string, number>,
): readonly Frame<Span>[] {
  const totals = nodes.map(({ span }) => ownUs.get(span.spanId) ?? 0)
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const parent = parents[index] ?? -1
    if (parent >= 0) totals[parent] = (totals[parent] ?? 0) + (totals[index] ?? 0)
  }
  const operations = new Map<string, number>()
  const names = new Map<string, string>()
  // The cache of normaliseName holds fewer names than a large trace has.
  const nameOf = (name: string): string => {
    const known = names.get(name) ?? normaliseName(name)
    names.set(name, known)
    return known
  }
  // By operation and parent in one number, which is faster than a map per frame.
  const frames = new Map<number, Frame<Span>>()
  const frameOf: (Frame<Span> | null)[] = []
  for (const [index, { span }] of nodes.entries()) {
    const us = totals[index] ?? 0
    frameOf.push(null)
    if (us <= 0) continue
    const parent = frameOf[parents[index] ?? -1] ?? null
    const name = nameOf(span.name)
    const operation = numberOf(operations, `${span.service}\n${span.op ?? ''}\n${name}`)
    const place = (parent?.number ?? 0) * nodes.length + operation
    let frame = frames.get(place)
    if (frame === undefined) {
      const depth = parent === null ? 0 : parent.depth + 1
      const empty = { totalUs: 0, ownUs: 0, free: 0 }
      frame = { parent, number: frames.size + 1, depth, firstSpan: span, name, spanIds: [], ...empty }
      frames.set(place, frame)
    }
    frame.totalUs += us
    frame.ownUs += ownUs.get(span.spanId) ?? 0
    frame.spanIds.push(span.spanId)
    frameOf[index] = frame
  }
  return [...frames.values()]
}
