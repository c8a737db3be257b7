import type { SegmentSpan } from '../trace/segment'

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
export function requestOf({ attributes }: Pick<SegmentSpan, 'attributes'>): RequestWords | null {
  const method = firstText(attributes, METHODS)
  const address = firstText(attributes, ADDRESSES)
  if (method === null || address === null || !URL.canParse(address, 'http://localhost')) return null
  const { pathname, search } = new URL(address, 'http://localhost')
  return { short: `${method} ${pathname}`, long: `${method} ${pathname}${search}` }
}

function firstText(attributes: SegmentSpan['attributes'], names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}
