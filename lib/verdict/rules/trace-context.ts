import { hex16, hex32 } from '../../protocol/ids'
import { type Finding, verdictOf } from '../verdict'
import { appRequests, bareUrl, NOT_WATCHED_REASON } from './browser-requests'
import type { Rule, SeenRequest } from './rule'

/**
 * Compares `sentry-trace`, `traceparent` and Sentry's members of `baggage` on each request of a browser that has several of
 * them. Only trace ids must agree: without an active span, SDK 11 puts a random span id into each header. An unreadable
 * header is a finding, too, because its receiver starts a new trace.
 */
export const traceContextRule: Rule = {
  id: 'trace-context',
  title: 'Trace headers of a request agree',
  why: 'With two trace ids, a server of Sentry and one of OpenTelemetry continue different traces.',
  setting: 'trace-headers',
  judgedFrom: ['probe'],
  sentBy: 'pages',
  severity: 'error',
  fix: 'Let one SDK add the headers of a request: either set propagateTraceparent: true in Sentry.init and remove the fetch instrumentation of OpenTelemetry, or exclude the address from tracePropagationTargets.',
  judge: ({ requests }) => {
    if (requests === null) return { verdict: 'incomplete', why: NOT_WATCHED_REASON }
    const findings: Finding[] = []
    let judged = 0
    for (const request of appRequests(requests)) {
      const contexts = contextsOf(request)
      if (contexts.length < 2) continue
      judged += 1
      const finding = findingOf(request, contexts)
      if (finding !== null) findings.push(finding)
    }
    return verdictOf(judged, findings, 'No request of the browser had two of sentry-trace, traceparent and baggage.')
  },
}

interface TraceContext {
  readonly header: 'sentry-trace' | 'traceparent' | 'baggage'
  /** `null` for a header that cannot be read. */
  readonly traceId: string | null
}

/** `baggage` counts only with members of Sentry: others have no trace id. */
function contextsOf({ headers }: SeenRequest): readonly TraceContext[] {
  const sentryTrace = headers['sentry-trace']
  const { traceparent, baggage } = headers
  const ofBaggage = baggage === undefined ? undefined : sentryMember(baggage)
  return [
    ...(sentryTrace === undefined ? [] : [{ header: 'sentry-trace', traceId: ofSentryTrace(sentryTrace) } as const]),
    ...(traceparent === undefined ? [] : [{ header: 'traceparent', traceId: ofTraceparent(traceparent) } as const]),
    ...(ofBaggage === undefined ? [] : [{ header: 'baggage', traceId: ofBaggage } as const]),
  ]
}

/** The format of Sentry's SDKs: trace id, span id, and the decision where one was made. */
function ofSentryTrace(value: string): string | null {
  const [, traceId, spanId] = /^\s*([0-9a-f]{32})-([0-9a-f]{16})(?:-[01])?\s*$/.exec(value) ?? []
  return spanId === undefined ? null : hex32(traceId)
}

/** W3C Trace Context, "traceparent Header": ids of zeros and version `ff` are invalid. */
function ofTraceparent(value: string): string | null {
  const [, version, traceId, spanId] =
    /^\s*([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?\s*$/.exec(value) ?? []
  if (version === undefined || version === 'ff' || hex16(spanId) === null) return null
  return /^0+$/.test(traceId ?? '') || /^0+$/.test(spanId ?? '') ? null : hex32(traceId)
}

/** @returns `undefined` without a trace id of Sentry; `null` for an invalid one, or for two that differ */
function sentryMember(baggage: string): string | null | undefined {
  const found = [...baggage.matchAll(/(?:^|,)\s*sentry-trace_id\s*=\s*([^,;]*)/g)].map(([, id = '']) =>
    hex32(id.trim()),
  )
  const [first, ...others] = found
  return others.every((other) => other === first) ? first : null
}

function findingOf(request: SeenRequest, contexts: readonly TraceContext[]): Finding | null {
  const unreadable = contexts.find(({ traceId }) => traceId === null)
  const [first, ...others] = contexts
  const other = others.find(({ traceId }) => traceId !== first?.traceId)
  if (first === undefined || (unreadable === undefined && other === undefined)) return null
  const about = `${request.method} ${bareUrl(request.url)}`
  if (unreadable !== undefined)
    return {
      about,
      at: null,
      path: `headers.${unreadable.header}`,
      actual: `no valid trace id in ${unreadable.header}`,
      expected: `a trace id as in ${contexts.find(({ traceId }) => traceId !== null)?.header ?? 'the W3C format'}`,
    }
  return {
    about,
    at: null,
    path: `headers.${other?.header}`,
    actual: contexts.map(({ header, traceId }) => `${header} has trace ${traceId}`).join(', '),
    expected: 'one trace id in all of them',
  }
}
