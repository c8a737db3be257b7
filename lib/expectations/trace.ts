import type { Evidence, SeenEvent, SeenSegment, SeenSpan } from '../evidence/evidence'
import { hex32 } from '../protocol/ids'
import { buildSpanTree, type SpanNode } from '../trace/span-tree'
import { cut } from './shown'

/** All that was recorded of one trace. */
export interface Trace {
  readonly traceId: string
  readonly segments: readonly SeenSegment[]
  /** Each once, segments' own included. */
  readonly spans: readonly SeenSpan[]
  readonly events: readonly SeenEvent[]
  readonly roots: readonly SpanNode<SeenSpan>[]
  /** Segments whose spans arrived and that did not themselves: what is looked for may still be under way. */
  readonly unfinished: readonly string[]
  /** Why items that tell of it were not read, or not to their end. */
  readonly unread: readonly string[]
}

const TELLS_SPANS: ReadonlySet<string> = new Set(['transaction', 'span'])

/**
 * A trace of what was recorded; `null` where nothing tells of it. What was told twice, by a copy or again, is there once:
 * what came on the path goes before a copy, and later before earlier.
 */
export function traceOf(evidence: Evidence, traceId: string): Trace | null {
  const id = hex32(traceId)
  const ofTrace = <Seen extends { readonly traceId: string | null; readonly copy: boolean }>(
    all: readonly Seen[],
    keyOf: (one: Seen) => string,
  ): readonly Seen[] => {
    const of = all.filter((one) => one.traceId === id)
    const copiesFirst = [...of.filter(({ copy }) => copy), ...of.filter(({ copy }) => !copy)]
    return [...new Map(copiesFirst.map((one) => [keyOf(one), one])).values()]
  }
  const segments = ofTrace(evidence.segments, ({ segmentId }) => segmentId)
  const spans = ofTrace(evidence.spans, ({ spanId }) => spanId)
  const events = ofTrace(evidence.events, ({ eventId }) => eventId)
  if (id === null || segments.length + spans.length + events.length === 0) return null
  const here = new Set(segments.map(({ segmentId }) => segmentId))
  const named = new Set(
    spans.flatMap(({ segmentId }) => (segmentId === null || here.has(segmentId) ? [] : [segmentId])),
  )
  const unread = evidence.items.flatMap(({ traceId: of, type, problem }) =>
    of === id && problem !== null && TELLS_SPANS.has(type) ? [problem] : [],
  )
  return { traceId: id, segments, spans, events, roots: buildSpanTree(spans).roots, unfinished: [...named], unread }
}

/** Ids of all traces that anything tells of, in the order in which they came. */
export const traceIdsOf = ({ spans, events }: Evidence): readonly string[] => [
  ...new Set([...spans, ...events].flatMap(({ traceId }) => (traceId === null ? [] : [traceId]))),
]

/** Why what is looked for in vain may be there all the same; `null` where all that is told of is here. */
export function whyUnfinished({ unfinished, unread, spans }: Trace): string | null {
  const [problem] = unread
  if (problem !== undefined) return `the trace was not read to its end: ${cut(problem)}`
  const [first] = unfinished
  if (first === undefined) return null
  const count = spans.filter(({ segmentId }) => segmentId === first).length
  const spansOfIt = count === 1 ? 'a span of it is' : `${count} spans of it are`
  return `the trace is not whole: segment ${first} has not arrived, though ${spansOfIt} here`
}
