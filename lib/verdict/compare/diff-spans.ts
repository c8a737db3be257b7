import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { RunData, TraceCounts } from './run-data'

/** Traces with the same root on each side, from which a difference is judged. */
const LEAST_TRACES = 3

/** A span that came, went or changed its count. */
interface SpanChange {
  readonly kind: 'came' | 'went' | 'count'
  /** The key of the root span. */
  readonly trace: string
  readonly span: string
  /** In each trace. */
  readonly before: number
  readonly after: number
}

export interface SpanDiff {
  readonly changes: readonly SpanChange[]
  /** Sentences about traces of which there are too few. */
  readonly unjudged: readonly string[]
}

/**
 * Compares how often each span occurs in traces with the same root. A change is one only if each side has at least three such
 * traces, and the count is the same in all traces of a side: of all base runs together.
 */
export function diffSpans(bases: readonly RunData[], head: RunData): SpanDiff {
  const rootOf = ({ key }: TraceCounts): string => key
  const before = groupBy(
    bases.flatMap(({ traces }) => traces),
    rootOf,
  )
  const after = groupBy(head.traces, rootOf)
  const changes: SpanChange[] = []
  const unjudged: string[] = []
  for (const trace of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [old, now] = [before.get(trace) ?? [], after.get(trace) ?? []]
    if (old.length >= LEAST_TRACES && now.length >= LEAST_TRACES) changes.push(...changesOf(trace, old, now))
    else
      unjudged.push(
        `${trace}: ${plural(old.length, 'trace')} before, ${now.length} now, at least ${LEAST_TRACES} needed`,
      )
  }
  return { changes, unjudged }
}

function changesOf(trace: string, old: readonly TraceCounts[], now: readonly TraceCounts[]): readonly SpanChange[] {
  return namesOf([...old, ...now]).flatMap((span) => {
    const [before, after] = [constantCount(old, span), constantCount(now, span)]
    if (before === null || after === null || before === after) return []
    const kind = before === 0 ? 'came' : after === 0 ? 'went' : 'count'
    return [{ kind, trace, span, before, after }]
  })
}

/** A difference in too few traces to judge it. */
export interface ListedSpan {
  readonly kind: SpanChange['kind']
  readonly trace: string
  readonly span: string
  /** The least and the most in a trace. */
  readonly before: readonly [number, number]
  readonly after: readonly [number, number]
}

/**
 * Lists the spans whose counts differ in traces with the same root of which a side has fewer than three: no trace of one
 * side has as many as a trace of the other. A root that only one side has is listed as its own span.
 */
export function listSpans(before: RunData, after: RunData): readonly ListedSpan[] {
  const rootOf = ({ key }: TraceCounts): string => key
  const [olds, news] = [groupBy(before.traces, rootOf), groupBy(after.traces, rootOf)]
  return [...new Set([...olds.keys(), ...news.keys()])].sort().flatMap((trace): readonly ListedSpan[] => {
    const [old, now] = [olds.get(trace) ?? [], news.get(trace) ?? []]
    if (old.length >= LEAST_TRACES && now.length >= LEAST_TRACES) return []
    const names = old.length === 0 || now.length === 0 ? [trace] : namesOf([...old, ...now])
    return names.flatMap((span) => {
      const [was, is] = [rangeOf(old, span), rangeOf(now, span)]
      if (was[0] <= is[1] && is[0] <= was[1]) return []
      const kind = was[1] === 0 ? 'came' : is[1] === 0 ? 'went' : 'count'
      return [{ kind, trace, span, before: was, after: is }]
    })
  })
}

const namesOf = (traces: readonly TraceCounts[]): readonly string[] =>
  [...new Set(traces.flatMap(({ spans }) => [...spans.keys()]))].sort()

function rangeOf(traces: readonly TraceCounts[], span: string): readonly [number, number] {
  const counts = traces.map(({ spans }) => spans.get(span)?.length ?? 0)
  return counts.length === 0 ? [0, 0] : [Math.min(...counts), Math.max(...counts)]
}

/** How often a span occurs in each of the traces; `null` when that differs. */
function constantCount(traces: readonly TraceCounts[], span: string): number | null {
  const [first = 0, ...rest] = traces.map(({ spans }) => spans.get(span)?.length ?? 0)
  return rest.every((count) => count === first) ? first : null
}
