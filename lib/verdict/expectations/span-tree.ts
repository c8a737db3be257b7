import { plural } from '../../format'
import type { SpanNode } from '../../protocol/trace/span-tree'
import type { SeenSpan } from '../evidence/evidence'
import { requestOf } from '../rules/describe'
import { listFirst, truncate } from '../text'
import { type Answer, type Boards, verdictOf } from '../verdict'
import { linkLines, paragraphs, positionOf } from './explain'
import { itemLabel } from './kinds'
import { type PatternStep, parseSpanPattern } from './span-pattern'
import { noSpansReason, type Trace, traceText, unfinishedReason } from './trace'

type Node = SpanNode<SeenSpan>

/** A node that a step took, and the one that the step before took. */
interface Link {
  readonly node: Node
  readonly above: Link | null
}

export interface SpanTreeAnswer extends Answer {
  /** The longest beginning of the pattern that the trace has, outermost first. */
  readonly matched: readonly SeenSpan[]
}

/**
 * Has the trace a line of spans as the pattern draws it? See `parseSpanPattern` for the grammar. Linear in spans and steps.
 * @throws TypeError where the pattern is wrong; it shows the place.
 */
export function matchSpanTree(trace: Trace, pattern: string, boards: Boards): SpanTreeAnswer {
  const steps = parseSpanPattern(pattern)
  const all = nodesOf(trace.roots)
  const [first, ...rest] = steps
  let links: readonly Link[] = all.filter((node) => fits(node, first)).map((node) => ({ node, above: null }))
  let taken: readonly Link[] = links
  let done = links.length > 0 ? 1 : 0
  for (const step of rest) {
    if (links.length === 0) break
    links = (step.below === 'child' ? children(links) : descendants(links)).filter(({ node }) => fits(node, step))
    if (links.length === 0) break
    taken = links
    done += 1
  }
  const matched = spansOf(taken[0])
  const expected = steps.map(({ text }, index) => (index === 0 ? text : `${arrowOf(steps[index])} ${text}`)).join(' ')
  if (done === steps.length) return holds(trace, expected, matched, boards)

  const missing = steps[done]
  const unfinished = unfinishedReason(trace) ?? noSpansReason(trace)
  const words = (): string =>
    paragraphs([
      [`the trace has no ${truncate(expected, 200)}`, ...(unfinished === null ? [] : [unfinished])],
      missing === undefined ? [] : missingLines(trace, steps, done, taken, boards),
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
    actual: seenInstead(done, taken, trace),
    expected: `${arrowOf(missing)} ${missing?.text ?? ''}`.trim(),
  }
  return {
    matched,
    verdict:
      unfinished === null ? verdictOf(trace.spans.length, [finding], '') : { verdict: 'incomplete', why: unfinished },
    // Made when they are asked for: of a thousand traces they are of one.
    get message() {
      return words()
    },
    negatedMessage: '',
  }
}

function holds(trace: Trace, expected: string, matched: readonly SeenSpan[], boards: Boards): SpanTreeAnswer {
  const last = matched.at(-1)
  return {
    matched,
    verdict: verdictOf(trace.spans.length, [], ''),
    message: '',
    negatedMessage: paragraphs([
      [`the trace has ${truncate(expected, 200)}, and was not to have it`],
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
  if (done === 0) return [`nothing in it is ${truncate(missing.text)}: ${seenInstead(done, taken, trace)}`]
  const matched = spansOf(taken[0])
  const upTo = matched.map((span) => itemLabel('span', span)).join(' > ')
  const where = missing.below === 'child' ? 'a child' : 'anything below it'
  const lines = [
    `found ${done} of ${steps.length}: ${truncate(upTo, 200)}`,
    `expected as ${where}: ${truncate(missing.text)}`,
    `there instead: ${seenInstead(done, taken, trace)}`,
  ]
  const deeper = missing.below === 'child' ? descendants(taken).find(({ node }) => fits(node, missing)) : undefined
  const hint =
    deeper === undefined
      ? []
      : [`${itemLabel('span', deeper.node.span)} is there, deeper: write >> where other spans may be between`]
  const last = matched.at(-1)
  return [...lines, ...hint, ...(last === undefined ? [] : linkLines(positionOf(last), boards))]
}

function seenInstead(done: number, taken: readonly Link[], trace: Trace): string {
  const nodes = done === 0 ? trace.roots : taken.flatMap(({ node }) => node.children)
  if (nodes.length === 0) return done === 0 ? 'no spans' : 'no children'
  const counts = new Map<string, number>()
  for (const { span } of nodes) counts.set(itemLabel('span', span), (counts.get(itemLabel('span', span)) ?? 0) + 1)
  const words = [...counts].map(([name, count]) => (count === 1 ? name : `${count} ${name}`))
  return `${plural(nodes.length, done === 0 ? 'root' : 'child').replace('childs', 'children')}: ${listFirst(words, 6)}`
}

const arrowOf = (step: PatternStep | undefined): string => (step?.below === 'any' ? '>>' : '>')

const fits = ({ span }: Node, step: PatternStep | undefined): boolean =>
  step?.op(span.op ?? '') === true && (step.name === null || namesOf(span).some(step.name))

/** A request goes by its method and path, too, with its query or without. */
function namesOf(span: SeenSpan): readonly string[] {
  const request = requestOf(span)
  return request === null ? [span.name] : [span.name, request.short, request.long]
}

/** Iterative, as the tree is built: a trace may be thousands of levels deep. In the order in which it is drawn. */
function nodesOf(roots: readonly Node[]): readonly Node[] {
  const found: Node[] = []
  const open = [...roots].reverse()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    found.push(node)
    pushReversed(open, node.children)
  }
  return found
}

/** One by one: a call takes some ten thousand arguments, and a span may have more children. */
function pushReversed(open: Node[], nodes: readonly Node[]): void {
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const node = nodes[index]
    if (node !== undefined) open.push(node)
  }
}

/**
 * What hangs from each directly. The segment by which another sender answers stands for the request, so what hangs from
 * that is told too, also where both are Node: whoever draws `http.client GET /api/cart > db*` thinks of one request, and it is two spans. Each node
 * once, by the first link that leads to it: by the request and by its segment alike would double them at each step.
 */
function children(links: readonly Link[]): readonly Link[] {
  const found = new Map<Node, Link>()
  const place = (nodes: readonly Node[], above: Link): void => {
    for (const node of nodes) if (!found.has(node)) found.set(node, { node, above })
  }
  for (const above of links)
    for (const node of above.node.children) {
      place([node], above)
      if (node.span.isSegment) place(node.children, above)
    }
  return [...found.values()]
}

/** Each once, below the first of those above it that leads to it. */
function descendants(links: readonly Link[]): readonly Link[] {
  const placed = new Set<Node>()
  const found: Link[] = []
  for (const above of links) {
    const open = [...above.node.children].reverse()
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      // Whoever was placed has had all below it placed, too.
      if (placed.has(node)) continue
      placed.add(node)
      found.push({ node, above })
      pushReversed(open, node.children)
    }
  }
  return found
}

function spansOf(link: Link | undefined): readonly SeenSpan[] {
  const spans: SeenSpan[] = []
  for (let one = link ?? null; one !== null; one = one.above) spans.unshift(one.node.span)
  return spans
}
