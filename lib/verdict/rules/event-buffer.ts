import { EVENT_BUFFER_ITEMS } from '../../contract/values'
import { PAGE_HEADER } from '../../protocol/request'
import type { Evidence } from '../evidence/evidence'
import { type Finding, type Verdict, verdictOf } from '../verdict'
import { bareUrl, isIngest, isTunnelled, judgedInTests, mostOpen, NOTHING_SENT, ofTheApp } from './browser-requests'
import type { Rule, SeenRequest } from './rule'

/**
 * The buffer is a limit of sends that are open at once, and not a queue. The record has when a body was there, not when
 * its send began, so nothing can be judged from it alone. Judged from the browser's own requests, where they were watched:
 * each page load's sends, by when they began and ended. Sends of which nobody says which page load made them are counted
 * as one client's: where all of them together keep to it, each does; where they do not, they cannot be judged, and nothing
 * passes beside them. What overflowed the SDK drops, and says so as `queue_overflow`: that is the setting at work, and is told, not held against it.
 */
export const eventBufferRule: Rule = {
  id: 'event-buffer',
  title: 'One client never has more than thirty sends open at once',
  why: 'A page in trouble would otherwise take all connections of the browser for telling of it.',
  setting: 'event-buffer',
  judgedFrom: ['transport', 'probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: `Set transportOptions: { bufferSize: ${EVENT_BUFFER_ITEMS} } in Sentry.init: SDK 11 has 40 in browsers and 64 elsewhere.`,
  judge: ({ requests, evidence }): Verdict => {
    if (requests === null)
      return {
        verdict: 'incomplete',
        why: `${judgedInTests('When a send began')}${overflowed(evidence)}`,
      }
    const clients = new Map<string, SeenRequest[]>()
    for (const request of ofTheApp(requests)) {
      if (!isTunnelled(request) && !isIngest(request)) continue
      const client = request.headers[PAGE_HEADER] ?? request.document ?? ''
      const known = clients.get(client)
      if (known === undefined) clients.set(client, [request])
      else known.push(request)
    }
    const findings: Finding[] = []
    let judged = 0
    let unnamed = 0
    for (const [client, sends] of clients) {
      const { most, at } = mostOpen(sends)
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
        why: `${unnamed} sends were open at once of which nobody says which page load made them, by the header ${PAGE_HEADER}.${overflowed(evidence)}`,
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

/** Told where there is no verdict: what the SDK dropped because its buffer was full. */
function overflowed({ signals }: Evidence): string {
  let dropped = 0
  for (const { kind, copy, fields } of signals)
    if (kind === 'client_report' && !copy && fields.reason === 'queue_overflow') dropped += Number(fields.quantity ?? 0)
  return dropped === 0 ? '' : ` SDKs report ${dropped} dropped as queue_overflow.`
}
