import { byDistance } from '../../config/nearest'
import { plural } from '../../format'
import { isUndated, nodesOf, type SpanNode } from '../../protocol/trace/span-tree'
import type { SeenSpan } from '../evidence/evidence'
import { requestOf } from '../rules/describe'
import { durationText, listFirst, truncate } from '../text'
import { type Boards, type ExpectationResult, positionText, verdictOf } from '../verdict'
import { differenceLines, linkLines, paragraphs, positionOf } from './explain'
import { itemLabel } from './kinds'
import { countText, distanceTo, durationUs, type Range } from './span-conditions'
import { hasMaximum, type PatternStep, parseSpanPattern } from './span-pattern'
import { noSpansReason, type Trace, traceText, unfinishedReason } from './trace'

type Node = SpanNode<SeenSpan>

interface Link {
  readonly node: Node
  readonly above: Link | null
}

interface SpanTreeAnswer extends ExpectationResult {
  /** Spans of the longest matched prefix of the pattern, outermost first. */
  readonly matched: readonly SeenSpan[]
}

/** See `PatternStep` for the grammar. Linear in spans times steps. @throws TypeError for an invalid pattern. */
export function matchSpanTree(trace: Trace, pattern: string, boards: Boards): SpanTreeAnswer {
  const steps = parseSpanPattern(pattern)
  const all = nodesOf(trace.roots)
  let taken: readonly Link[] | null = null
  let done = 0
  for (const step of steps) {
    const found: Reached = reach(all, taken, step)
    if (!found.isReached) {
      taken = found.above
      break
    }
    // A last step that may have no spans ends at its parents.
    taken = found.links.length > 0 ? found.links : found.above
    done += 1
  }
  const matched = spansOf(taken?.[0])
  const expected = patternText(steps)
  const unfinished = unfinishedReason(trace) ?? noSpansReason(trace)
  if (done === steps.length)
    return unfinished !== null && hasMaximum(steps)
      ? {
          matched,
          verdict: { verdict: 'incomplete', why: unfinished },
          message: paragraphs([
            [`the trace has ${truncate(expected, 200)} so far, but more spans may exceed a maximum`, unfinished],
          ]),
          negatedMessage: '',
        }
      : holds(trace, expected, matched, boards)

  const missing = steps[done]
  const words = (): string =>
    paragraphs([
      [`the trace has no ${truncate(expected, 200)}`, ...(unfinished === null ? [] : [unfinished])],
      missing === undefined ? [] : missingLines(trace, steps, done, taken ?? [], boards),
      traceText(trace, { mostSpans: 40 }).split('\n'),
    ])
  const last = matched.at(-1)
  const at =
    last === undefined
      ? { seq: trace.spans[0]?.seq ?? trace.events[0]?.seq ?? 0, item: 0, traceId: trace.traceId }
      : positionOf(last)
  const finding = {
    about: last === undefined ? `trace ${trace.traceId}` : itemLabel('span', last),
    at,
    path: '',
    actual: missing === undefined ? '' : actualText(missing, done, taken ?? [], trace),
    expected: `${arrowOf(missing)} ${missing?.text ?? ''}`.trim(),
  }
  return {
    matched,
    verdict:
      unfinished === null ? verdictOf(trace.spans.length, [finding], '') : { verdict: 'incomplete', why: unfinished },
    // Built on demand: of a thousand traces only one message is printed.
    get message() {
      return words()
    },
    negatedMessage: '',
  }
}

interface Reached {
  readonly isReached: boolean
  readonly links: readonly Link[]
  /** The matched parents with the right number of spans below; if there is none, the nearest, or all without a count. */
  readonly above: readonly Link[]
}

const AT_LEAST_ONE = { least: 1, most: Number.POSITIVE_INFINITY }

/** @param parents `null` for the first step, which may be anywhere */
function reach(all: readonly Node[], parents: readonly Link[] | null, step: PatternStep): Reached {
  const range = step.count ?? AT_LEAST_ONE
  if (parents === null) {
    const links = all.filter((node) => fits(node, step)).map((node) => ({ node, above: null }))
    return { isReached: distanceTo(links.length, range) === 0, links, above: [] }
  }
  const off = step.count === null ? null : distancesBelow(all, parents, step, range)
  const above = off === null ? parents : parents.filter((_, index) => off[index] === 0)
  const links = placesBelow(above, step).filter(({ node }) => fits(node, step))
  if (links.length > 0 || (above.length > 0 && range.least === 0)) return { isReached: true, links, above }
  const least = off?.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY)
  return {
    isReached: false,
    links,
    above: off === null ? parents : parents.filter((_, index) => off[index] === least).slice(0, 1),
  }
}

/** By parent, how far the number of fitting spans below it is from the count. */
function distancesBelow(
  all: readonly Node[],
  parents: readonly Link[],
  step: PatternStep,
  range: Range,
): readonly number[] {
  if (step.below === 'child')
    return parents.map((parent) => distanceTo(children([parent]).filter(({ node }) => fits(node, step)).length, range))
  // One pass for all parents, from the leaves, because parents may be nested thousands of levels deep.
  const below = new Map<Node, number>()
  for (const node of all.toReversed())
    below.set(
      node,
      node.children.reduce((sum, child) => sum + (below.get(child) ?? 0) + (fits(child, step) ? 1 : 0), 0),
    )
  return parents.map(({ node }) => distanceTo(below.get(node) ?? 0, range))
}

const placesBelow = (links: readonly Link[], { below }: PatternStep): readonly Link[] =>
  below === 'child' ? children(links) : descendants(links)

function holds(trace: Trace, expected: string, matched: readonly SeenSpan[], boards: Boards): SpanTreeAnswer {
  const last = matched.at(-1)
  return {
    matched,
    verdict: verdictOf(trace.spans.length, [], ''),
    message: '',
    negatedMessage: paragraphs([
      [`the trace has ${truncate(expected, 200)}; expected not to have it`],
      matched.map(
        (span, depth) => `${'  '.repeat(depth)}${itemLabel('span', span)} (envelope ${span.seq}, item ${span.item})`,
      ),
      last === undefined ? [] : linkLines(positionOf(last), boards),
    ]),
  }
}

function missingLines(
  trace: Trace,
  steps: readonly PatternStep[],
  done: number,
  taken: readonly Link[],
  boards: Boards,
): readonly string[] {
  const missing = steps[done]
  if (missing === undefined) return []
  const seen = instead(missing, done, taken, trace)
  const near = nearMiss(missing, done, taken, trace)
  if (done === 0)
    return near.lines.length > 0 ? near.lines : [`no span is ${truncate(missing.text)}; the trace has ${listed(seen)}`]
  const matched = spansOf(taken[0])
  const upTo = matched.map((span) => itemLabel('span', span)).join(' > ')
  const isChild = missing.below === 'child'
  const lines = [
    `found ${done} of ${steps.length}: ${truncate(upTo, 200)}`,
    `expected ${isChild ? 'child' : 'descendant'}: ${truncate(missing.text)}`,
    // The spans of a large subtree do not fit into the list, so the nearest come first.
    ...(near.found > 0 ? [] : [`got ${listed(seen, isChild ? undefined : missing.text)}`]),
    ...near.lines,
  ]
  const deeper = isChild && near.found === 0 ? descendants(taken).find(({ node }) => fits(node, missing)) : undefined
  const hint =
    deeper === undefined
      ? []
      : [`${itemLabel('span', deeper.node.span)} is a descendant; did you mean ${withDescendant(steps, done)}?`]
  const last = matched.at(-1)
  return [...lines, ...hint, ...(last === undefined ? [] : linkLines(positionOf(last), boards))]
}

interface NearMiss {
  /** How many spans fit. */
  readonly found: number
  /** The wrong count, and the nearest span that fails only a condition; empty without both. */
  readonly lines: readonly string[]
  /** The same in short; `null` without both. */
  readonly actual: string | null
}

function nearMiss(step: PatternStep, done: number, taken: readonly Link[], trace: Trace): NearMiss {
  const places = done === 0 ? nodesOf(trace.roots) : placesBelow(taken, step).map(({ node }) => node)
  const named = places.filter((node) => isNamed(node, step)).map(({ span }) => span)
  const misses = named
    .map((span) => ({ span, differences: step.conditions.flatMap((condition) => condition(span) ?? []) }))
    .filter(({ differences }) => differences.length > 0)
  const found = named.length - misses.length
  const counted = truncate(step.counted)
  const wrongCount = step.count === null ? [] : [`found ${found} of ${counted}, expected ${countText(step.count)}`]
  const [nearest] = step.count !== null && found > step.count.most ? [] : misses.sort(byNearness)
  if (nearest === undefined)
    return { found, lines: wrongCount, actual: step.count === null ? null : `${found} of ${counted}` }
  const { span, differences } = nearest
  const times = misses.filter(({ span }) => !isUndated(span)).map(({ span }) => durationUs(span))
  const isSlowOrFast = times.length > 1 && differences.some(({ path }) => path === 'duration')
  return {
    found,
    lines: [
      ...wrongCount,
      `nearest: ${itemLabel('span', span)} (${positionText(span)})`,
      ...differenceLines(differences, []),
      ...(isSlowOrFast
        ? [`  ${misses.length} such spans take ${durationText(least(times))} to ${durationText(most(times))}`]
        : []),
    ],
    actual: `${itemLabel('span', span)} with ${differences.map(({ path, actual }) => `${path} ${actual}`).join(', ')}`,
  }
}

const least = (all: readonly number[]): number => all.reduce((one, other) => Math.min(one, other))
const most = (all: readonly number[]): number => all.reduce((one, other) => Math.max(one, other))

type Miss = { readonly differences: readonly { readonly distance: number }[] }

/** The fewest failed conditions first, then the smallest distances. */
const byNearness = ({ differences: one }: Miss, { differences: other }: Miss): number =>
  one.length - other.length || distanceOf(one) - distanceOf(other) || 0

const distanceOf = (differences: Miss['differences']): number =>
  differences.reduce((sum, { distance }) => sum + distance, 0)

const actualText = (missing: PatternStep, done: number, taken: readonly Link[], trace: Trace): string =>
  nearMiss(missing, done, taken, trace).actual ?? listed(instead(missing, done, taken, trace))

const withDescendant = (steps: readonly PatternStep[], at: number): string =>
  truncate(patternText(steps.map((step, index) => (index === at ? { ...step, below: 'any' } : step))), 200)

interface Instead {
  readonly nouns: readonly [one: string, several: string]
  readonly nodes: readonly Node[]
}

/** The spans at the place of the missing step: roots, children, or all descendants. */
function instead(missing: PatternStep | undefined, done: number, taken: readonly Link[], trace: Trace): Instead {
  if (done === 0) return { nouns: ['root', 'roots'], nodes: trace.roots }
  if (missing?.below === 'any')
    return { nouns: ['descendant', 'descendants'], nodes: descendants(taken).map(({ node }) => node) }
  return { nouns: ['child', 'children'], nodes: taken.flatMap(({ node }) => node.children) }
}

/** How many different spans are compared with a step; each comparison takes microseconds. */
const MOST_COMPARED = 500

function listed({ nouns: [one, several], nodes }: Instead, nearTo?: string): string {
  if (nodes.length === 0) return `no ${one === 'root' ? 'spans' : several}`
  const counts = new Map<string, number>()
  for (const { span } of nodes) counts.set(itemLabel('span', span), (counts.get(itemLabel('span', span)) ?? 0) + 1)
  const names = [...counts.keys()]
  const ordered = nearTo === undefined ? names : byDistance(nearTo, names.slice(0, MOST_COMPARED))
  const words = ordered.map((name) => (counts.get(name) === 1 ? name : `${counts.get(name)} ${name}`))
  return `${plural(nodes.length, one, several)}: ${listFirst(words, 6)}`
}

const patternText = (steps: readonly PatternStep[]): string =>
  steps.map((step, index) => (index === 0 ? step.text : `${arrowOf(step)} ${step.text}`)).join(' ')

const arrowOf = (step: PatternStep | undefined): string => (step?.below === 'any' ? '>>' : '>')

const isNamed = ({ span }: Node, step: PatternStep): boolean =>
  step.op(span.op ?? '') && (step.name === null || namesOf(span).some(step.name))

const fits = (node: Node, step: PatternStep): boolean =>
  isNamed(node, step) && step.conditions.every((condition) => condition(node.span) === null)

/** Names that a step may match: a request also has method and path, with and without its query. */
function namesOf(span: SeenSpan): readonly string[] {
  const request = requestOf(span)
  return request === null ? [span.name] : [span.name, request.short, request.long]
}

/**
 * The children of the matched nodes. A request and the segment that answers it are two spans, but
 * `http.client GET /api/cart > db*` means one request, so the segment's children are included. Each node occurs once;
 * otherwise the number of links would double with each step.
 */
function children(links: readonly Link[]): readonly Link[] {
  const found = new Map<Node, Link>()
  const add = (nodes: readonly Node[], above: Link): void => {
    for (const node of nodes) if (!found.has(node)) found.set(node, { node, above })
  }
  for (const above of links)
    for (const node of above.node.children) {
      add([node], above)
      if (node.span.isSegment) add(node.children, above)
    }
  return [...found.values()]
}

/** All descendants, each once, linked to the first ancestor that leads to it. */
function descendants(links: readonly Link[]): readonly Link[] {
  const placed = new Set<Node>()
  const found: Link[] = []
  for (const above of links) {
    const open = [...above.node.children].reverse()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      // The descendants of a placed node are placed already.
      if (placed.has(node)) continue
      placed.add(node)
      found.push({ node, above })
      // A spread is limited to some ten thousand arguments, and a span may have more children.
      for (const child of node.children.toReversed()) open.push(child)
    }
  }
  return found
}

function spansOf(link: Link | undefined): readonly SeenSpan[] {
  const spans: SeenSpan[] = []
  for (let one = link ?? null; one !== null; one = one.above) spans.unshift(one.node.span)
  return spans
}
