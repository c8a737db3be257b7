import { TRACED_FROM_ATTRIBUTE } from '../../contract/values'
import { segmentIds } from '../../otlp/assign-segments'
import type { SegmentSpan } from '../../protocol/trace/segment'
import { isUndated } from '../../protocol/trace/span-tree'
import type { Evidence, SeenSegment, SeenSpan } from '../evidence/evidence'
import { fromJavaScriptSdk } from './coverage'
import type { Case } from './rule'

export interface PageSegment {
  readonly segment: SeenSegment
  readonly children: readonly SeenSpan[]
}

/** A web vital is sent when its value is known, which may be long after its page load was sent. */
export const isWebVital = ({ op }: { readonly op: string | null }): boolean =>
  op !== null && /^ui\.(?:webvital|interaction)(?:\.|$)/.test(op)

/** Was it created from the browser's performance entries when the pageload or navigation ended? */
export const isListed = ({ op }: SeenSpan): boolean =>
  op !== null && /^(?:browser|resource|paint|mark|measure)(?:\.|$)/.test(op)

/** Was it started and ended while the segment was open? Only such spans keep a segment open; a long task is reported afterwards. */
export const isHeldOpen = (span: SeenSpan): boolean =>
  !isListed(span) && !isWebVital(span) && !/^ui\.long[-_]/.test(span.op ?? '')

/**
 * When idle time starts to count, in µs. A page load first waits for its document, which the spans `browser.*` cover
 * (`browser` in SDK 7), and for an SDK that the page loads late.
 * @returns `null` if a page load has no such span.
 */
export function readyAt({ segment, children }: PageSegment): number | null {
  if (segment.op === 'navigation') return segment.startUs
  let ready: number | null = null
  for (const { op, endUs } of children)
    if (op !== null && /^browser(?:\.|$)/.test(op)) ready = Math.max(ready ?? endUs, endUs)
  const tracedFromMs = segment.attributes[TRACED_FROM_ATTRIBUTE]
  if (ready === null || typeof tracedFromMs !== 'number') return ready
  return Math.max(ready, segment.startUs + tracedFromMs * 1000)
}

/** Remembers the answer, because several rules need it and evidence never changes. */
function once<Answer>(read: (evidence: Evidence) => Answer): (evidence: Evidence) => Answer {
  const known = new WeakMap<Evidence, { readonly answer: Answer }>()
  return (evidence) => {
    const { answer } = known.get(evidence) ?? { answer: read(evidence) }
    known.set(evidence, { answer })
    return answer
  }
}

/** Pageloads and navigations of browsers, without copies. */
export const pageSegments = once((evidence): readonly PageSegment[] => {
  const children = childrenBySegment(evidence)
  const isJavaScript = fromJavaScriptSdk(evidence)
  return eachOnce(evidence.segments.filter((segment) => !segment.copy && isPage(segment) && isJavaScript(segment))).map(
    (segment) => ({ segment, children: children.get(segmentKey(segment)) ?? [] }),
  )
})

/** Why a pageload or navigation ended: an attribute of SDK 8 and later. */
export const FINISH_REASON = 'sentry.idle_span_finish_reason'

/** Segment ids are unique only within their trace. */
export const segmentKey = ({ traceId, segmentId }: Pick<SeenSegment, 'traceId' | 'segmentId'>): string =>
  `${traceId} ${segmentId}`

/** Removes duplicates of submissions that were received twice; keeps the first. */
export function eachOnce(segments: readonly SeenSegment[]): readonly SeenSegment[] {
  const firsts = new Map<string, SeenSegment>()
  for (const segment of segments) {
    const key = segmentKey(segment)
    if (!firsts.has(key)) firsts.set(key, segment)
  }
  return [...firsts.values()]
}

/** Child spans by the key of their segment, without copies and duplicates. */
export const childrenBySegment = once((evidence): ReadonlyMap<string, readonly SeenSpan[]> => {
  const children = new Map<string, SeenSpan[]>()
  /** Segments with spans from several items, which may contain duplicates. */
  const often = new Set<string>()
  let last: { readonly traceId: string; readonly segmentId: string; readonly key: string } | null = null
  let lastSpans: SeenSpan[] = []
  const segments = segmentsByAncestors(evidence)
  for (const span of evidence.spans) {
    const { copy, isSegment, traceId } = span
    const segmentId = span.segmentId ?? segments.get(span) ?? null
    if (copy || isSegment || segmentId === null) continue
    // Nearly always a submission has one segment, so the previous one is tried first.
    if (last === null || last.segmentId !== segmentId || last.traceId !== traceId) {
      last = { traceId, segmentId, key: segmentKey({ traceId, segmentId }) }
      lastSpans = children.get(last.key) ?? []
      if (lastSpans.length === 0) children.set(last.key, lastSpans)
    }
    const first = lastSpans[0]
    if (first !== undefined && (first.seq !== span.seq || first.item !== span.item)) often.add(last.key)
    lastSpans.push(span)
  }
  for (const key of often) children.set(key, eachSpanOnce(children.get(key) ?? []))
  return children
})

/** Segments of OpenTelemetry spans that came in another request than an ancestor. */
function segmentsByAncestors({ spans }: Evidence): ReadonlyMap<SegmentSpan, string | null> {
  const ofOpenTelemetry = spans.filter(({ otel, copy }) => otel !== undefined && !copy)
  return ofOpenTelemetry.some(({ segmentId }) => segmentId === null) ? segmentIds(ofOpenTelemetry) : NO_SEGMENTS
}

const NO_SEGMENTS: ReadonlyMap<SegmentSpan, string | null> = new Map()

function eachSpanOnce(spans: readonly SeenSpan[]): SeenSpan[] {
  const met = new Set<string>()
  return spans.filter(({ spanId }) => {
    if (met.has(spanId)) return false
    met.add(spanId)
    return true
  })
}

export const isPage = ({ service, op }: SeenSegment): boolean =>
  service === 'browser' && (op === 'pageload' || op === 'navigation')

/** The path to each fact in a segment of each lifecycle. */
const PATHS = {
  static: { end: 'timestamp', environment: 'environment', release: 'release' },
  stream: {
    end: 'end_timestamp',
    environment: 'attributes.sentry.environment',
    release: 'attributes.sentry.release',
  },
  otlp: {
    end: 'endTimeUnixNano',
    environment: 'resource.attributes.deployment.environment.name',
    release: 'resource.attributes.service.version',
  },
} as const

export const pathIn = ({ lifecycle }: Pick<SeenSegment, 'lifecycle'>, fact: keyof (typeof PATHS)['static']): string =>
  PATHS[lifecycle][fact]

/** Spans by trace, without copies, in order of arrival. */
export const spansByTrace = once((evidence): readonly (readonly SeenSpan[])[] => {
  const traces = new Map<string, SeenSpan[]>()
  let lastTrace = ''
  let lastSpans: SeenSpan[] = []
  for (const span of evidence.spans) {
    if (span.copy) continue
    // Nearly always a submission has one trace, so the previous one is tried first.
    if (span.traceId !== lastTrace) {
      lastTrace = span.traceId
      lastSpans = traces.get(lastTrace) ?? []
      if (lastSpans.length === 0) traces.set(lastTrace, lastSpans)
    }
    lastSpans.push(span)
  }
  return [...traces.values()]
})

/** SDKs send ended spans every 5 s; a busy page or a slow network adds to that. */
const LATE_MS = 15_000

interface Stretch {
  readonly traceId: string
  /** When its first span began and its last was received, in ms since the epoch. */
  from: number
  until: number
}

/**
 * Streamed traces that may have spans in the missing ranges: those that were running at that time. A static transaction
 * arrives whole, so a trace without streamed spans is never incomplete.
 */
export function incompleteTraces({
  evidence,
  missing: unseen = [],
}: Pick<Case, 'evidence' | 'missing'>): ReadonlySet<string> {
  if (unseen.length === 0) return NONE
  const cut = new Set<string>()
  for (const { traceId, from, until } of streamedTraces(evidence))
    if (unseen.some((gap) => from <= gap.until && until + LATE_MS >= gap.from)) cut.add(traceId)
  return cut
}

const NONE: ReadonlySet<string> = new Set()

/** Items whose trace may continue in others. */
const STREAMED: ReadonlySet<string> = new Set(['span', 'otlp_traces'])

function streamedTraces({ items, spans }: Evidence): Iterable<Stretch> {
  const containers = new Set(items.filter(({ type }) => STREAMED.has(type)).map(({ seq, item }) => `${seq} ${item}`))
  const traces = new Map<string, Stretch>()
  for (const { traceId, seq, item, copy, startUs, receivedAt } of spans) {
    if (copy || isUndated({ startUs }) || !containers.has(`${seq} ${item}`)) continue
    const from = startUs / 1000
    const known = traces.get(traceId)
    if (known === undefined) traces.set(traceId, { traceId, from, until: receivedAt })
    else {
      known.from = Math.min(known.from, from)
      known.until = Math.max(known.until, receivedAt)
    }
  }
  return traces.values()
}

export const orSkipped = (nothing: string, leftOut: number): string =>
  leftOut === 0
    ? nothing
    : `${leftOut === 1 ? 'One was' : `${leftOut} were`} skipped, because parts of the trace may be missing in this record.`
