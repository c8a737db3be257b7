import { stampHeaders } from '../../lib/kit/stamp-headers'
import { expect, type Station, test } from './station'

const NOW_MS = Date.now()
/** Decimal nanoseconds of a time after the start of this file. */
const at = (ms: number, nanos = 0): string => (BigInt(NOW_MS + ms) * 1_000_000n + BigInt(nanos)).toString()

const newTraceId = (): string => crypto.randomUUID().replaceAll('-', '')
const newSpanId = (): string => newTraceId().slice(0, 16)

const textAttribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })

const resource = {
  attributes: [
    textAttribute('service.name', 'checkout'),
    textAttribute('telemetry.sdk.name', 'opentelemetry'),
    textAttribute('telemetry.sdk.language', 'nodejs'),
    textAttribute('host.name', 'till-7'),
  ],
}
const scope = { name: '@acme/cart', version: '4.2.0' }

/** Posts an export request to the collector, with the stamp of the test. @param request JSON, or protobuf as bytes */
async function post(
  { running }: Station,
  stamp: string,
  signal: 'traces' | 'logs' | 'metrics',
  request: object,
): Promise<void> {
  const isProtobuf = request instanceof Uint8Array
  const response = await fetch(`${running.collectorUrl}/v1/${signal}`, {
    method: 'POST',
    headers: {
      ...stampHeaders(stamp),
      'content-type': isProtobuf ? 'application/x-protobuf' : 'application/json',
    },
    body: isProtobuf ? Buffer.from(request) : JSON.stringify(request),
  })
  expect(response.status).toBe(200)
}

/** A field of a protobuf message with up to 127 bytes. */
const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])

/** A protobuf request with one span: resource_spans 1, scope_spans 2, spans 2 (trace.proto). */
function protobufRequest(span: { traceId: string; spanId: string; name: string; startNanos: string }): Buffer {
  const start = Buffer.alloc(9)
  // Field 7, start_time_unix_nano, is a fixed64.
  start[0] = (7 << 3) | 1
  start.writeBigUInt64LE(BigInt(span.startNanos), 1)
  const fields = [
    field(1, Buffer.from(span.traceId, 'hex')),
    field(2, Buffer.from(span.spanId, 'hex')),
    field(5, Buffer.from(span.name)),
    start,
  ]
  return field(1, field(2, field(2, Buffer.concat(fields))))
}

const traces = (...spans: readonly object[]): object => ({
  resourceSpans: [{ resource, schemaUrl: 'https://opentelemetry.io/schemas/1.45.0', scopeSpans: [{ scope, spans }] }],
})

test('a span of OpenTelemetry shows its SDK, exact times, events, links and resource', async ({
  page,
  station,
  telemetry,
}) => {
  const [linkedTrace, linkedSpan, traceId, root, child] = [
    newTraceId(),
    newSpanId(),
    newTraceId(),
    newSpanId(),
    newSpanId(),
  ]
  const linked = {
    traceId: linkedTrace,
    spanId: linkedSpan,
    name: 'enqueue order',
    kind: 4,
    startTimeUnixNano: at(0),
    endTimeUnixNano: at(3),
  }
  const lostTrace = newTraceId()
  const spans = [
    {
      traceId,
      spanId: root,
      name: 'process order',
      kind: 5,
      startTimeUnixNano: at(10, 123),
      endTimeUnixNano: at(60, 456),
      traceState: 'vendor=abc',
      flags: 0x301,
      status: { code: 2, message: 'card declined\nby the bank' },
      droppedAttributesCount: 2,
      attributes: [textAttribute('messaging.system', 'kafka')],
      events: [
        { name: 'second event', timeUnixNano: at(30), attributes: [] },
        { name: 'first event', timeUnixNano: at(11, 123), attributes: [textAttribute('attempt', 'one')] },
      ],
      links: [
        { traceId: linkedTrace, spanId: linkedSpan, attributes: [textAttribute('queue', 'orders')] },
        { traceId: lostTrace, spanId: newSpanId() },
      ],
    },
    {
      traceId,
      spanId: child,
      parentSpanId: root,
      name: 'charge card',
      kind: 3,
      startTimeUnixNano: at(15),
      endTimeUnixNano: at(55),
    },
  ]
  await post(station, telemetry.stamp, 'traces', traces(linked))
  await post(station, telemetry.stamp, 'traces', traces(...spans))

  await page.goto(`/traces/${traceId}`)
  const rows = page.getByRole('treegrid').getByRole('row')
  await rows.filter({ hasText: 'process order' }).click()
  const detail = page.getByRole('complementary', { name: 'Detail' })
  for (const text of [
    'opentelemetry.nodejs',
    'consumer',
    'card declined',
    at(10, 123),
    at(60, 456),
    '+50,000,333 ns',
    '0x301 sampled, parent in another process',
    'vendor=abc',
    '@acme/cart 4.2.0',
    '2 attributes, by the SDK',
  ])
    await expect(detail).toContainText(text)

  const events = detail.getByRole('region', { name: 'Events of the span' }).getByRole('listitem')
  await expect(events).toContainText([/\+1\.00 ms.*first event.*attempt.*one/, /\+20\.0 ms.*second event/])

  await expect(detail.getByText('till-7')).toBeHidden()
  await detail.getByText('Resource', { exact: true }).click()
  await expect(detail.getByText('till-7')).toBeVisible()
  await expect(detail.getByText('https://opentelemetry.io/schemas/1.45.0')).toBeVisible()

  const links = detail.getByRole('region', { name: 'Links of the span' }).getByRole('listitem')
  await expect(links.filter({ hasText: linkedTrace })).toContainText(/queue\s*orders/)
  await expect(links.filter({ hasText: lostTrace })).toContainText('not on record')
  await expect(links.filter({ hasText: linkedTrace })).not.toContainText('not on record')
  await links.filter({ hasText: linkedTrace }).getByRole('link').click()
  await expect(page).toHaveURL(`${station.home}/traces/${linkedTrace}?span=${linkedSpan}`)
  await expect(page.getByRole('row', { selected: true })).toContainText('enqueue order')
})

test('logs and metrics of OpenTelemetry show their kind, buckets, quantiles and sender', async ({
  page,
  station,
  telemetry,
}) => {
  const body = { kvlistValue: { values: [{ key: 'cart', value: { intValue: '3' } }] } }
  const log = { timeUnixNano: at(1), severityNumber: 17, eventName: 'cart.failed', body, attributes: [] }
  const logs = { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: [log] }] }] }
  const point = { timeUnixNano: at(5), startTimeUnixNano: at(0), attributes: [textAttribute('region', 'eu')] }
  const histogram = { count: '10', sum: 55, min: 1, max: 12, bucketCounts: ['3', '6', '1'], explicitBounds: [5, 10] }
  const exponential = {
    count: '6',
    sum: 20,
    scale: 0,
    zeroCount: '1',
    positive: { offset: 0, bucketCounts: ['2', '3'] },
  }
  const quantileValues = [
    { quantile: 0.5, value: 12 },
    { quantile: 0.99, value: 80 },
  ]
  const metrics = [
    { name: 'otel.gauge', unit: 'By', gauge: { dataPoints: [{ ...point, asInt: '9007199254740993' }] } },
    {
      name: 'otel.sum',
      unit: '{order}',
      sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [{ ...point, asDouble: 2.5 }] },
    },
    {
      name: 'otel.histogram',
      unit: 'ms',
      histogram: { aggregationTemporality: 1, dataPoints: [{ ...point, ...histogram }] },
    },
    {
      name: 'otel.exponential',
      unit: 'ms',
      exponentialHistogram: { aggregationTemporality: 1, dataPoints: [{ ...point, ...exponential }] },
    },
    {
      name: 'otel.quantiles',
      unit: 'ms',
      summary: { dataPoints: [{ ...point, count: '4', sum: 99, quantileValues }] },
    },
  ]
  await post(station, telemetry.stamp, 'logs', logs)
  const scopeMetrics = [{ scope, metrics }]
  await post(station, telemetry.stamp, 'metrics', { resourceMetrics: [{ resource, scopeMetrics }] })

  await page.goto('/signals?kind=metric')
  const row = (name: string) => page.locator('tr[data-signal]').filter({ hasText: name })
  const detail = page.locator('[data-detail]')
  for (const [name, parts] of [
    ['otel.gauge', ['gauge', '9007199254740993 By']],
    ['otel.sum', ['sum · cumulative', '2.5 order']],
    ['otel.histogram', ['histogram · delta', '10 values · sum 55 · 1 to 12 ms']],
    ['otel.exponential', ['exp. histogram · delta', '6 values · sum 20 ms']],
    ['otel.quantiles', ['summary', '4 values · sum 99 ms']],
  ] as const)
    for (const part of [...parts, 'region=eu', 'checkout']) await expect(row(name)).toContainText(part)

  await row('otel.histogram').getByRole('link', { name: 'otel.histogram' }).click()
  await expect(detail.getByRole('figure')).toContainText(
    '10 values in 3 of 3 buckets; the largest is (5, 10] ms with 6.',
  )
  await expect(detail.locator('svg rect')).toHaveCount(3)
  await detail.getByText('Buckets as a table').click()
  await expect(detail.getByRole('row', { name: '(10, +∞)' })).toContainText('1')
  await expect(detail.getByText('@acme/cart 4.2.0')).toBeVisible()

  await row('otel.exponential').getByRole('link', { name: 'otel.exponential' }).click()
  await expect(detail.getByRole('figure')).toContainText('6 values in 3 of 3 buckets; the largest is (2, 4] ms with 3.')

  await row('otel.quantiles').getByRole('link', { name: 'otel.quantiles' }).click()
  await expect(detail.getByRole('table', { name: 'Quantiles' }).getByRole('row')).toContainText([
    /p50\s*12 ms/,
    /p99\s*80 ms/,
  ])

  await page.goto('/signals?kind=log')
  await expect(row('cart.failed')).toContainText('error')
  await row('cart.failed').getByRole('link', { name: 'cart' }).click()
  await expect(detail.getByRole('region', { name: 'Body' })).toContainText('"cart": 3')
})

test('a protobuf request is shown as OTLP/JSON, and the list filters by its endpoint', async ({
  page,
  station,
  telemetry,
}) => {
  const traceId = newTraceId()
  const span = { traceId, spanId: newSpanId(), name: 'GET /', startNanos: at(0, 7) }
  await post(station, telemetry.stamp, 'traces', protobufRequest(span))
  await page.goto(`/envelopes?endpoint=otlp_traces&stamp=${encodeURIComponent(telemetry.stamp)}`)
  const row = page.locator('tr[data-envelope]')
  await expect(row).toHaveCount(1)
  await expect(row).toContainText('OTLP traces')
  await row.getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1, name: /^OTLP request \d+$/ })).toBeVisible()
  const request = page.getByRole('article', { name: 'Request' })
  await expect(request).toContainText('decoded as OTLP/JSON')
  await request.getByRole('button', { name: 'Text', exact: true }).click()
  for (const text of [`"traceId": "${traceId}"`, `"startTimeUnixNano": "${at(0, 7)}"`])
    await expect(request).toContainText(text)
  await expect(request.getByRole('link', { name: 'trace' })).toHaveAttribute('href', `/traces/${traceId}`)
  await expect(page.getByText('application/x-protobuf')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Envelope header' })).toBeHidden()
})
