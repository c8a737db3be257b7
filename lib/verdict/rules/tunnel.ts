import { TUNNEL_PATH } from '../../contract/values'
import { type Finding, verdictOf } from '../verdict'
import {
  appRequests,
  bareUrl,
  isCollector,
  isIngest,
  isOwnOrigin,
  isTunnelled,
  NOT_WATCHED_REASON,
  NOTHING_SENT,
  urlOf,
} from './browser-requests'
import type { Rule } from './rule'

/**
 * Checks the browser requests that send telemetry. Requests to the collector by the local DSN pass. Frames of other
 * origins, such as payment forms, are not checked.
 */
export const tunnelRule: Rule = {
  id: 'tunnel',
  title: 'Browsers do not send directly to an ingest host',
  why: 'Ad blockers block ingest hosts, so telemetry is lost; and Waystation does not record it.',
  setting: 'tunnel',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: `Set tunnel: '${TUNNEL_PATH}' in Sentry.init of the browser, and serve it with waystation/tunnel.`,
  judge: ({ requests, collectorUrl }) => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    const findings: Finding[] = []
    let judged = 0
    for (const request of appRequests(requests)) {
      const url = urlOf(request.url)
      if (url === null) continue
      const isByDsn = isIngest(request) && !isOwnOrigin(request)
      if (!isByDsn && !isTunnelled(request)) continue
      judged += 1
      if (!isByDsn || isCollector(url, collectorUrl)) continue
      findings.push({
        about: `${request.method} ${bareUrl(request.url)}`,
        at: null,
        path: '',
        actual: `telemetry sent directly to ${url.host} from ${bareUrl(request.pageUrl)}`,
        expected: `sent to ${TUNNEL_PATH} on the page’s origin`,
      })
    }
    return verdictOf(judged, findings, NOTHING_SENT)
  },
}
