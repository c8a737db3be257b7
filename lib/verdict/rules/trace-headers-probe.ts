import { type Finding, verdictOf } from '../verdict'
import {
  appRequests,
  bareUrl,
  carriesTrace,
  isCollector,
  isOwnOrigin,
  isWaystationPath,
  NOT_WATCHED_REASON,
  urlOf,
} from './browser-requests'
import type { Rule, SeenRequest } from './rule'

const HEADERS = ['sentry-trace', 'traceparent'] as const

/**
 * Checks that browser requests to other origins have no trace headers. Requests to the own origin may lack them: pages
 * send some before the SDK starts, and boards are not traced. Tunnel, collector and frames of other origins are exempt.
 */
export const traceHeadersProbeRule: Rule = {
  id: 'trace-headers-probe',
  title: 'Other origins receive no trace headers',
  why: 'CORS may reject the request because of unknown headers, and trace data goes to third parties.',
  setting: 'trace-headers',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Remove tracePropagationTargets from the browser’s Sentry.init, or start each pattern with ^: a text matches anywhere in an address.',
  judge: ({ requests, collectorUrl }) => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    const findings: Finding[] = []
    let judged = 0
    for (const request of appRequests(requests)) {
      const url = urlOf(request.url)
      if (url === null || isCollector(url, collectorUrl)) continue
      const isOwn = isOwnOrigin(request)
      if (isOwn && isWaystationPath(url.pathname)) continue
      const header = carried(request)
      if (isOwn && header === null) continue
      judged += 1
      if (header === null || isOwn || carriesTrace(url, null)) continue
      findings.push({
        about: `${request.method} ${bareUrl(request.url)}`,
        at: null,
        path: `headers.${header}`,
        actual: `sent from ${bareUrl(request.pageUrl)}`,
        expected: 'no trace headers to another origin',
      })
    }
    return verdictOf(judged, findings, 'The browser sent no request to another origin and no trace headers.')
  },
}

function carried({ headers }: SeenRequest): string | null {
  const found = HEADERS.find((name) => headers[name] !== undefined)
  if (found !== undefined) return found
  return headers.baggage?.includes('sentry-') === true ? 'baggage' : null
}
