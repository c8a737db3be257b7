import { formatDurationUs, plural } from '../../format'
import { addToGroup, groupBy } from '../../group-by'
import { hex32 } from '../../protocol/ids'
import { isErrorStatus } from '../../protocol/trace/span-status'
import { buildSpanTree, isUndated, type SpanNode } from '../../protocol/trace/span-tree'
import type { Evidence, SeenEvent, SeenSegment, SeenSpan } from '../evidence/evidence'
import { truncate } from '../text'
import { itemLabel } from './kinds'

export interface Trace {
  readonly traceId: string
  readonly segments: readonly SeenSegment[]
  /** Without duplicates; includes segment spans. */
  readonly spans: readonly SeenSpan[]
  readonly events: readonly SeenEvent[]
  readonly roots: readonly SpanNode<SeenSpan>[]
  /** Ids of segments that have not arrived although spans of them have: more spans may follow. */
  readonly unfinished: readonly string[]
  /** Parse errors of items with spans of this trace. */
  readonly unread: readonly string[]
}

const SPAN_ITEMS: ReadonlySet<string> = new Set(['transaction', 'span', 'otlp_traces'])

/** Originals win over copies, later entries over earlier ones. `null` if the evidence has none of its items. */
export function traceOf(evidence: Evidence, traceId: string): Trace | null {
  const id = hex32(traceId)
  const ofTrace = <Seen extends { readonly traceId: string | null }>(all: readonly Seen[]): readonly Seen[] =>
    all.filter((one) => one.traceId === id)
  const { segments, spans, events, items } = evidence
  return id === null
    ? null
    : build(id, {
        segments: ofTrace(segments),
        spans: ofTrace(spans),
        events: ofTrace(events),
        items: ofTrace(items),
      })
}

type TraceParts = Pick<Evidence, 'segments' | 'spans' | 'events' | 'items'>

export function tracesOf(evidence: Evidence): readonly Trace[] {
  const [segments, spans, events, items] = [
    byTrace(evidence.segments),
    byTrace(evidence.spans),
    byTrace(evidence.events),
    byTrace(evidence.items),
  ]
  return [...new Set([...spans.keys(), ...events.keys()])].flatMap((id) => {
    const trace = build(id, {
      segments: segments.get(id) ?? [],
      spans: spans.get(id) ?? [],
      events: events.get(id) ?? [],
      items: items.get(id) ?? [],
    })
    return trace === null ? [] : [trace]
  })
}

const byTrace = <Seen extends { readonly traceId: string | null }>(
  all: readonly Seen[],
): ReadonlyMap<string, readonly Seen[]> => groupBy(all, ({ traceId }) => traceId)

/** The last entry per key; a copy only if there is no original. */
function eachOnce<Seen extends { readonly copy: boolean }>(
  all: readonly Seen[],
  keyOf: (one: Seen) => string,
): readonly Seen[] {
  const copiesFirst = [...all.filter(({ copy }) => copy), ...all.filter(({ copy }) => !copy)]
  return [...new Map(copiesFirst.map((one) => [keyOf(one), one])).values()]
}

function build(id: string, parts: TraceParts): Trace | null {
  const segments = eachOnce(parts.segments, ({ segmentId }) => segmentId)
  const spans = eachOnce(parts.spans, ({ spanId }) => spanId)
  const events = eachOnce(parts.events, ({ eventId }) => eventId)
  if (segments.length + spans.length + events.length === 0) return null
  const here = new Set(segments.map(({ segmentId }) => segmentId))
  const named = new Set(
    spans.flatMap(({ segmentId }) => (segmentId === null || here.has(segmentId) ? [] : [segmentId])),
  )
  const unread = parts.items.flatMap(({ type, problem }) => (problem !== null && SPAN_ITEMS.has(type) ? [problem] : []))
  return { traceId: id, segments, spans, events, roots: buildSpanTree(spans).roots, unfinished: [...named], unread }
}

export const traceIdsOf = ({ spans, events }: Evidence): readonly string[] => [
  ...new Set([...spans, ...events].flatMap(({ traceId }) => (traceId === null ? [] : [traceId]))),
]

/** Why a missing span may still exist; `null` for a complete trace. */
export function unfinishedReason({ unfinished, unread, spans }: Trace): string | null {
  const [problem] = unread
  if (problem !== undefined) return `the trace could not be parsed completely: ${truncate(problem)}`
  const [first] = unfinished
  if (first === undefined) return null
  const count = spans.filter(({ segmentId }) => segmentId === first).length
  return `the trace is incomplete: ${plural(count, 'span')} of segment ${first} arrived, but not the segment itself`
}

export const noSpansReason = ({ spans }: Trace): string | null =>
  spans.length > 0 ? null : 'no span of the trace was recorded'

/** Deeper levels are not indented further. */
const MOST_LEVELS = 20
const WIDEST_NAME = 72

type Node = SpanNode<SeenSpan>

interface Branch {
  readonly node: Node
  readonly lead: string
  /** The line prefix of its children and errors. */
  readonly below: string
}

/** A trace as a text tree with durations, services, error statuses and errors. Safe to print. */
export function traceText(trace: Trace, { mostSpans = 200 }: { readonly mostSpans?: number } = {}): string {
  const services = new Set(trace.spans.map(({ service }) => service))
  const title = [
    `trace ${trace.traceId}`,
    plural(trace.spans.length, 'span'),
    [...services].map((service) => truncate(service, 20)).join(', '),
    trace.events.length === 0 ? '' : plural(trace.events.length, 'error'),
  ].filter((part) => part !== '')
  const drawn = branchesOf(trace.roots, mostSpans)
  const here = new Set(drawn.map(({ node }) => node.span.spanId))
  const errorsOf = bySpan(trace.events, here)
  const names = drawn.map(({ node, lead }) => `${lead}${itemLabel('span', node.span)}`)
  const width = Math.min(WIDEST_NAME, Math.max(0, ...names.map(({ length }) => length)))
  const lines = drawn.flatMap((branch, index) => [
    `${(names[index] ?? '').padEnd(width)}  ${factsOf(branch.node, services.size > 1)}`,
    ...(errorsOf.get(branch.node.span.spanId) ?? []).map((event) => `${branch.below}! ${itemLabel('error', event)}`),
  ])
  const rest = trace.spans.length - drawn.length
  const elsewhere = (errorsOf.get(null) ?? []).map((event) => `! ${itemLabel('error', event)}`)
  return [title.join(' · '), ...lines, ...(rest > 0 ? [`and ${plural(rest, 'more span')}`] : []), ...elsewhere].join(
    '\n',
  )
}

function factsOf({ span, orphan, skewed }: Node, withService: boolean): string {
  const isError = isErrorStatus(span.status)
  return [
    (isUndated(span) ? '?' : formatDurationUs(span.endUs - span.startUs)).padStart(7),
    withService ? truncate(span.service, 20) : '',
    isError ? truncate(span.status ?? '', 40) : '',
    isUndated(span) ? '(starts in 1970: its times do not count from the epoch)' : '',
    orphan ? '(parent has not arrived)' : '',
    skewed ? '(outside its parent: clock skew, or the parent did not wait)' : '',
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

/** Errors by their span; `null` for spans that are not drawn. */
function bySpan(
  events: readonly SeenEvent[],
  drawn: ReadonlySet<string>,
): ReadonlyMap<string | null, readonly SeenEvent[]> {
  const found = new Map<string | null, SeenEvent[]>()
  for (const event of events) {
    addToGroup(found, event.spanId !== null && drawn.has(event.spanId) ? event.spanId : null, event)
  }
  return found
}
