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
  return evidence.segments
    .filter((segment) => !segment.copy && isPage(segment) && isJavaScript(segment))
    .map((segment) => ({ segment, children: children.get(segment.segmentId) ?? [] }))
}

/** Spans that came on the path and are no segments, by the id of their segment. */
export function childrenBySegment(evidence: Evidence): ReadonlyMap<string, readonly SeenSpan[]> {
  const children = new Map<string, SeenSpan[]>()
  for (const span of evidence.spans) {
    if (span.copy || span.isSegment || span.segmentId === null) continue
    const known = children.get(span.segmentId)
    if (known === undefined) children.set(span.segmentId, [span])
    else known.push(span)
  }
  return children
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
