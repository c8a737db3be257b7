import { namesOf } from '../../otlp/registered-attributes'
import { isUndated } from '../../protocol/trace/span-tree'
import type { SeenEvent, SeenItem, SeenSegment, SeenSpan } from '../evidence/evidence'
import { durationText } from '../text'
import type { FoundAt } from '../verdict'

type Attributes = SeenSpan['attributes']
type Named = Pick<SeenSpan | SeenSegment, 'op' | 'name' | 'attributes'>

const METHODS = namesOf('http.request.method')
const ADDRESSES = namesOf('url.full')
const PATHS = ['http.target', 'url.path'] as const

interface RequestLabel {
  /** `GET /api/cart` */
  readonly short: string
  /** `GET /api/cart?page=2`; equal to `short` without a query. */
  readonly long: string
}

/**
 * Method and path of a span's request; `null` if it has none. SDKs name such spans by host alone or by the whole address,
 * and a test cannot know either.
 */
export function requestOf({ attributes }: { readonly attributes: Attributes }): RequestLabel | null {
  const method = methodIn(attributes)
  const address = addressIn(attributes) ?? pathIn(attributes)
  if (method === null || address === null || !URL.canParse(address, 'http://localhost')) return null
  const { pathname, search } = new URL(address, 'http://localhost')
  return { short: `${method} ${pathname}`, long: `${method} ${pathname}${search}` }
}

/** The method of a request by its attributes; `null` without one. */
export const methodIn = (attributes: Attributes): string | null => firstText(attributes, METHODS)

/** The whole address of a request by its attributes, which may be relative in telemetry of SDK 7. */
export const addressIn = (attributes: Attributes): string | null => firstText(attributes, ADDRESSES)

export const pathIn = (attributes: Attributes): string | null => firstText(attributes, PATHS)

function firstText(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** The span's name; method and path for a request that is named by host alone, as in the streamed lifecycle. */
export function spanName(span: Named): string {
  if (span.op?.startsWith('http.client') !== true || span.name.includes('/')) return span.name
  return requestOf(span)?.short ?? span.name
}

/** Op and name: `pageload /checkout`. */
export function spanLabel(span: Named): string {
  const name = spanName(span)
  return span.op === null || span.op === name ? name : `${span.op} ${name}`
}

/** The duration of a span; of one that starts in 1970 this fact instead, because its times mean something else. */
export const spanDuration = ({ startUs, endUs }: Pick<SeenSpan, 'startUs' | 'endUs'>): string =>
  isUndated({ startUs }) ? 'starts in 1970' : durationText(endUs - startUs)

/** Made by an SDK, a framework or an instrumentation, and not by code of the application? */
export function isOfInstrumentation({ origin, otel }: Pick<SeenSpan, 'origin' | 'otel'>): boolean {
  if (otel !== undefined) return INSTRUMENTATION.test(otel.scope.name ?? '')
  return origin !== null && /^auto(?:\.|$)/.test(origin)
}

/** Names of the scopes of OpenTelemetry's instrumentations, and of Next. */
const INSTRUMENTATION = /instrumentation|^next\.js$|(?:^@|\b(?:io|go)\.)opentelemetry\b/i

export const atEvent = ({ seq, item, traceId, eventId }: SeenEvent): FoundAt => ({ seq, item, traceId, eventId })

/** The event id is set only for events: a transaction has no event page and is found by its trace. */
export const atItem = ({ seq, item, type, traceId, eventId }: SeenItem): FoundAt => ({
  seq,
  item,
  traceId,
  eventId: type === 'event' ? eventId : null,
})

export const atSegment = ({ seq, item, traceId, segmentId }: SeenSegment): FoundAt => ({
  seq,
  item,
  traceId,
  spanId: segmentId,
})

export const atSpan = ({ seq, item, traceId, spanId }: SeenSpan): FoundAt => ({ seq, item, traceId, spanId })
