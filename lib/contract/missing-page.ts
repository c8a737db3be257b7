import { NOT_FOUND_NAME } from './values'

/** Set on the segment of a page that turned out to be missing: the browser cannot see its own status code. */
export const NOT_FOUND_ATTRIBUTE = 'waystation.not_found'

export type Attributes = Readonly<Record<string, unknown>>

/** A transaction or a streamed segment, reduced to what is judged. */
export interface OutgoingSegment {
  readonly name: string
  readonly attributes: Attributes
  readonly children: readonly Attributes[]
}

/** Pages that answered 404, and what stands for them. */
export function isMissingPage({ name, attributes, children }: OutgoingSegment): boolean {
  if (attributes[NOT_FOUND_ATTRIBUTE] === true) return true
  if (NOT_FOUND_NAME.test(name)) return true
  if (NOT_FOUND_NAME.test(text(attributes['http.route'])) || NOT_FOUND_NAME.test(text(attributes['next.route'])))
    return true
  // A route handler that answers 404 gives an answer; only where Next rendered a page is a page missing.
  if (isNotFound(attributes)) return children.some((child) => text(child['next.span_type']).startsWith('AppRender.'))
  return attributes['sentry.op'] === 'navigation' && children.some((child) => isPageRequest(child, attributes))
}

/** Next asks for the page of a navigation, is told 404, and loads a new document: nothing ever marks the old one's navigation. */
function isPageRequest(child: Attributes, navigation: Attributes): boolean {
  return (
    isNotFound(child) && bare(navigation['url.full']) !== '' && bare(child['url.full']) === bare(navigation['url.full'])
  )
}

const isNotFound = (attributes: Attributes): boolean => Number(attributes['http.response.status_code']) === 404
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const bare = (url: unknown): string => text(url).replace(/[?#].*$/, '')
