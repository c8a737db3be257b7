import { gzipSync } from 'node:zlib'
import type { Request } from '@playwright/test'
import { cause, expect, followTrace, leave, type Page, test } from './station'

/** JavaScript that OpenTelemetry may add to a page, gzip. */
const MOST_BYTES = 25_000

/** A name that only the SDK of OpenTelemetry contains, not its API. */
const RECORDER_MARK = 'telemetry.sdk.language'

/** Longer than the recorder waits before it exports. */
const WATCHED_MS = 2500

/** The export requests that a page sends while it is open. */
function watchExports(page: Page): readonly Request[] {
  const exports: Request[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/tunnel/v1/traces') exports.push(request)
  })
  return exports
}

// ● lab: mixed trace               Sentry
//   ├─ lab otel checkout           OpenTelemetry
//   │  └─ lab otel payment         OpenTelemetry
//   └─ lab sentry discount         Sentry
//      └─ lab otel discount        OpenTelemetry
test('mixed-trace: spans of both SDKs share one trace and are each other’s parents', async ({
  page,
  station,
  telemetry,
}) => {
  const exports = watchExports(page)
  const { traceId } = await cause(page, 'mixed-trace')
  const root = await telemetry.waitFor.transaction({ traceId, name: 'lab: mixed trace' })
  const checkout = await telemetry.waitFor.span({ traceId, name: 'lab otel checkout' })
  const payment = await telemetry.waitFor.span({ traceId, name: 'lab otel payment' })
  const ofSentry = await telemetry.waitFor.span({ traceId, name: 'lab sentry discount' })
  const discount = await telemetry.waitFor.span({ traceId, name: 'lab otel discount' })
  expect([checkout, payment, ofSentry, discount].map(({ parentSpanId }) => parentSpanId)).toEqual([
    root.segmentId,
    checkout.spanId,
    root.segmentId,
    ofSentry.spanId,
  ])
  expect(payment.status).toBe('error')
  expect(checkout.otel?.resource.attributes).toMatchObject({
    'service.name': 'browser',
    'deployment.environment.name': 'production',
    'service.version': root.release,
    'telemetry.sdk.language': 'webjs',
  })
  expect(ofSentry.otel).toBeUndefined()

  await followTrace(page, 'mixed-trace', 'lab sentry discount')
  const rows = page.getByRole('treegrid').getByRole('row')
  for (const name of ['lab: mixed trace', 'lab otel checkout', 'lab otel payment', 'lab otel discount'])
    await expect(rows.filter({ hasText: name }).first()).toBeVisible()

  expect(exports).toHaveLength(1)
  const headers = (await exports[0]?.allHeaders()) ?? {}
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-sentry-auth': expect.stringMatching(/^sentry sentry_key=\w+$/),
  })
  for (const name of ['sentry-trace', 'baggage', 'traceparent']) expect(headers).not.toHaveProperty(name)
  await leave(page)
  await station.expectByteForByte()
})

test('the export of spans causes no span, neither in the page nor on the server', async ({ page, telemetry }) => {
  const exports = watchExports(page)
  const { traceId } = await cause(page, 'mixed-trace')
  await telemetry.waitFor.span({ traceId, name: 'lab otel checkout' })
  // A span of the export would have been exported by then.
  const end = await page.evaluate((ms) => performance.now() + ms, WATCHED_MS)
  await page.waitForFunction((at) => performance.now() > at, end)
  expect(exports).toHaveLength(1)
  await leave(page)
  await telemetry.settle()
  const { spans } = telemetry.evidence()
  expect(spans.length).toBeGreaterThan(4)
  expect(spans.filter((span) => JSON.stringify(span).includes('/v1/traces'))).toEqual([])
  expect(spans.filter(({ otel }) => otel !== undefined)).toHaveLength(3)
})

test('otel-spans: 1000 of 1500 arrive, and the resource counts the others', async ({ page, telemetry }) => {
  const { traceId } = await cause(page, 'otel-spans')
  const arrived = () => telemetry.evidence().spans.filter((span) => span.traceId === traceId && span.otel !== undefined)
  await expect.poll(() => arrived().length).toBe(1000)
  const dropped = new Set(arrived().map(({ otel }) => otel?.resource.attributes['waystation.dropped_spans']))
  expect([...dropped]).toEqual([500])
  await expect(telemetry).toKeepTheContract({ only: ['span-recorder'] })
})

test('a page that is left sends its spans at once', async ({ page, telemetry }) => {
  const { traceId } = await cause(page, 'mixed-trace')
  await leave(page)
  await telemetry.waitFor.span({ traceId, name: 'lab otel payment' })
})

test('OpenTelemetry loads after the page, adds less than 25 KB, and only to pages that use it', async ({ page }) => {
  const scripts = new Map<string, Promise<string>>()
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.set(response.url(), response.text())
  })
  /** Sizes of the scripts of the recorder. */
  const recorder = async (): Promise<readonly number[]> => {
    const texts = await Promise.all([...scripts.values()])
    return texts.filter((text) => text.includes(RECORDER_MARK)).map((text) => gzipSync(text).length)
  }
  await page.goto('/')
  await page.waitForFunction(() => performance.now() > 2000)
  expect(await recorder()).toEqual([])
  await page.goto('/lab')
  await expect.poll(recorder).toHaveLength(1)
  expect((await recorder())[0]).toBeLessThan(MOST_BYTES)
})
