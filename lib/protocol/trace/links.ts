import { hex16, hex32 } from '../ids'
import { isObject, type JsonObject, text } from '../items/json'
import { valuesOf } from '../items/span'
import type { SpanLink } from './segment'

/** Links of either lifecycle: attributes are plain values in one and typed values in the other. */
export function linksOf(links: readonly JsonObject[]): readonly SpanLink[] {
  return links.flatMap((link) => {
    const traceId = hex32(link.trace_id)
    const spanId = hex16(link.span_id)
    if (traceId === null || spanId === null) return []
    const attributes = isObject(link.attributes) ? valuesOf(link.attributes) : {}
    return [{ traceId, spanId, type: text(attributes['sentry.link.type']) }]
  })
}
