import { describe, expect, it } from 'vitest'
import type { OtlpSignal } from '../../../lib/otlp/signals'
import { traverseRecorded } from '../../../lib/otlp/traverse-otlp'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { Segment, SegmentSpan } from '../../../lib/protocol/trace/segment'
import type { EnvelopeRow, ItemRow, SignalWithService, TraversedEvent } from '../../../lib/protocol/traversal/rows'
import {
  encodeRequest,
  logsRequest,
  metricsRequest,
  PARENT_ID,
  SPAN,
  SPAN_ID,
  TRACE_ID,
  textAttribute,
  tracesRequest,
} from './requests'

const ENCODINGS = ['json', 'protobuf'] as const
type Encoding = (typeof ENCODINGS)[number]

function traverse(signal: OtlpSignal, encoding: Encoding, request: object) {
  const found = {
    envelopes: [] as EnvelopeRow[],
    items: [] as ItemRow[],
    segments: [] as Segment[],
    spans: [] as SegmentSpan[],
    events: [] as TraversedEvent[],
    signals: [] as SignalWithService[],
  }
  const recorded = {
    seq: 7,
    journal: 9,
    receivedAt: 1_700_000_000_000,
    endpoint: `otlp_${signal}`,
    copy: false,
    stamp: null,
    contentType: encoding === 'json' ? 'application/json' : 'application/x-protobuf',
    body: encodeRequest(signal, encoding, request),
  } as const
  const visitor = {
    envelope: (row: EnvelopeRow) => found.envelopes.push(row),
    item: (row: ItemRow) => found.items.push(row),
    segment: (row: Segment) => found.segments.push(row),
    span: (row: SegmentSpan) => found.spans.push(row),
    event: (row: TraversedEvent) => found.events.push(row),
    signal: (row: SignalWithService) => found.signals.push(row),
  }
  traverseRecorded(recorded, visitor, 0, SIZE_LIMITS)
  return found
}

describe.each(ENCODINGS)('a traces request in %s', (encoding) => {
  it('becomes segments and spans with the service, environment, release and SDK of its resource', () => {
    const child = { ...SPAN, spanId: '0102030405060708', parentSpanId: SPAN_ID, kind: 1, name: 'render' }
    const { segments, spans, items, envelopes } = traverse('traces', encoding, tracesRequest(SPAN, child))
    expect(segments).toEqual([
      {
        traceId: TRACE_ID,
        segmentId: SPAN_ID,
        parentSpanId: null,
        name: 'GET /orders',
        op: null,
        status: null,
        startUs: 1544712660000000,
        endUs: 1544712661000000,
        lifecycle: 'otlp',
        service: 'checkout',
        environment: 'staging',
        release: '1.2.3',
        sdk: 'opentelemetry.nodejs',
      },
    ])
    expect(spans.map(({ spanId, segmentId, isSegment }) => ({ spanId, segmentId, isSegment }))).toEqual([
      { spanId: SPAN_ID, segmentId: SPAN_ID, isSegment: true },
      { spanId: '0102030405060708', segmentId: SPAN_ID, isSegment: false },
    ])
    expect(items).toMatchObject([
      { type: 'otlp_traces', category: 'span', quantity: 2, traceId: TRACE_ID, problem: null },
    ])
    expect(envelopes).toMatchObject([{ sdk: 'opentelemetry.nodejs 2.12.0', environment: 'staging', traceId: TRACE_ID }])
  })

  it('keeps kind, flags, trace state, events, links, status, dropped counts and exact nanoseconds', () => {
    const span = {
      ...SPAN,
      traceState: 'vendor=1',
      flags: 0x301,
      status: { code: 2, message: 'timed out' },
      events: [{ timeUnixNano: '1544712660500000789', name: 'retry', attributes: [textAttribute('n', '1')] }],
      links: [
        {
          traceId: '0af7651916cd43dd8448eb211c80319c',
          spanId: '00f067aa0ba902b7',
          attributes: [textAttribute('why', 'batch')],
        },
      ],
      droppedAttributesCount: 1,
      droppedEventsCount: 2,
      droppedLinksCount: 3,
    }
    const [read] = traverse('traces', encoding, tracesRequest(span)).spans
    expect(read).toMatchObject({
      status: 'error',
      links: [
        { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7', attributes: { why: 'batch' } },
      ],
      otel: {
        kind: 'server',
        flags: 0x301,
        traceState: 'vendor=1',
        statusMessage: 'timed out',
        startNanos: '1544712660000000123',
        endNanos: '1544712661000000456',
        events: [{ name: 'retry', timeNanos: '1544712660500000789', attributes: { n: '1' } }],
        dropped: { attributes: 1, events: 2, links: 3 },
        scope: { name: 'my.library', version: '0.1' },
      },
    })
  })

  it.each([
    ['has no parent', { kind: 1 }, true],
    ['has a remote parent', { parentSpanId: PARENT_ID, kind: 1, flags: 0x300 }, true],
    ['has a local parent', { parentSpanId: PARENT_ID, kind: 2, flags: 0x100 }, false],
    ['receives a request, from an SDK without the flag', { parentSpanId: PARENT_ID, kind: 2 }, true],
    ['is internal, from an SDK without the flag', { parentSpanId: PARENT_ID, kind: 1 }, false],
  ])('starts a segment or not where a span %s', (_case, fields, isSegment) => {
    const { segments, spans } = traverse('traces', encoding, tracesRequest({ ...SPAN, ...fields }))
    expect(spans[0]?.isSegment).toBe(isSegment)
    expect(segments).toHaveLength(Number(isSegment))
  })

  it('turns exceptions of spans into errors with frames, newest call first', () => {
    const stack = 'Error: sold out\n    at buy (/app/shop.js:10:5)\n    at /app/index.js:3:1'
    const attributes = [
      textAttribute('exception.type', 'Error'),
      textAttribute('exception.message', 'sold out'),
      textAttribute('exception.stacktrace', stack),
    ]
    const span = { ...SPAN, events: [{ name: 'exception', timeUnixNano: '1544712660500000789', attributes }] }
    const { events } = traverse('traces', encoding, tracesRequest(span))
    expect(events).toMatchObject([
      {
        title: 'Error: sold out',
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        service: 'checkout',
        environment: 'staging',
        timestampUs: 1544712660500000,
        exceptions: [
          {
            frames: [
              { function: 'buy', filename: '/app/shop.js', line: 10, column: 5 },
              { function: null, filename: '/app/index.js', line: 3, column: 1 },
            ],
          },
        ],
      },
    ])
  })

  it('skips spans without valid ids and states their number', () => {
    const invalid = { ...SPAN, traceId: '00000000000000000000000000000000' }
    const { spans, items } = traverse('traces', encoding, tracesRequest(SPAN, invalid))
    expect(spans).toHaveLength(1)
    expect(items).toMatchObject([{ quantity: 1, problem: '1 of its entries have no valid ids, no start or no data' }])
  })
})

describe.each(ENCODINGS)('a logs request in %s', (encoding) => {
  it('becomes logs with level, trace and attributes', () => {
    const record = {
      timeUnixNano: '1544712660300000321',
      severityNumber: 17,
      body: { stringValue: 'payment failed' },
      attributes: [{ key: 'attempt', value: { intValue: '3' } }],
      traceId: TRACE_ID,
      spanId: SPAN_ID,
    }
    const { signals, items } = traverse('logs', encoding, logsRequest(record))
    expect(signals).toMatchObject([
      {
        kind: 'log',
        name: 'payment failed',
        level: 'error',
        service: 'checkout',
        traceId: TRACE_ID,
        spanId: SPAN_ID,
        timestampUs: 1544712660300000,
        fields: { attributes: { attempt: 3 }, timeNanos: '1544712660300000321', severityNumber: 17 },
      },
    ])
    expect(items).toMatchObject([{ category: 'log_item', quantity: 1 }])
  })

  it('uses the observed time when the time is missing, and JSON for a body that is not text', () => {
    const body = { kvlistValue: { values: [{ key: 'n', value: { doubleValue: 0.5 } }] } }
    const { signals } = traverse('logs', encoding, logsRequest({ observedTimeUnixNano: '1544712660300000321', body }))
    expect(signals).toMatchObject([{ name: '{"n":0.5}', timestampUs: 1544712660300000, fields: { body: { n: 0.5 } } }])
  })
})

describe.each(ENCODINGS)('a metrics request in %s', (encoding) => {
  const at = { timeUnixNano: '1544712660300000321', startTimeUnixNano: '1544712660000000000' }

  it.each([
    ['gauge', { gauge: { dataPoints: [{ ...at, asDouble: 0.5 }] } }, { type: 'gauge', value: 0.5 }],
    [
      'sum',
      { sum: { dataPoints: [{ ...at, asInt: '9007199254740993' }], aggregationTemporality: 2, isMonotonic: true } },
      { type: 'sum', value: '9007199254740993', temporality: 'cumulative', monotonic: true },
    ],
    [
      'histogram',
      {
        histogram: {
          dataPoints: [{ ...at, count: '3', sum: 6.5, min: 1, bucketCounts: ['1', '2'], explicitBounds: [2] }],
          aggregationTemporality: 1,
        },
      },
      {
        type: 'histogram',
        value: 6.5,
        count: 3,
        min: 1,
        max: null,
        buckets: [1, 2],
        bounds: [2],
        temporality: 'delta',
      },
    ],
    [
      'exponentialHistogram',
      {
        exponentialHistogram: {
          dataPoints: [{ ...at, count: '2', scale: -1, zeroCount: '1', positive: { offset: -2, bucketCounts: ['1'] } }],
        },
      },
      {
        type: 'exponential_histogram',
        value: null,
        count: 2,
        scale: -1,
        zeroCount: 1,
        positive: { offset: -2, counts: [1] },
      },
    ],
    [
      'summary',
      { summary: { dataPoints: [{ ...at, count: '4', sum: 10, quantileValues: [{ quantile: 0.5, value: 2 }] }] } },
      { type: 'summary', value: 10, count: 4, quantiles: [{ quantile: 0.5, value: 2 }] },
    ],
  ])('becomes one signal per data point of a %s', (_kind, data, fields) => {
    const { signals, items } = traverse('metrics', encoding, metricsRequest({ name: 'latency', unit: 'ms', ...data }))
    expect(signals).toMatchObject([
      { kind: 'metric', name: 'latency', service: 'checkout', fields: { unit: 'ms', ...fields } },
    ])
    expect(items).toMatchObject([{ category: 'trace_metric', quantity: 1 }])
  })
})
