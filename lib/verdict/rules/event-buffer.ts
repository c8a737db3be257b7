import { EVENT_BUFFER_ITEMS } from '../../contract/values'
import { groupBy } from '../../group-by'
import { PAGE_HEADER } from '../../protocol/request'
import type { Evidence } from '../evidence/evidence'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import {
  appRequests,
  bareUrl,
  browserTestsOnly,
  isIngest,
  isTunnelled,
  maxConcurrent,
  NOTHING_SENT,
} from './browser-requests'
import type { Rule, SeenRequest } from './rule'

/**
 * Checks the number of sends that each page load had open at the same time. The buffer limits open sends; it is not a
 * queue. The collector only knows when a body was complete, so the rule needs observed browser requests.
 *
 * Sends without a known page load count as one client. If together they stay below the limit, each client did; if not,
 * the verdict is incomplete. The SDK drops sends above the limit as `queue_overflow`: that is mentioned, but is no finding.
 */
export const eventBufferRule: Rule = {
  id: 'event-buffer',
  title: 'A client has at most 30 sends open at once',
  why: 'Otherwise a failing page uses all connections of the browser for its telemetry.',
  setting: 'event-buffer',
  judgedFrom: ['transport', 'probe'],
  sentBy: 'pages',
  severity: 'off',
  contractSeverity: 'error',
  fix: `Set transportOptions: { bufferSize: ${EVENT_BUFFER_ITEMS} } in Sentry.init: the default of SDK 11 is 40 in browsers and 64 elsewhere.`,
  judge: ({ requests, evidence }): Verdict => {
    if (requests === null)
      return {
        verdict: 'incomplete',
        why: `${browserTestsOnly('The start of a send')}${overflowed(evidence)}`,
      }
    const clients = groupBy(
      appRequests(requests).filter((request) => isTunnelled(request) || isIngest(request)),
      ({ headers, document }) => headers[PAGE_HEADER] ?? document ?? '',
    )
    const findings: Finding[] = []
    let judged = 0
    let unnamed = 0
    for (const [client, sends] of clients) {
      const { most, at } = maxConcurrent(sends)
      if (most > EVENT_BUFFER_ITEMS && client === '') {
        unnamed = most
        continue
      }
      judged += sends.length
      if (most > EVENT_BUFFER_ITEMS && at !== null) findings.push(findingOf(at, most))
    }
    if (unnamed > 0 && findings.length === 0)
      return {
        verdict: 'incomplete',
        why: `${unnamed} sends without the header ${PAGE_HEADER} were open at once, so their page loads are unknown.${overflowed(evidence)}`,
      }
    return verdictOf(judged, findings, `${NOTHING_SENT}${overflowed(evidence)}`)
  },
}

const findingOf = ({ method, url, pageUrl }: SeenRequest, most: number): Finding => ({
  about: `${method} ${bareUrl(url)}`,
  at: null,
  path: '',
  actual: `${most} sends of ${bareUrl(pageUrl)} open at once`,
  expected: `at most ${EVENT_BUFFER_ITEMS}`,
})

function overflowed({ signals }: Evidence): string {
  let dropped = 0
  for (const { kind, copy, fields } of signals)
    if (kind === 'client_report' && !copy && fields.reason === 'queue_overflow') dropped += Number(fields.quantity ?? 0)
  return dropped === 0 ? '' : ` SDKs reported ${dropped} items dropped as queue_overflow.`
}
