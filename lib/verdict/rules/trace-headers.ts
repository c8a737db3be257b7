import { groupBy } from '../../group-by'
import type { Evidence, SeenSegment, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { bareUrl, carriesTrace, urlOf } from './browser-requests'
import { addressIn, atSpan, methodIn, pathIn, spanLabel } from './describe'
import type { Rule } from './rule'

/** Allowed difference of the clocks of browser and server. */
const APART_US = 1_000_000
/** A longer call is compared as if it had ended then. */
const LONGEST_CALL_S = 60

/**
 * Checks each browser request that a server also recorded. If the headers arrived, the server's segment has the request
 * span as its parent. If not, the server began its own trace: a segment without a parent, with the same method and path,
 * during the request. Requests without any server segment are skipped: the server may not be instrumented or sampled.
 */
export const traceHeadersRule: Rule = {
  id: 'trace-headers',
  title: 'A request to the app’s own server continues its trace',
  why: 'Without trace headers the server starts a new trace, so the page it answered is unknown.',
  setting: 'trace-headers',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'warning',
  contractSeverity: 'error',
  fix: 'Remove tracePropagationTargets from the browser’s Sentry.init, or make it match localhost and paths such as /api. Make sure that no proxy or CORS rule removes sentry-trace and baggage.',
  judge: ({ evidence }) => {
    const answered = answeredRequests(evidence)
    const rootless = rootlessRequests(evidence)
    const origins = new Map(evidence.envelopes.map(({ seq, origin }) => [seq, origin]))
    const findings: Finding[] = []
    let judged = 0
    for (const call of evidence.spans) {
      if (call.copy || call.service !== 'browser' || call.op !== 'http.client') continue
      const url = targetOf(call, origins.get(call.seq) ?? null)
      if (url === null) continue
      if (answered.has(`${call.traceId} ${call.spanId}`)) {
        judged += 1
        continue
      }
      const own = takeRootless(rootless, call, url)
      if (own === null) continue
      judged += 1
      findings.push({
        about: `${call.op} ${methodOf(call)} ${bareUrl(url.href)}`,
        at: atSpan(call),
        path: '',
        actual: `the server’s segment, ${spanLabel(own)}, started trace ${own.traceId}`,
        expected: `trace ${call.traceId}, continued with sentry-trace and baggage`,
      })
    }
    return verdictOf(judged, findings, 'No browser request was recorded by both browser and server.')
  },
}

/** The address of a request that must carry the headers; `null` for others. */
function targetOf(call: SeenSpan, origin: string | null): URL | null {
  const { attributes } = call
  const text = addressIn(attributes)
  const url = text === null ? null : urlOf(text, origin ?? undefined)
  return url !== null && carriesTrace(url, origin) ? url : null
}

const answeredRequests = ({ segments }: Evidence): ReadonlySet<string> =>
  new Set(
    segments
      .filter(({ service, parentSpanId }) => service !== 'browser' && parentSpanId !== null)
      .map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`),
  )

/** Server segments without a parent, by method, path and start second. */
type Rootless = Map<string, SeenSegment[]>

const rootlessRequests = ({ segments }: Evidence): Rootless =>
  groupBy(segments, (segment) => {
    if (segment.copy || segment.service === 'browser' || segment.op !== 'http.server') return null
    const path = segment.parentSpanId === null ? pathOf(segment) : null
    return path === null ? null : keyOf(methodOf(segment), path, secondOf(segment.startUs))
  })

/** Removes the segment that answered the call, because it answers only one. */
function takeRootless(rootless: Rootless, call: SeenSpan, url: URL): SeenSegment | null {
  const isRsc = url.searchParams.has('_rsc')
  const from = secondOf(call.startUs - APART_US)
  const until = Math.min(secondOf(call.endUs + APART_US), from + LONGEST_CALL_S)
  for (let second = from; second <= until; second += 1) {
    const began = rootless.get(keyOf(methodOf(call), url.pathname, second)) ?? []
    const index = began.findIndex((segment) => isAnswer(segment, call, isRsc))
    if (index >= 0) return began.splice(index, 1)[0] ?? null
  }
  return null
}

/**
 * Next.js answers the document and the router's request at the same path, which `next.rsc` distinguishes. The stamp comes
 * by cookie, independent of trace headers, so a segment with another stamp answered another client.
 */
function isAnswer(segment: SeenSegment, call: SeenSpan, isRsc: boolean): boolean {
  if (segment.startUs < call.startUs - APART_US || segment.startUs > call.endUs + APART_US) return false
  if (segment.stamp !== call.stamp) return false
  const answersRsc = segment.attributes['next.rsc']
  return typeof answersRsc !== 'boolean' || answersRsc === isRsc
}

const secondOf = (us: number): number => Math.floor(us / 1_000_000)
const keyOf = (method: string, path: string, second: number): string => `${method} ${path} ${second}`

const methodOf = ({ name, attributes }: SeenSegment | SeenSpan): string =>
  methodIn(attributes) ?? name.split(' ')[0] ?? ''

/** The request path from attributes, or from the name: SDK 7 sends no such attributes. */
function pathOf({ name, attributes }: SeenSegment): string | null {
  const text = addressIn(attributes) ?? pathIn(attributes) ?? name.replace(/^\S+ /, '')
  return urlOf(text, 'http://localhost')?.pathname ?? null
}
