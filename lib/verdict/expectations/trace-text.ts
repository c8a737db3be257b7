import { NO_ERRORS } from '../../protocol/trace/segment'
import type { SpanNode } from '../../protocol/trace/span-tree'
import type { SeenEvent, SeenSpan } from '../evidence/evidence'
import { wordsOf } from './item-words'
import { cut, durationText, many } from './shown'
import type { Trace } from './trace'

/** Levels that are drawn as such: what is deeper stands at this one. */
const MOST_LEVELS = 20
const WIDEST_NAME = 72

type Node = SpanNode<SeenSpan>

/** A span with the lines that lead to it. */
interface Branch {
  readonly node: Node
  /** What is drawn before its name. */
  readonly lead: string
  /** What is drawn before what is below it. */
  readonly below: string
}

/**
 * A trace as text: its tree, with durations, statuses that are errors, services, and errors where they happened. Safe to print.
 * @param mostSpans so many are drawn, 200 where it is left out; the rest is counted.
 */
export function traceText(trace: Trace, { mostSpans = 200 }: { readonly mostSpans?: number } = {}): string {
  const services = new Set(trace.spans.map(({ service }) => service))
  const title = [
    `trace ${trace.traceId}`,
    many(trace.spans.length, 'span'),
    [...services].map((service) => cut(service, 20)).join(', '),
    trace.events.length === 0 ? '' : many(trace.events.length, 'error'),
  ].filter((part) => part !== '')
  const drawn = branchesOf(trace.roots, mostSpans)
  const here = new Set(drawn.map(({ node }) => node.span.spanId))
  const errorsOf = bySpan(trace.events, here)
  const names = drawn.map(({ node, lead }) => `${lead}${wordsOf('span', node.span)}`)
  const width = Math.min(WIDEST_NAME, Math.max(0, ...names.map(({ length }) => length)))
  const lines = drawn.flatMap((branch, index) => [
    `${(names[index] ?? '').padEnd(width)}  ${factsOf(branch.node, services.size > 1)}`,
    ...(errorsOf.get(branch.node.span.spanId) ?? []).map((event) => `${branch.below}! ${wordsOf('error', event)}`),
  ])
  const rest = trace.spans.length - drawn.length
  const elsewhere = (errorsOf.get(null) ?? []).map((event) => `! ${wordsOf('error', event)}`)
  return [title.join(' · '), ...lines, ...(rest > 0 ? [`and ${many(rest, 'more span')}`] : []), ...elsewhere].join('\n')
}

function factsOf({ span, orphan, skewed }: Node, withService: boolean): string {
  const isError = span.status !== null && !(NO_ERRORS as readonly string[]).includes(span.status)
  return [
    durationText(span.endUs - span.startUs).padStart(7),
    withService ? cut(span.service, 20) : '',
    isError ? cut(span.status ?? '', 40) : '',
    orphan ? 'its parent has not arrived' : '',
    skewed ? 'outside its parent: clocks differ, or the parent did not wait' : '',
  ]
    .filter((part) => part !== '')
    .join('  ')
}

function branchesOf(roots: readonly Node[], most: number): readonly Branch[] {
  const drawn: Branch[] = []
  const open: Branch[] = [...roots].reverse().map((node) => ({ node, lead: '', below: '' }))
  for (let branch = open.pop(); branch !== undefined && drawn.length < most; branch = open.pop()) {
    drawn.push(branch)
    const { node, below } = branch
    const isDeep = node.depth >= MOST_LEVELS
    for (const [index, child] of [...node.children.entries()].reverse()) {
      const isLast = index === node.children.length - 1
      if (isDeep) open.push({ node: child, lead: below, below })
      else
        open.push({
          node: child,
          lead: `${below}${isLast ? '└─ ' : '├─ '}`,
          below: `${below}${isLast ? '   ' : '│  '}`,
        })
    }
  }
  return drawn
}

/** Errors by the span that they happened in; `null` where that is not drawn. */
function bySpan(
  events: readonly SeenEvent[],
  drawn: ReadonlySet<string>,
): ReadonlyMap<string | null, readonly SeenEvent[]> {
  const found = new Map<string | null, SeenEvent[]>()
  for (const event of events) {
    const key = event.spanId !== null && drawn.has(event.spanId) ? event.spanId : null
    const list = found.get(key)
    if (list === undefined) found.set(key, [event])
    else list.push(event)
  }
  return found
}
