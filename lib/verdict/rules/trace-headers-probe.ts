import type { Evidence } from '../evidence/evidence'
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
 * So is an origin whose server continued a trace of the page: it is a server of the app, such as an API of its own.
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
  judge: ({ requests, collectorUrl, evidence }) => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    const findings: Finding[] = []
    let judged = 0
    const servers = ownServers(appRequests(requests), evidence)
    for (const request of appRequests(requests)) {
      const url = urlOf(request.url)
      if (url === null || isCollector(url, collectorUrl)) continue
      const isOwn = isOwnOrigin(request)
      if (isOwn && isWaystationPath(url.pathname)) continue
      const header = carried(request)
      if (isOwn && header === null) continue
      judged += 1
      if (header === null || isOwn || servers.has(url.origin) || carriesTrace(url, null)) continue
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

/** Origins whose server recorded the request: its segment has the span of `sentry-trace` as parent. */
function ownServers(requests: readonly SeenRequest[], { segments }: Evidence): ReadonlySet<string> {
  const answered = new Set(
    segments
      .filter(({ copy, service }) => !copy && service !== 'browser')
      .map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`),
  )
  return new Set(
    requests.flatMap(({ url, headers }) => {
      const [, traceId, spanId] = /^\s*([0-9a-f]{32})-([0-9a-f]{16})/.exec(headers['sentry-trace'] ?? '') ?? []
      const origin = answered.has(`${traceId} ${spanId}`) ? urlOf(url)?.origin : undefined
      return origin === undefined ? [] : [origin]
    }),
  )
}

function carried({ headers }: SeenRequest): string | null {
  const found = HEADERS.find((name) => headers[name] !== undefined)
  if (found !== undefined) return found
  return headers.baggage?.includes('sentry-') === true ? 'baggage' : null
}
