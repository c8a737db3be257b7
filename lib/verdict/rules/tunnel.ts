import { TUNNEL_PATH } from '../../contract/values'
import { type Finding, verdictOf } from '../verdict'
import {
  bareUrl,
  isCollector,
  isIngest,
  isOwnOrigin,
  isTunnelled,
  NOTHING_SENT,
  ofTheApp,
  UNWATCHED,
  urlOf,
} from './browser-requests'
import type { Rule } from './rule'

/**
 * Judged from the browser's own requests that send telemetry. What a page sends straight to the collector, by the local
 * DSN, is on this line too, and passes. What a frame of another origin sends, such as that of a payment, is its own.
 */
export const tunnelRule: Rule = {
  id: 'tunnel',
  title: 'Nothing goes straight to an ingest host',
  why: 'Ad blockers know ingest hosts, so what goes there is lost; and what passes by the line is not in the record.',
  setting: 'tunnel',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set tunnel: '${TUNNEL_PATH}' in Sentry.init of the browser, and serve it with waystation/tunnel.`,
  judge: ({ requests, collectorUrl }) => {
    if (requests === null) return { verdict: 'incomplete', why: UNWATCHED }
    const findings: Finding[] = []
    let judged = 0
    for (const request of ofTheApp(requests)) {
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
        actual: `telemetry that went straight to ${url.host}, from ${bareUrl(request.pageUrl)}`,
        expected: `by the page’s own origin: ${TUNNEL_PATH}`,
      })
    }
    return verdictOf(judged, findings, NOTHING_SENT)
  },
}
