import { cause, expect, followTrace, leave, openLab, test } from './station'

// The lab causes errors on purpose.
test.use({ unexpectedErrors: 'ignore' })

test.afterEach(async ({ page, station }) => {
  await leave(page)
  await station.expectByteForByte()
})

for (const [id, handled, mechanism] of [
  ['handled-error', true, 'generic'],
  ['unhandled-error', false, 'auto.browser.global_handlers.onerror'],
  ['promise-rejection', false, 'auto.browser.global_handlers.onunhandledrejection'],
] as const) {
  test(`${id}: sends one event in its own trace`, async ({ page, telemetry }) => {
    const { traceId, eventId } = await cause(page, id)
    const error = await telemetry.waitFor.error({ traceId, eventId })
    expect(error).toMatchObject({ handled, mechanism, service: 'browser', environment: 'production' })
    await telemetry.waitFor.transaction({ traceId })
    expect((await telemetry.trace(traceId)).events).toHaveLength(1)
    await page.getByTestId(`lab-${id}-trace`).click()
    await expect(page.getByRole('treegrid')).toBeVisible()
    await expect(page.getByText(error.title).first()).toBeVisible()
    await page.goto(`/events/${eventId}`)
    await expect(page.getByText(error.title).first()).toBeVisible()
  })
}

test('render-error: the fallback has the client-side text and no digest, and links to its event', async ({
  page,
  telemetry,
}) => {
  await openLab(page)
  await page.getByTestId('lab-render-error').click()
  const fallback = page.getByTestId('error-fallback')
  await expect(fallback.getByRole('heading')).toHaveText('Application error: a client-side exception has occurred')
  await expect(fallback.getByTestId('digest')).toHaveCount(0)
  await telemetry.waitFor.error({ eventId: await fallback.getByTestId('event-id').innerText() })
  await fallback.getByTestId('trace-link').click()
  await expect(page.getByText('while rendering').first()).toBeVisible()
})

test('an error in the root layout shows the global fallback with its own document, and its event arrives', async ({
  page,
  telemetry,
}) => {
  // The app has no such error, so the test breaks the query of the address, which the root layout writes as text.
  await page.addInitScript(() => {
    const written = URLSearchParams.prototype.toString
    URLSearchParams.prototype.toString = function () {
      // Next passes a subclass that cannot be changed.
      if (Object.getPrototypeOf(this) !== URLSearchParams.prototype) throw new Error('the root layout is broken')
      return Reflect.apply(written, this, [])
    }
  })
  await page.goto('/lab')
  const fallback = page.getByTestId('error-fallback')
  await expect(fallback.getByRole('heading')).toHaveText('Application error: a client-side exception has occurred')
  await expect(page.getByRole('navigation')).toHaveCount(0)
  const eventId = await fallback.getByTestId('event-id').innerText()
  await telemetry.waitFor.error({ eventId, title: 'Error: the root layout is broken' })
  await expect(page.locator('html[data-waystation]')).toHaveCount(0)
})

test('server-page-error: the fallback has the server-side text and the digest, and browser and server send an event', async ({
  page,
  telemetry,
}) => {
  await openLab(page)
  await page.getByTestId('lab-server-page-error').click()
  const fallback = page.getByTestId('error-fallback')
  await expect(fallback.getByRole('heading')).toHaveText('Application error: a server-side exception has occurred')
  const digest = (await fallback.getByTestId('digest').innerText()).replace('Digest: ', '')
  expect(digest).toMatch(/^\d+/)
  const eventId = await fallback.getByTestId('event-id').innerText()
  const error = await telemetry.waitFor.error({ eventId, service: 'browser', digest })
  await telemetry.waitFor.error({ traceId: error.traceId, service: 'server', digest })
  const { events } = await telemetry.trace(error)
  expect(events.map(({ service }) => service).sort()).toEqual(['browser', 'server'])
  await fallback.getByTestId('trace-link').click()
  await expect(
    page.getByRole('treegrid').getByRole('row').filter({ hasText: '/lab/server-error' }).first(),
  ).toBeVisible()
})

for (const id of ['route-handler-error', 'server-action-error'] as const) {
  test(`${id}: the server's event and segment join the browser's trace`, async ({ page, telemetry }) => {
    const server = telemetry.waitFor.transaction({ service: 'server', name: /^POST \/lab/ })
    const error = telemetry.waitFor.error({ service: 'server' })
    const { traceId } = await cause(page, id)
    expect(await error).toMatchObject({ traceId })
    await telemetry.waitFor.span({ spanId: (await server).parentSpanId ?? '', op: 'http.client', service: 'browser' })
    await expect(await telemetry.trace(traceId)).toHaveSpanTree('http.client > http.server "POST /lab*"')
    await followTrace(page, id, 'POST /lab')
  })
}

test('edge-error: the edge runtime sends an event', async ({ page, telemetry }) => {
  const { traceId } = await cause(page, 'edge-error')
  await telemetry.waitFor.error((error) => error.traceId === traceId && error.service !== 'browser')
  await followTrace(page, 'edge-error', 'lab: edge error')
})

test('breadcrumbs: the newest 100 of 150 arrive, in order', async ({ page, telemetry }) => {
  const { eventId } = await cause(page, 'breadcrumbs')
  const { breadcrumbs } = await telemetry.waitFor.error({ eventId })
  expect(breadcrumbs.map(({ message }) => message)).toEqual(
    Array.from({ length: 100 }, (_, index) => `lab breadcrumb ${index + 51}`),
  )
  await page.goto(`/events/${eventId}`)
  await expect(page.getByText('lab breadcrumb 150').first()).toBeVisible()
})
