import type { Evidence, SeenSegment, SeenSpan } from '../evidence/evidence'
import { javaScriptSender } from './coverage'
import type { Case } from './rule'

/** A pageload or navigation of a browser, with the spans of it that have come so far. */
export interface PageSegment {
  readonly segment: SeenSegment
  readonly children: readonly SeenSpan[]
}

/** Web vitals come when they are known, which may be long after their page load has ended and was sent. */
export const isWebVital = ({ op }: { readonly op: string | null }): boolean =>
  op !== null && /^ui\.(?:webvital|interaction)(?:\.|$)/.test(op)

/** Is it read from the browser's list of what it has loaded and painted, when the pageload or navigation ends? */
export const isListed = ({ op }: SeenSpan): boolean =>
  op !== null && /^(?:browser|resource|paint|mark|measure)(?:\.|$)/.test(op)

/** Is it a span that was started and ended while it went on? The SDK holds no others open: a long task is told when it is over. */
export const isHeldOpen = (span: SeenSpan): boolean =>
  !isListed(span) && !isWebVital(span) && !/^ui\.long[-_]/.test(span.op ?? '')

/**
 * From when on idle time counts, in µs: a page load waits for its document first. What the browser tells of that are
 * spans `browser.*`; SDK 7 calls all of them `browser`.
 * @returns `null` where a page load does not tell it.
 */
export function readyAt({ segment, children }: PageSegment): number | null {
  if (segment.op === 'navigation') return segment.startUs
  let ready: number | null = null
  for (const { op, endUs } of children)
    if (op !== null && /^browser(?:\.|$)/.test(op)) ready = Math.max(ready ?? endUs, endUs)
  return ready
}

/** Several rules ask the same of the same evidence, which never changes. */
const PAGES = new WeakMap<Evidence, readonly PageSegment[]>()

/** Pageloads and navigations that SDKs of browsers sent on the path. */
export function pageSegments(evidence: Evidence): readonly PageSegment[] {
  const known = PAGES.get(evidence)
  if (known !== undefined) return known
  const pages = readPageSegments(evidence)
  PAGES.set(evidence, pages)
  return pages
}

function readPageSegments(evidence: Evidence): readonly PageSegment[] {
  const children = childrenBySegment(evidence)
  const isJavaScript = javaScriptSender(evidence)
  return eachOnce(evidence.segments.filter((segment) => !segment.copy && isPage(segment) && isJavaScript(segment))).map(
    (segment) => ({ segment, children: children.get(segmentKey(segment)) ?? [] }),
  )
}

/** Ids are of their trace. */
export const segmentKey = ({ traceId, segmentId }: Pick<SeenSegment, 'traceId' | 'segmentId'>): string =>
  `${traceId} ${segmentId}`

/** A submission that came twice tells of the same segments, which are no more for that: the first of each. */
export function eachOnce(segments: readonly SeenSegment[]): readonly SeenSegment[] {
  const firsts = new Map<string, SeenSegment>()
  for (const segment of segments) {
    const key = segmentKey(segment)
    if (!firsts.has(key)) firsts.set(key, segment)
  }
  return [...firsts.values()]
}

const CHILDREN = new WeakMap<Evidence, ReadonlyMap<string, readonly SeenSpan[]>>()

/** Spans that came on the path and are no segments, by the key of their segment; what several items tell of counts once. */
export function childrenBySegment(evidence: Evidence): ReadonlyMap<string, readonly SeenSpan[]> {
  const known = CHILDREN.get(evidence)
  if (known !== undefined) return known
  const children = new Map<string, SeenSpan[]>()
  /** Where several submissions tell of them: they may tell of the same. */
  const often = new Set<string>()
  let last: { readonly traceId: string; readonly segmentId: string; readonly key: string } | null = null
  let lastSpans: SeenSpan[] = []
  for (const span of evidence.spans) {
    const { copy, isSegment, traceId, segmentId } = span
    if (copy || isSegment || segmentId === null) continue
    // One submission tells of one segment, nearly always.
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
  CHILDREN.set(evidence, children)
  return children
}

/** The first of each. */
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

/** How a payload of this lifecycle calls the time at which a segment ended. */
export const endPath = ({ lifecycle }: SeenSegment): string => (lifecycle === 'static' ? 'timestamp' : 'end_timestamp')

/** Several rules ask the same of the same evidence, which never changes. */
const TRACES = new WeakMap<Evidence, readonly (readonly SeenSpan[])[]>()

/**
 * Spans that came on the path, those of one trace together, in the order in which they came. Ids are of their trace, so a
 * rule looks them up among a few dozen, and not among all that was recorded.
 */
export function spansByTrace(evidence: Evidence): readonly (readonly SeenSpan[])[] {
  const known = TRACES.get(evidence)
  if (known !== undefined) return known
  const traces = new Map<string, SeenSpan[]>()
  let lastTrace = ''
  let lastSpans: SeenSpan[] = []
  for (const span of evidence.spans) {
    if (span.copy) continue
    // A submission tells of one trace, nearly always.
    if (span.traceId !== lastTrace) {
      lastTrace = span.traceId
      lastSpans = traces.get(lastTrace) ?? []
      if (lastSpans.length === 0) traces.set(lastTrace, lastSpans)
    }
    lastSpans.push(span)
  }
  const told = [...traces.values()]
  TRACES.set(evidence, told)
  return told
}

/** An SDK sends what has ended every 5 s; a busy page is late, and so is a network. */
const LATE_MS = 15_000

interface Stretch {
  readonly traceId: string
  /** When its first span began and its last was received: ms since the epoch. */
  from: number
  until: number
}

/**
 * Of which streamed traces may a part be among what is not in the evidence? Of those that had begun when that came, and
 * were not over. A transaction of the static lifecycle comes whole, so a trace of such alone is never cut.
 */
export function cutTraces({ evidence, unseen = [] }: Pick<Case, 'evidence' | 'unseen'>): ReadonlySet<string> {
  if (unseen.length === 0) return NONE
  const cut = new Set<string>()
  for (const { traceId, from, until } of streamedTraces(evidence))
    if (unseen.some((gap) => from <= gap.until && until + LATE_MS >= gap.from)) cut.add(traceId)
  return cut
}

const NONE: ReadonlySet<string> = new Set()

function streamedTraces({ items, spans }: Evidence): Iterable<Stretch> {
  const containers = new Set(items.filter(({ type }) => type === 'span').map(({ seq, item }) => `${seq} ${item}`))
  const traces = new Map<string, Stretch>()
  for (const { traceId, seq, item, copy, startUs, receivedAt } of spans) {
    if (copy || !containers.has(`${seq} ${item}`)) continue
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

/** Why none is judged, where some were left out. */
export const orCut = (nothing: string, leftOut: number): string =>
  leftOut === 0
    ? nothing
    : `${leftOut === 1 ? 'One was' : `${leftOut} were`} left alone: a part of the trace may be among what is not judged here.`
