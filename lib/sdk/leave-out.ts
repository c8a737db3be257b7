import type { OutgoingSegment } from '../contract/missing-page'

export {
  type Attributes,
  isMissingPage,
  NOT_FOUND_ATTRIBUTE,
  type OutgoingSegment,
} from '../contract/missing-page'

/** Is this segment to stay here? */
export type LeavesOut = (segment: OutgoingSegment) => boolean

/**
 * Next runs the proxy in a request span of its own, which ends before the page's status is known: it could not be told
 * from a missing page's. The proxy is a endpoint of the line, not the app.
 */
export const isProxy: LeavesOut = ({ attributes }) => text(attributes['http.route']).startsWith('middleware ')

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
