import type { SeenEvent, SeenItem, SeenSegment, SeenSpan } from '../evidence/evidence'
import type { FoundAt } from '../verdict'

type Attributes = SeenSpan['attributes']
type Named = Pick<SeenSpan | SeenSegment, 'op' | 'name' | 'attributes'>

/** Attributes of either lifecycle, and of older SDKs. */
const METHODS = ['http.request.method', 'http.method'] as const
const ADDRESSES = ['url.full', 'http.url', 'url', 'url.path', 'http.target'] as const

/** What a span says of the request that it made or answered. */
export interface RequestWords {
  /** `GET /api/cart` */
  readonly short: string
  /** `GET /api/cart?page=2`; the same where there is no query. */
  readonly long: string
}

/**
 * Method and path of a request. Its name says less: SDKs name it by host alone, or by the whole address, and a test knows
 * neither. `null` of a span that is about none.
 */
export function requestOf({ attributes }: { readonly attributes: Attributes }): RequestWords | null {
  const method = firstText(attributes, METHODS)
  const address = firstText(attributes, ADDRESSES)
  if (method === null || address === null || !URL.canParse(address, 'http://localhost')) return null
  const { pathname, search } = new URL(address, 'http://localhost')
  return { short: `${method} ${pathname}`, long: `${method} ${pathname}${search}` }
}

function firstText(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** A span's name; of a request that its SDK names by host alone, as that of streamed spans does, method and path. */
export function nameOf(span: Named): string {
  if (span.op?.startsWith('http.client') !== true || span.name.includes('/')) return span.name
  return requestOf(span)?.short ?? span.name
}

/** Op and name, for a person: `pageload /checkout`. */
export function spanWords(span: Named): string {
  const name = nameOf(span)
  return span.op === null || span.op === name ? name : `${span.op} ${name}`
}

export const atEvent = ({ seq, item, traceId, eventId }: SeenEvent): FoundAt => ({ seq, item, traceId, eventId })

/** Of what is no error event the id names nothing that a board opens: a transaction is found by its trace. */
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

/** µs for a person: `850 ms`, `4.1 s`. */
export function toldDuration(us: number): string {
  const ms = us / 1000
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ms`
  return `${Math.round(ms / 100) / 10} s`
}
