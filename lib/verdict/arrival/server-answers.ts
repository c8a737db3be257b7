import { withoutIds } from '../compare/stable-names'
import type { Evidence, SeenEvent, SeenSegment } from '../evidence/evidence'
import type { Judged } from '../expectations/report'
import { bareUrl, pathOf } from '../rules/browser-requests'
import { errorEvents } from '../rules/coverage'
import { requestOf } from '../rules/describe'
import { type Finding, finding, verdictOf } from '../verdict'
import type { ObservedTest, ServerFailure, TracedRequest } from './observed'

/**
 * Server SDKs buffer spans for 5 s. A server that is killed sends nothing of its last seconds, so requests of that time are
 * not judged.
 */
export const BUFFERED_MS = 6_000

export interface ServerJudgement {
  /** When the tested program ended, in ms since the epoch. */
  readonly endedAt: number
  /** Routes of servers in the profile, without ids: `GET /api/order`. */
  readonly routes: readonly string[]
}

/** Judges what servers recorded of the requests of pages: once, at the end of the run, because servers send late. Pure. */
export function judgeServers(
  tests: readonly ObservedTest[],
  evidence: Evidence,
  { endedAt, routes }: ServerJudgement,
): readonly Judged[] {
  return [
    ...judgeSegments(
      tests.flatMap(({ test, traced }) => traced.map((request) => ({ ...request, test }))),
      evidence,
      { endedAt, routes },
    ),
    ...judgeFailures(
      tests.flatMap(({ test, failures }) => failures.map((failure) => ({ ...failure, test }))),
      evidence,
    ),
  ]
}

/** With the title of its test, if a run judges several. */
type Traced = TracedRequest & { readonly test?: string }
type Failure = ServerFailure & { readonly test?: string }

const isServer = ({ service, copy }: SeenSegment | SeenEvent): boolean => service !== 'browser' && !copy

function judgeSegments(
  requests: readonly Traced[],
  { segments }: Evidence,
  { endedAt, routes }: ServerJudgement,
): readonly Judged[] {
  if (requests.length === 0) return []
  const servers = segments.filter(isServer)
  const parents = new Set(servers.map(({ traceId, parentSpanId }) => `${traceId} ${parentSpanId}`))
  const isRecorded = ({ traceId, spanId }: TracedRequest): boolean => parents.has(`${traceId} ${spanId}`)
  const continued = requests.filter(isRecorded)
  const routeOf = (segment: SeenSegment): string => withoutIds(requestOf(segment)?.short ?? segment.name)
  const known = new Set([...continued.map(keyOf), ...servers.map(routeOf), ...routes])
  // Documents are requested without headers, so a trace of the server's own proves nothing if it continues others.
  const own = new Set(
    continued.length > 0 ? [] : servers.filter(({ parentSpanId }) => parentSpanId === null).map(routeOf),
  )
  const open = requests.filter((request) => !isRecorded(request) && endedAt - request.endedAt > BUFFERED_MS)
  const missing = open.filter((request) => known.has(keyOf(request)))
  const unknown = open.filter((request) => !known.has(keyOf(request)))
  return [
    {
      id: 'server-segments',
      title: 'Each traced request of a page has a segment of the server',
      group: 'arrival',
      severity: 'error',
      why: 'The server recorded other requests of this route, so this one was lost.',
      fix: missing.some((one) => own.has(keyOf(one)))
        ? 'Let sentry-trace and baggage pass each proxy between pages and server.'
        : 'Does the server flush before it ends, and is its tracesSampleRate 1? A server continues a sampled trace at any rate.',
      verdict: verdictOf(
        requests.length,
        missing.map((one) => missingSegment(one, own.has(keyOf(one)))),
        '',
      ),
    },
    ...(unknown.length === 0
      ? []
      : [unrecorded(unknown, servers.length === 0 ? NO_SERVER : 'no server recorded this route in the run')]),
  ]
}

const NO_SERVER =
  'nothing arrived from a server: is Sentry.init called in it (instrumentation.ts), with SENTRY_DSN, and enabled not false?'

const missingSegment = ({ method, url, traceId, test }: Traced, isOwnTrace: boolean): Finding =>
  finding(
    `${method} ${bareUrl(url)}`,
    `no segment of trace ${traceId}${isOwnTrace ? ': the server began its own, so no trace headers reached it: does a proxy remove sentry-trace?' : ''}`,
    'a segment, as of other requests of this route',
    test,
  )

/** Stated once for all requests, because an app may call servers without an SDK. */
const unrecorded = (requests: readonly TracedRequest[], why: string): Judged => ({
  id: 'unrecorded-requests',
  title: 'Servers record the requests of pages',
  group: 'arrival',
  severity: 'warning',
  why: 'Without segments of the server a trace ends in the browser.',
  fix: 'Initialise the SDK in the server, or remove its address from tracePropagationTargets.',
  verdict: verdictOf(
    requests.length,
    [
      finding(
        `${requests.length} ${requests.length === 1 ? 'request' : 'requests'} with trace headers, such as ${[...new Set(requests.map(keyOf))].slice(0, 3).join(', ')}`,
        why,
        'segments of the server',
      ),
    ],
    '',
  ),
})

/** Answers of 500 that no handler wrote, without an error event of a server. */
export const silentFailures = (failures: readonly Failure[], evidence: Evidence): readonly Failure[] =>
  withoutEvent(failures, evidence).filter(({ status, hasOwnBody }) => status === 500 && hasOwnBody === false)

function withoutEvent(failures: readonly Failure[], evidence: Evidence): readonly Failure[] {
  const errors = errorEvents(evidence).filter(isServer)
  return failures.filter((failure) => !errors.some((error) => isErrorOf(error, failure)))
}

function judgeFailures(failures: readonly Failure[], evidence: Evidence): readonly Judged[] {
  if (failures.length === 0) return []
  const silent = silentFailures(failures, evidence)
  const others = withoutEvent(failures, evidence).filter((one) => !silent.includes(one))
  return [
    {
      id: 'server-errors',
      title: 'Each unhandled error of the server has an event',
      group: 'arrival',
      severity: 'error',
      why: 'The app answered 500 without a body of its own, so it threw an error, and no error event reported it.',
      fix: 'Export onRequestError = Sentry.captureRequestError from instrumentation.ts. Does beforeSend return null, or does the code end the process before it sends?',
      verdict: verdictOf(
        failures.length,
        silent.map((one) => failureFinding(one, 'answered 500, and no error event arrived')),
        '',
      ),
    },
    ...(others.length === 0
      ? []
      : [
          {
            id: 'server-failures',
            title: 'The app answers without 5xx',
            group: 'arrival',
            severity: 'warning',
            why: 'Such an answer may stand for an error that nothing reported.',
            fix: 'Report the error, or answer with a status below 500.',
            verdict: verdictOf(
              failures.length,
              others.map((one) => failureFinding(one, `answered ${one.status}, and no error event arrived`)),
              '',
            ),
          } as const satisfies Judged,
        ]),
  ]
}

/** Between the request and its error, whose clocks may differ. */
const APART_MS = 60_000

/** By trace if the request named one, else by address and time. */
function isErrorOf(error: SeenEvent, failure: ServerFailure): boolean {
  if (failure.traceId !== null && error.traceId === failure.traceId) return true
  const path = pathOf(failure.url)
  const named = typeof error.request?.url === 'string' ? pathOf(error.request.url) : null
  const isSamePath = named === path || error.transaction?.split(' ').includes(path) === true
  return isSamePath && Math.abs(error.receivedAt - failure.startedAt) < APART_MS
}

const failureFinding = ({ method, url, test }: Failure, actual: string): Finding =>
  finding(`${method} ${bareUrl(url)}`, actual, 'an error event of the server', test)

/** Method and path with ids as `*`, as in a profile. */
const keyOf = ({ method, url }: Pick<TracedRequest, 'method' | 'url'>): string => withoutIds(`${method} ${pathOf(url)}`)
