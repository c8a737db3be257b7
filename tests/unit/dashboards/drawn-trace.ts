import type { TraceData } from '../../../dashboards/traces/trace-data'
import type { SignalRow } from '../../../lib/wire/signal'
import type { Segment, TraceSummary } from '../../../lib/wire/trace'
import type { TraceSpan, TraceSubmission } from '../../../lib/wire/trace-columns'

const TRACE_ID = 'a'.repeat(32)
const KEPT = { name: 'kept', reason: null } as const

/** A span of 1 µs in the first submission, except for the given fields. */
export const spanIn = (spanId: string, given: Partial<TraceSpan> = {}): TraceSpan => ({
  ...{ spanId, parentSpanId: null, segmentId: null, isSegment: false, startUs: 1, endUs: 2, service: 'server' },
  ...{ op: null, name: spanId, status: null, httpStatus: null, seq: 1, item: 0 },
  ...given,
})

/** The same for a segment. */
export const segmentIn = (segmentId: string, given: Partial<Segment> = {}): Segment => ({
  ...{ traceId: TRACE_ID, segmentId, parentSpanId: null, name: segmentId, op: null, status: null, startUs: 1 },
  ...{ endUs: 2, lifecycle: 'stream', service: 'server', environment: null, release: null, sdk: null, spanCount: 1 },
  ...{ seq: 1, item: 0, receivedAt: 0, digestedAt: 0, relayedAt: null, copy: 'no', deliveryStatus: KEPT },
  ...given,
})

export const submissionIn = (seq: number, given: Partial<TraceSubmission> = {}): TraceSubmission => ({
  ...{ seq, journal: seq, receivedAt: 0, page: null, copy: false, bytes: 0, relayedAt: null },
  ...{ deliveries: 0, lastDelivery: null, deliveryStatus: KEPT },
  ...given,
})

/** A signal of the given kind in the first submission. */
export const signalIn = (kind: SignalRow['kind'], given: Partial<SignalRow> = {}): SignalRow => ({
  ...{ kind, key: '1.0.0', journal: 1, seq: 1, item: 0, receivedAt: 0, timestampUs: 0, traceId: TRACE_ID },
  ...{ spanId: null, eventId: null, name: '', level: null, service: null, environment: null, release: null },
  ...{ copy: 'no', deliveryStatus: KEPT, fields: {} },
  ...given,
})

/** A whole trace of 1 s that starts 100 s after the epoch, with the given rows. */
export const traceOf = (
  given: Partial<Omit<TraceData, 'summary'>> & { readonly summary?: Partial<TraceSummary> } = {},
): TraceData => ({
  ...{ segments: [], submissions: [], spans: [], errors: [], breadcrumbs: [], isWhole: true, received: 0, expected: 0 },
  ...{ gaps: [], dropped: { attributes: 0, events: 0, links: 0 }, journal: 1 },
  ...given,
  summary: {
    ...{ traceId: TRACE_ID, journal: 1, receivedAt: 0, lastSeq: 1, startUs: 100e6, durationUs: 1e6, name: '/' },
    ...{ op: null, status: null, segmentCount: 0, spanCount: 0, errorCount: 0, services: [], environment: null },
    ...{ release: null, deliveryStatus: KEPT, copy: 'no' },
    ...given.summary,
  },
})
