import { cause, expect, followTrace, leave, press, test } from './station'

test.afterEach(async ({ page, station }) => {
  await leave(page)
  await station.expectByteForByte()
})

test('spans: all 1500 arrive or are counted in a client report', async ({ page, station, telemetry }) => {
  const { traceId } = await cause(page, 'spans')
  const labSpans = () => telemetry.evidence().spans.filter((span) => span.traceId === traceId && span.op === 'lab.span')
  if (station.lifecycle === 'static') {
    await telemetry.waitFor.transaction({ traceId, name: 'lab: spans' })
    expect(labSpans()).toHaveLength(1000)
    await followTrace(page, 'spans', 'lab: spans')
    await leave(page)
    const left = { reason: 'buffer_overflow', category: 'span', quantity: 500 }
    await telemetry.waitFor.clientReport({ fields: left })
    return
  }
  await expect.poll(() => labSpans().length).toBe(1500)
  const quantities = telemetry.evidence().items.flatMap(({ type, quantity }) => (type === 'span' ? [quantity] : []))
  expect(Math.max(...quantities)).toBeLessThanOrEqual(1000)
  await followTrace(page, 'spans', 'lab: spans')
})

test('slow-call: the server’s segment takes two seconds', async ({ page, telemetry }) => {
  const { traceId } = await cause(page, 'slow-call')
  const server = await telemetry.waitFor.transaction({ traceId, service: 'server' })
  expect(server.endUs - server.startUs).toBeGreaterThan(1_900_000)
  await followTrace(page, 'slow-call', '/lab/api/slow')
})

test('localhost-call: another localhost port receives trace headers, and its segment joins the trace', async ({
  page,
  telemetry,
}) => {
  const { traceId, seen } = await cause(page, 'localhost-call')
  expect(seen).toContain(`sentry-trace arrived: ${traceId}`)
  const neighbour = await telemetry.waitFor.transaction({ traceId, name: 'GET /neighbour' })
  await telemetry.waitFor.span({ spanId: neighbour.parentSpanId ?? '', op: 'http.client' })
  await followTrace(page, 'localhost-call', 'GET /neighbour')
})

for (const host of ['localhost', '127.0.0.1']) {
  test(`foreign-call: a foreign origin receives no trace headers when the app is opened at ${host}`, async ({
    page,
    station,
    telemetry,
  }) => {
    await page.goto(`${station.home.replace('localhost', host)}/lab`)
    const { traceId, seen } = await press(page, 'foreign-call')
    expect(seen).toContain('no sentry-trace arrived')
    expect(seen).toContain('no baggage arrived')
    await telemetry.waitFor.transaction({ traceId })
    const { segments } = await telemetry.trace(traceId)
    expect(segments.map(({ service }) => service)).toEqual(['browser'])
    await followTrace(page, 'foreign-call', 'lab: foreign call')
  })
}

for (const [id, type] of [
  ['log', 'log'],
  ['metric', 'trace_metric'],
] as const) {
  test(`${id}: sends one item, which its envelope page shows raw`, async ({ page, telemetry }) => {
    const { traceId } = await cause(page, id)
    const item = await telemetry.waitFor.item({ type })
    expect(item).toMatchObject({ category: type === 'log' ? 'log_item' : 'trace_metric', quantity: 1 })
    await page.goto(`/envelopes/${item.seq}`)
    await expect(page.getByText(traceId).first()).toBeVisible()
  })
}
