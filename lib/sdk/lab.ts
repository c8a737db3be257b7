import * as Sentry from '@sentry/nextjs'
import { LAB_TAG } from '../contract/values'
import { isLab } from './paths'

const IN_JSON = `"${LAB_TAG}":`

/**
 * One tagged item is enough: an envelope mixes the spans of a trace and the logs of some seconds, and lab telemetry
 * must not leave with the rest.
 */
export function isLabEnvelope(body: string | Uint8Array): boolean {
  return typeof body === 'string' ? body.includes(IN_JSON) : Buffer.from(body).includes(IN_JSON)
}

/** Tags the telemetry of server code under the lab: its segments with all of their spans, and the events in them. */
export function tagLab(): void {
  Sentry.getClient()?.on('spanStart', (span) => {
    const root = Sentry.spanToJSON(Sentry.getRootSpan(span)).attributes
    // Segments of the edge runtime have a route but no address.
    const target = root['http.target'] ?? root['url.path'] ?? root['next.route'] ?? ''
    if (root[LAB_TAG] !== true && !isLab(String(target))) return
    span.setAttribute(LAB_TAG, true)
    Sentry.getIsolationScope().setTag(LAB_TAG, 'yes').setAttribute(LAB_TAG, true)
  })
  Sentry.addEventProcessor((event) => {
    const path = event.contexts?.nextjs?.request_path ?? event.contexts?.trace?.data?.['http.target']
    return typeof path === 'string' && isLab(path) ? { ...event, tags: { ...event.tags, [LAB_TAG]: 'yes' } } : event
  })
}
