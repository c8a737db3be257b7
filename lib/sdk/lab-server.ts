import * as Sentry from '@sentry/nextjs'
import { LAB_TAG } from './lab'
import { isLab } from './page'

/** Tags what server code under the lab causes: its segments with all of their spans, and the events in them. */
export function tagLab(): void {
  Sentry.getClient()?.on('spanStart', (span) => {
    const root = Sentry.spanToJSON(Sentry.getRootSpan(span)).attributes
    // The edge runtime's segments know their route and not the address.
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
