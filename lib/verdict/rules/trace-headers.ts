import type { Evidence, SeenSegment, SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { bareUrl, carriesTrace, urlOf } from './browser-requests'
import { atSpan, spanWords } from './describe'
import type { Rule } from './rule'

/** Clocks of browser and server differ by some. */
const APART_US = 1_000_000
/** A call that is open for longer is looked at as if it had ended then. */
const LONGEST_CALL_S = 60

/**
 * Judged from each request of a browser that its server recorded too. Where the headers came through, the server's segment
 * has the request's span for its parent. Where they did not, the server began a trace of its own: a segment without a
 * parent, of the same method and path, while the request was open. A request of which no server recorded anything is not
 * judged: it may not be instrumented, not have sampled it, or not have sent it yet.
 */
export const traceHeadersRule: Rule = {
  id: 'trace-headers',
  title: 'A request to the app’s own server goes on in its trace',
  why: 'Without the headers the server begins a trace of its own, and nobody sees which page it answered.',
  setting: 'trace-headers',
  judgedFrom: ['telemetry'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Leave tracePropagationTargets out of the browser’s Sentry.init, or let it match localhost and paths such as /api; let no proxy or CORS rule take sentry-trace and baggage out.',
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
        actual: `its server’s segment, ${spanWords(own)}, began trace ${own.traceId}`,
        expected: `trace ${call.traceId}: the request carries sentry-trace and baggage`,
      })
    }
    return verdictOf(judged, findings, 'No request of a browser was recorded that its server recorded, too.')
  },
}

/** The request's address, where it has to carry the headers. */
function targetOf(call: SeenSpan, origin: string | null): URL | null {
  const { attributes } = call
  const text = textOf(attributes['url.full']) || textOf(attributes['http.url']) || textOf(attributes.url)
  const url = text === '' ? null : urlOf(text, origin ?? undefined)
  return url !== null && carriesTrace(url, origin) ? url : null
}

const answeredRequests = ({ segments }: Evidence): ReadonlySet<string> =>
  new Set(
    segments
      .filter(({ service, parentSpanId }) => service !== 'browser' && parentSpanId !== null)
      .map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`),
  )

/** Requests without a parent, by method, path and second: a call is compared with those that began while it was open. */
type Rootless = Map<string, SeenSegment[]>

function rootlessRequests({ segments }: Evidence): Rootless {
  const rootless: Rootless = new Map()
  for (const segment of segments) {
    if (segment.copy || segment.service === 'browser' || segment.op !== 'http.server') continue
    if (segment.parentSpanId !== null) continue
    const path = pathOf(segment)
    if (path === null) continue
    const key = keyOf(methodOf(segment), path, secondOf(segment.startUs))
    const known = rootless.get(key)
    if (known === undefined) rootless.set(key, [segment])
    else known.push(segment)
  }
  return rootless
}

/** Each is the answer to one call at most. */
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
 * Next answers the document and the router’s own request of a page at one path. Who sent what for whom says the stamp, which
 * comes by cookie and not by these headers: what answers a stamped page is stamped, and what is not answers somebody else.
 */
function isAnswer(segment: SeenSegment, call: SeenSpan, isRsc: boolean): boolean {
  if (segment.startUs < call.startUs - APART_US || segment.startUs > call.endUs + APART_US) return false
  if (segment.stamp !== call.stamp) return false
  const answersRsc = segment.attributes['next.rsc']
  return typeof answersRsc !== 'boolean' || answersRsc === isRsc
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const secondOf = (us: number): number => Math.floor(us / 1_000_000)
const keyOf = (method: string, path: string, second: number): string => `${method} ${path} ${second}`

const methodOf = ({ name, attributes }: SeenSegment | SeenSpan): string =>
  textOf(attributes['http.request.method']) || textOf(attributes['http.method']) || (name.split(' ')[0] ?? '')

/** SDK 7 tells nothing beside the name. */
function pathOf({ name, attributes }: SeenSegment): string | null {
  const told = ['url.full', 'http.url', 'http.target', 'url.path'].map((key) => textOf(attributes[key]))
  const text = told.find((one) => one !== '') ?? name.replace(/^\S+ /, '')
  return urlOf(text, 'http://localhost')?.pathname ?? null
}
