import type { Evidence, SeenSegment, SeenSpan } from '../../evidence/evidence'
import type { FoundAt } from '../verdict'
import { javaScriptSender } from './javascript-sdk'

/** A pageload or navigation of a browser, with the spans of it that have come so far. */
export interface PageSegment {
  readonly segment: SeenSegment
  readonly children: readonly SeenSpan[]
}

/** Web vitals come when they are known, which may be long after their page load has ended and was sent. */
export const isWebVital = ({ op }: { readonly op: string | null }): boolean =>
  op !== null && /^ui\.(?:webvital|interaction)(?:\.|$)/.test(op)

/**
 * Is it a span that was started and ended while it went on? The others are read from the browser's list of what it has
 * loaded and painted, when the pageload or navigation ends: the SDK never holds them open.
 */
export const isHeldOpen = ({ op }: SeenSpan): boolean =>
  op === null ||
  !/^(?:(?:browser|resource|paint|mark|measure|ui\.webvital|ui\.interaction)(?:\.|$)|ui\.long[-_])/.test(op)

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

/** Spans that came on the path and are no segments, each once, by the key of their segment. */
export function childrenBySegment(evidence: Evidence): ReadonlyMap<string, readonly SeenSpan[]> {
  const children = new Map<string, Map<string, SeenSpan>>()
  for (const span of evidence.spans) {
    const { copy, isSegment, traceId, segmentId, spanId } = span
    if (copy || isSegment || segmentId === null) continue
    const key = segmentKey({ traceId, segmentId })
    const known = children.get(key)
    if (known === undefined) children.set(key, new Map([[spanId, span]]))
    else if (!known.has(spanId)) known.set(spanId, span)
  }
  return new Map([...children].map(([key, spans]) => [key, [...spans.values()]]))
}

export const isPage = ({ service, op }: SeenSegment): boolean =>
  service === 'browser' && (op === 'pageload' || op === 'navigation')

/** For a person: `pageload /checkout`. */
export const called = ({ op, name }: { readonly op: string | null; readonly name: string }): string =>
  op === null ? name : `${op} ${name}`

export const atSegment = ({ seq, item, traceId, segmentId }: SeenSegment): FoundAt => ({
  seq,
  item,
  traceId,
  spanId: segmentId,
})

export const atSpan = ({ seq, item, traceId, spanId }: SeenSpan): FoundAt => ({ seq, item, traceId, spanId })

/** How a payload of this lifecycle calls the time at which a segment ended. */
export const endPath = ({ lifecycle }: SeenSegment): string => (lifecycle === 'static' ? 'timestamp' : 'end_timestamp')
