import { gzipSync } from 'node:zlib'
import { expect, leave, openLab, type Page, test } from './station'

/** The script of the SDK, gzip; the app may add a little to it. */
const MOST_BYTES = 62_000
/** In every build of the SDK. */
const SDK_MARK = 'sentry.javascript.'
/** In every build of zod. */
const ZOD_MARK = 'ZodError'
const SCRIPTS = '**/_next/static/**/*.js'

/** Stops the script of the SDK alone, for good or until `pass`. @returns a promise of the page's request */
async function stopSdk(page: Page, pass: Promise<void> | null): Promise<{ readonly requested: Promise<void> }> {
  let request: () => void = () => undefined
  const requested = new Promise<void>((resolve) => {
    request = resolve
  })
  await page.route(SCRIPTS, async (route) => {
    const response = await route.fetch()
    if (!(await response.text()).includes(SDK_MARK)) return route.fulfill({ response })
    request()
    if (pass === null) return route.abort()
    await pass
    await route.fulfill({ response })
  })
  return { requested }
}

test('a page downloads its SDK after the first paint, in one script, and never the schemas of boards', async ({
  page,
}) => {
  const scripts: Promise<{ readonly url: string; readonly text: string }>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return
    scripts.push(response.text().then((text) => ({ url: response.url(), text })))
  })
  const posted = page.waitForRequest((request) => new URL(request.url()).pathname === '/tunnel')
  await page.goto('/lab/nowhere')
  await posted
  const loaded = await Promise.all(scripts)
  const sdk = loaded.filter(({ text }) => text.includes(SDK_MARK))
  expect(sdk).toHaveLength(1)
  expect(gzipSync(sdk[0]?.text ?? '').length).toBeLessThan(MOST_BYTES)
  const beforePaint = await page.evaluate((url) => {
    const [painted] = performance.getEntriesByName('first-contentful-paint')
    const [script] = performance.getEntriesByName(url)
    return (script?.startTime ?? 0) < (painted?.startTime ?? 0)
  }, sdk[0]?.url ?? '')
  expect(beforePaint).toBe(false)
  expect(loaded.filter(({ text }) => text.includes(ZOD_MARK)).map(({ url }) => url)).toEqual([])
})

/** Opens the lab without its SDK, and returns what lets it load. */
async function openBeforeSdk(page: Page): Promise<() => void> {
  let pass: () => void = () => undefined
  const { requested } = await stopSdk(page, new Promise((resolve) => (pass = resolve)))
  // The document is not complete before the script is.
  await page.goto('/lab', { waitUntil: 'commit' })
  await requested
  return pass
}

test('errors before the SDK runs are reported when it does, with the type and position of later ones', async ({
  page,
  telemetry,
}) => {
  telemetry.allow(/thrown early|refused early/)
  const pass = await openBeforeSdk(page)
  const thrown = telemetry.waitFor.error({ title: /thrown early/ })
  const refused = telemetry.waitFor.error({ title: /refused early/ })
  const seen = page.waitForEvent('pageerror', { predicate: (error) => error.message.includes('refused early') })
  await page.evaluate(() => {
    setTimeout(() => {
      throw 'thrown early'
    })
    setTimeout(() => Promise.reject('refused early'))
  })
  await seen
  pass()
  await Promise.all([thrown, refused])
  const { events } = telemetry.evidence()
  const earlyOnes = events.filter(({ title }) => title.includes('early'))
  expect(earlyOnes.map(({ mechanism }) => mechanism)).toEqual([
    'auto.browser.global_handlers.onerror',
    'auto.browser.global_handlers.onunhandledrejection',
  ])
  const [withPosition, withType] = earlyOnes.map(({ exceptions }) => exceptions[0])
  expect(withPosition?.frames).toHaveLength(1)
  expect(withType?.type).toBe('UnhandledRejection')
})

test('a link before the SDK runs is a navigation of its own, and its missing page is not sent', async ({
  page,
  station,
  telemetry,
}) => {
  const category = station.lifecycle === 'static' ? 'transaction' : 'span'
  const report = telemetry.waitFor.clientReport({ fields: { reason: 'ignored', category } })
  const pageload = telemetry.waitFor.transaction({ op: 'pageload', name: '/lab' })
  const pass = await openBeforeSdk(page)
  await page.getByTestId('lab-visit-not-found').click()
  await expect(page.getByRole('heading', { level: 1, name: 'This page does not exist' })).toBeVisible()
  pass()
  expect((await pageload).attributes['url.path']).toBe('/lab')
  await leave(page)
  await report
  await telemetry.settle()
  expect(telemetry.evidence().segments.filter(({ op }) => op === 'navigation')).toEqual([])
})

test('a page whose SDK is blocked works without it', async ({ page, telemetry }) => {
  await stopSdk(page, null)
  const off = page.waitForEvent('console', { predicate: (line) => line.text().startsWith('Telemetry is off') })
  await openLab(page)
  await off
  await page.getByTestId('lab-render-error').click()
  await expect(page.getByTestId('error-fallback')).toBeVisible()
  await telemetry.settle()
  expect(telemetry.evidence().segments.filter(({ service }) => service === 'browser')).toEqual([])
})

test('a page whose scripts are all blocked shows its document, and the server’s telemetry arrives', async ({
  page,
  telemetry,
}) => {
  await page.route('**/_next/static/**', (route) => route.abort())
  const server = telemetry.waitFor.transaction({ op: 'http.server', name: 'GET /lab' })
  await page.goto('/lab')
  await expect(page.getByRole('heading', { level: 1, name: 'Lab' })).toBeVisible()
  await server
  await page.goto('/diagnostics')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})
