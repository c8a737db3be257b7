import { addToGroup, groupBy } from '../../group-by'
import type { SegmentSpan } from '../../protocol/trace/segment'
import { isUndated } from '../../protocol/trace/span-tree'
import type { Evidence } from '../evidence/evidence'
import type { RunData, TraceCounts } from './run-data'
import { stableName } from './stable-names'

type CountedSpan = Pick<
  SegmentSpan,
  'spanId' | 'parentSpanId' | 'isSegment' | 'service' | 'op' | 'name' | 'startUs' | 'endUs'
>

const keyOfSpan = ({ service, op, name }: CountedSpan): string => stableName(service, op, name)

/** The spans of one trace by name. @returns nothing for a trace whose spans cannot be read */
export function countSpans(spans: readonly CountedSpan[]): readonly TraceCounts[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === null || !ids.has(parentSpanId))
  const isBefore = (one: CountedSpan, other: CountedSpan): boolean =>
    one.startUs < other.startUs || (one.startUs === other.startUs && keyOfSpan(one) < keyOfSpan(other))
  // Segments first: an orphaned span says nothing about the trace.
  const segments = roots.filter(({ isSegment }) => isSegment)
  const [first, ...others] = segments.length > 0 ? segments : roots
  if (first === undefined) return []
  const root = others.reduce((earliest, one) => (isBefore(one, earliest) ? one : earliest), first)
  const counted = new Map<string, number[]>()
  for (const span of spans) {
    const ms = isUndated(span) ? 0 : Math.max(0, span.endUs - span.startUs) / 1000
    addToGroup(counted, keyOfSpan(span), ms)
  }
  return [{ key: keyOfSpan(root), spans: counted }]
}

/** Errors by stable name. */
export function countErrors(
  events: readonly { readonly service: string; readonly title: string }[],
): ReadonlyMap<string, number> {
  const errors = new Map<string, number>()
  for (const { service, title } of events) {
    const key = stableName(service, null, title)
    errors.set(key, (errors.get(key) ?? 0) + 1)
  }
  return errors
}

/** A part of a recording as it is compared with others. Copies of Spotlight streams are left out. */
export function evidenceData(label: string, { spans, events }: Pick<Evidence, 'spans' | 'events'>): RunData {
  const byTrace = groupBy(
    spans.filter(({ copy }) => !copy),
    ({ traceId }) => traceId,
  )
  return {
    label,
    facts: null,
    traces: [...byTrace.values()].flatMap(countSpans),
    errors: countErrors(events.filter(({ copy, level }) => !copy && isErrorLevel(level))),
    checks: [],
    amounts: [],
  }
}

export const isErrorLevel = (level: string): boolean => level === 'error' || level === 'fatal'
