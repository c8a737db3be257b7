import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportRows } from '../../../lib/otlp/export-rows'
import { requestLine } from '../../../lib/otlp/request-json'
import type { OtlpSignal } from '../../../lib/otlp/signals'
import type { StoredSubmission } from '../../../lib/protocol/submission'
import type { Evidence } from '../../../lib/verdict/evidence/evidence'
import { mergeEvidence, readEvidence } from '../../../lib/verdict/evidence/read-evidence'

const FOLDER = join(import.meta.dirname, '../../fixtures/envelopes')
const FIXTURES = readdirSync(FOLDER).filter((name) => name.endsWith('.envelope'))

const submission = (body: Uint8Array, given: Partial<StoredSubmission> = {}): StoredSubmission => ({
  ...{
    seq: 1,
    journal: 1,
    receivedAt: 1_795_000_000_000,
    endpoint: 'envelope',
    project: '1',
    publicKey: 'a'.repeat(32),
  },
  ...{ stamp: null, page: null, userAgent: null, origin: null, body },
  ...given,
})

/** The evidence of an envelope, what it becomes, and the evidence of that. */
function exported(body: Uint8Array) {
  const before = readEvidence([submission(body)])
  const arrival = submission(body, { stamp: 'checkout-1' })
  const result = exportRows({ ...before, arrival, sdk: before.envelopes[0]?.sdk ?? null })
  const after = result.requests.map((request) => {
    const signal = /^\{"resource(Spans|Logs|Metrics)"/.exec(requestLine(request))?.[1] ?? ''
    const name = ({ Spans: 'traces', Logs: 'logs', Metrics: 'metrics' } as Record<string, OtlpSignal>)[signal] ?? 'logs'
    return readEvidence([
      submission(new TextEncoder().encode(requestLine(request)), {
        endpoint: `otlp_${name}`,
        contentType: 'application/json',
      }),
    ])
  })
  return {
    before,
    rest: result.rest,
    requests: result.requests,
    after: mergeEvidence(after),
  }
}

const envelope = (type: string, payload: object): Uint8Array =>
  new TextEncoder().encode(
    [
      '{"sdk":{"name":"sentry.javascript.node","version":"11.8.0"}}',
      JSON.stringify({ type }),
      JSON.stringify(payload),
    ].join('\n'),
  )

/** Only these fields. */
const picked = <Row extends object, Name extends keyof Row>(row: Row, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]))

it.each(FIXTURES)('exported rows of %s have the same spans, logs and metrics when they are read again', (name) => {
  const { before, after, rest } = exported(readFileSync(join(FOLDER, name)))
  const ofSpan = (span: Evidence['spans'][number]) => ({
    ...picked(span, 'traceId', 'spanId', 'parentSpanId', 'isSegment', 'op', 'name', 'service', 'startUs', 'endUs'),
    isError: span.status !== null && !['ok', 'cancelled', 'unset'].includes(span.status),
  })
  expect(after.spans.map(ofSpan)).toEqual(before.spans.map(ofSpan))
  const ofSegment = (segment: Evidence['segments'][number]) => picked(segment, 'segmentId', 'environment', 'release')
  expect(after.segments.map(ofSegment)).toEqual(before.segments.map(ofSegment))
  const logs = before.signals.filter(({ kind }) => kind === 'log')
  const metrics = before.signals.filter(({ kind }) => kind === 'metric')
  const ofSignal = (signal: Evidence['signals'][number]) => ({
    ...picked(signal, 'kind', 'name', 'level', 'environment', 'release', 'timestampUs'),
    ...(signal.kind === 'log' && { traceId: signal.traceId }),
  })
  const ofEvent = (event: Evidence['events'][number]) => ({
    ...picked(event, 'level', 'environment', 'release', 'timestampUs', 'traceId'),
    kind: 'log',
    name: event.title,
  })
  expect(after.signals.map(ofSignal)).toEqual([
    ...before.events.map(ofEvent),
    ...logs.map(ofSignal),
    ...metrics.map(ofSignal),
  ])
  expect(rest).toHaveLength(before.signals.length - logs.length - metrics.length)
})

it('exported rows give the value of a metric of each type, and count one without a number', () => {
  const metric = (type: string, value: unknown) => ({
    timestamp: 1_795_000_000,
    name: type,
    type,
    value,
    unit: 'byte',
    trace_id: 'a'.repeat(32),
  })
  const items = [
    metric('counter', 3),
    metric('gauge', 1.5),
    metric('distribution', 20),
    metric('set', 1),
    metric('gauge', 'many'),
  ]
  const { after, rest, requests } = exported(envelope('trace_metric', { items }))
  expect(after.signals.map(({ name, fields }) => ({ name, value: fields.value, unit: fields.unit }))).toEqual([
    { name: 'counter', value: 3, unit: 'byte' },
    { name: 'gauge', value: 1.5, unit: 'byte' },
    { name: 'distribution', value: 20, unit: 'byte' },
  ])
  expect(rest).toEqual(['metric', 'metric'])
  expect(requestLine(requests[0] ?? {})).toContain(
    '"exemplars":[{"timeUnixNano":"1795000000000000000","asDouble":3,"traceId"',
  )
})

it('exported rows keep the stamp, the kind of the span and the message of its status', () => {
  const { after, requests } = exported(
    envelope('transaction', {
      type: 'transaction',
      event_id: 'e'.repeat(32),
      transaction: 'GET /cart',
      start_timestamp: 1_795_000_000,
      timestamp: 1_795_000_001.5,
      platform: 'node',
      contexts: {
        trace: {
          trace_id: 'a'.repeat(32),
          span_id: 'b'.repeat(16),
          parent_span_id: 'c'.repeat(16),
          op: 'http.server',
          status: 'internal_error',
        },
      },
      spans: [],
    }),
  )
  expect(after.spans).toMatchObject([
    {
      isSegment: true,
      status: 'error',
      otel: { kind: 'server', statusMessage: 'internal_error', startNanos: '1795000000000000000' },
    },
  ])
  expect(requestLine(requests[0] ?? {})).toContain('{"key":"waystation.stamp","value":{"stringValue":"checkout-1"}}')
})

it('exported rows contain the stack of an error with its causes', () => {
  const exception = (type: string, filename: string) => ({
    type,
    value: 'no price',
    stacktrace: { frames: [{ filename, function: 'sum', lineno: 3, colno: 7 }] },
  })
  const { requests } = exported(
    envelope('event', {
      event_id: 'e'.repeat(32),
      exception: { values: [exception('TypeError', 'a.js'), exception('CartError', 'b.js')] },
      tags: { shop: 'eu' },
    }),
  )
  const line = requestLine(requests[0] ?? {})
  expect(line).toContain(
    JSON.stringify('CartError: no price\n    at sum (b.js:3:7)\nCaused by: TypeError: no price\n    at sum (a.js:3:7)'),
  )
  expect(line).toContain('{"key":"sentry.tag.shop","value":{"stringValue":"eu"}}')
})
