import { type Finding, verdictOf } from '../verdict'
import {
  bareUrl,
  carriesTrace,
  isCollector,
  isLinePath,
  isOwnOrigin,
  ofTheApp,
  UNWATCHED,
  urlOf,
} from './browser-requests'
import type { Rule, SeenRequest } from './rule'

const HEADERS = ['sentry-trace', 'traceparent'] as const

/**
 * Judged from the browser's own requests: of those that carry trace headers where they go, and of those to other origins
 * that they carry none. That each request of the own origin carries them cannot be asked for, for pages ask before the SDK
 * has started, and boards are not traced. Tunnel and collector are exempt, and so is what a frame of another origin asks.
 */
export const traceHeadersProbeRule: Rule = {
  id: 'trace-headers-probe',
  title: 'No other origin gets trace headers',
  why: 'A server that does not know them refuses the request for them, and one that does is told what it need not know.',
  setting: 'trace-headers',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Leave tracePropagationTargets out of the browser’s Sentry.init, or begin each pattern of it with ^: a text matches anywhere in an address.',
  judge: ({ requests, collectorUrl }) => {
    if (requests === null) return { verdict: 'incomplete', why: UNWATCHED }
    const findings: Finding[] = []
    let judged = 0
    for (const request of ofTheApp(requests)) {
      const url = urlOf(request.url)
      if (url === null || isCollector(url, collectorUrl)) continue
      const isOwn = isOwnOrigin(request)
      if (isOwn && isLinePath(url.pathname)) continue
      const header = carried(request)
      if (isOwn && header === null) continue
      judged += 1
      if (header === null || isOwn || carriesTrace(url, null)) continue
      findings.push({
        about: `${request.method} ${bareUrl(request.url)}`,
        at: null,
        path: `headers.${header}`,
        actual: `it was sent from ${bareUrl(request.pageUrl)}`,
        expected: 'none to another origin',
      })
    }
    return verdictOf(judged, findings, 'The browser asked no other origin, and no request carried trace headers.')
  },
}

function carried({ headers }: SeenRequest): string | null {
  const found = HEADERS.find((name) => headers[name] !== undefined)
  if (found !== undefined) return found
  return headers.baggage?.includes('sentry-') === true ? 'baggage' : null
}
