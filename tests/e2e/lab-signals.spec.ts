import { callJoined, cause, discarded, expect, followTrace, leave, test, tunnelled } from './station'

test.afterEach(async ({ page, station }) => {
  await leave(page)
  await station.expectByteForByte()
})

test('spans: of 1500 all are accounted for', async ({ page, station, home }) => {
  const overflowBefore = discarded(station).get('buffer_overflow span') ?? 0
  const { traceId } = await cause(page, home, 'spans')
  const isLabSpan = (span: { op: string | null }): boolean => span.op === 'lab.span'
  if (station.lifecycle === 'static') {
    const trace = await station.traceOnce(traceId, (one) => one.spans.filter(isLabSpan).length === 1000)
    expect(trace.segments).toHaveLength(1)
    await followTrace(page, 'spans', 'lab: spans')
    await leave(page)
    await expect.poll(() => discarded(station).get('buffer_overflow span') ?? 0).toBe(overflowBefore + 500)
    return
  }
  await station.traceOnce(traceId, (one) => one.spans.filter(isLabSpan).length === 1500)
  const containers = tunnelled(station, 'span').map((container) => (container.items as unknown[]).length)
  expect(Math.max(...containers)).toBeLessThanOrEqual(1000)
  await followTrace(page, 'spans', 'lab: spans')
})

test('slow-call: the browser’s call and the server’s segment both take the two seconds', async ({
  page,
  station,
  home,
}) => {
  const { traceId } = await cause(page, home, 'slow-call')
  const trace = await station.traceOnce(traceId, (one) => one.segments.some((segment) => segment.service === 'server'))
  const server = trace.segments.find((segment) => segment.service === 'server')
  expect((server?.endUs ?? 0) - (server?.startUs ?? 0)).toBeGreaterThan(1_900_000)
  await followTrace(page, 'slow-call', '/lab/api/slow')
})

test('localhost-call: trace headers go to another localhost port, and its segment joins', async ({
  page,
  station,
  home,
}) => {
  const { traceId, seen } = await cause(page, home, 'localhost-call')
  expect(seen).toContain(`sentry-trace arrived: ${traceId}`)
  const trace = await station.traceOnce(traceId, callJoined)
  const neighbour = trace.segments.find((segment) => segment.name === 'GET /neighbour')
  expect(trace.spans.find((span) => span.spanId === neighbour?.parentSpanId)).toMatchObject({ op: 'http.client' })
  await followTrace(page, 'localhost-call', 'GET /neighbour')
})

for (const host of ['localhost', '127.0.0.1']) {
  test(`foreign-call: no trace headers go to a foreign origin, the app opened as ${host}`, async ({
    page,
    station,
    home,
  }) => {
    const { traceId, seen } = await cause(page, home.replace('localhost', host), 'foreign-call')
    expect(seen).toContain('no sentry-trace arrived')
    expect(seen).toContain('no baggage arrived')
    const trace = await station.traceOnce(traceId, (one) => one.segments.length > 0)
    expect(trace.segments.map((segment) => segment.service)).not.toContain('server')
    await followTrace(page, 'foreign-call', 'lab: foreign call')
  })
}

for (const [id, type] of [
  ['log', 'log'],
  ['metric', 'trace_metric'],
] as const) {
  test(`${id}: one item arrives, is kept, counted and shown raw`, async ({ page, station, home }) => {
    const before = tunnelled(station, type).length
    const { traceId } = await cause(page, home, id)
    await expect.poll(() => tunnelled(station, type).length, { timeout: 15_000 }).toBe(before + 1)
    const holds = async () =>
      (await station.collector.envelopes({ limit: 200 })).envelopes.find((one) =>
        one.items.some((item) => item.type === type),
      )
    await expect.poll(holds).toBeDefined()
    const envelope = await holds()
    expect(envelope?.items[0]).toMatchObject({ category: type === 'log' ? 'log_item' : 'trace_metric', quantity: 1 })
    await page.goto(`${home}/envelopes/${envelope?.seq}`)
    await expect(page.getByText(traceId).first()).toBeVisible()
  })
}
