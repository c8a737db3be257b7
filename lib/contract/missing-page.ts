import { NOT_FOUND_NAME } from './values'

/** Marks the segment of a missing page in the browser, which cannot see the status code of its own page. */
export const NOT_FOUND_ATTRIBUTE = 'waystation.not_found'

export type Attributes = Readonly<Record<string, unknown>>

/** The parts of a transaction or streamed segment that `isMissingPage` reads. */
export interface OutgoingSegment {
  readonly name: string
  readonly attributes: Attributes
  readonly children: readonly Attributes[]
}

/** Returns true for the segment of a page that answered 404. */
export function isMissingPage({ name, attributes, children }: OutgoingSegment): boolean {
  if (attributes[NOT_FOUND_ATTRIBUTE] === true) return true
  if (NOT_FOUND_NAME.test(name)) return true
  if (NOT_FOUND_NAME.test(text(attributes['http.route'])) || NOT_FOUND_NAME.test(text(attributes['next.route'])))
    return true
  // A route handler may answer 404 on purpose. A page is missing only when Next rendered one.
  if (isNotFound(attributes)) return children.some((child) => text(child['next.span_type']).startsWith('AppRender.'))
  return attributes['sentry.op'] === 'navigation' && children.some((child) => isPageRequest(child, attributes))
}

/** When the page request of a navigation answers 404, Next loads a new document, so nothing marks the navigation. */
function isPageRequest(child: Attributes, navigation: Attributes): boolean {
  return (
    isNotFound(child) && bare(navigation['url.full']) !== '' && bare(child['url.full']) === bare(navigation['url.full'])
  )
}

const isNotFound = (attributes: Attributes): boolean => Number(attributes['http.response.status_code']) === 404
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const bare = (url: unknown): string => text(url).replace(/[?#].*$/, '')
