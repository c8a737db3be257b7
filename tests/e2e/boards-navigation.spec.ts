import { field } from './filter-bar'
import { expect, type Page, test } from './station'

/** Marks the document, which a new one lacks. */
const mark = (page: Page) => page.evaluate(() => document.documentElement.setAttribute('data-kept', ''))
const kept = (page: Page) => page.locator('html[data-kept]')
const header = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

test('a link to another board changes the view, the title and the focus, and keeps the document', async ({ page }) => {
  await page.goto('/envelopes')
  await expect(heading(page, 'Envelopes')).toBeVisible()
  await mark(page)
  await header(page, 'Limits').click()
  await expect(heading(page, 'Limits')).toBeVisible()
  await expect(page).toHaveURL('/limits')
  await expect(page).toHaveTitle('Limits · Waystation')
  await expect(page.locator('#content')).toBeFocused()
  await expect(header(page, 'Limits')).toHaveAttribute('aria-current', 'page')
  await page.goBack()
  await expect(heading(page, 'Envelopes')).toBeVisible()
  await expect(page).toHaveTitle('Envelopes · Waystation')
  await page.goForward()
  await expect(heading(page, 'Limits')).toBeVisible()
  await expect(kept(page)).toHaveCount(1)
})

test('the first load of a board requests only what its document names', async ({ page, station }) => {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/boards/')) paths.push(pathname)
  })
  await page.goto('/traces')
  await expect(heading(page, 'Traces')).toBeVisible()
  const html = await (await fetch(`${station.running.collectorUrl}/traces`)).text()
  const named = [...html.matchAll(/(?:src| href)="(\/boards\/[^"]+)"/g)].map(([, path = '']) => path)
  expect([...new Set(paths)].sort()).toEqual(named.sort())
})

test('the second style sheet loads before the first board that uses it is shown', async ({ page }) => {
  let requests = 0
  await page.route(/\/more-styles-/, (route) => {
    requests += 1
    return requests === 1 ? route.abort() : route.continue()
  })
  await page.goto('/traces')
  await mark(page)
  await expect(heading(page, 'Traces')).toBeVisible()
  const rules = () =>
    page.evaluate(() => document.querySelector<HTMLLinkElement>('link[href*="more-styles"]')?.sheet?.cssRules.length)
  expect([requests, await rules()]).toEqual([0, undefined])
  // The pointer loads it, and fails; the click tries again.
  await header(page, 'Limits').hover()
  await expect.poll(() => requests).toBe(1)
  await header(page, 'Limits').click()
  await expect(heading(page, 'Limits')).toBeVisible()
  expect(await rules()).toBeGreaterThan(100)
  expect(requests).toBe(2)
  await expect(kept(page)).toHaveCount(1)
})

test('a trace is read before its page is shown, and once', async ({ page, program }) => {
  await program.sendTransactions({ name: '/read/ahead' })
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const reads: string[] = []
  await page.route(/\/columns/, async (route) => {
    reads.push(new URL(route.request().url()).search)
    await released
    await route.continue()
  })
  await page.goto(`/traces?q=${encodeURIComponent('name:/read/ahead')}`)
  await page.getByRole('link', { name: '/read/ahead' }).click()
  // The list stays for 150 ms at most.
  await expect(page.getByText('Loading …')).toBeVisible()
  expect(reads).toEqual([''])
  release()
  await expect(page.getByRole('treegrid')).toBeVisible()
  expect(reads.filter((search) => search === '')).toEqual([''])
})

test('the heading of a trace links the page that came after it, and back', async ({ page, program }) => {
  const [first, second] = ['a', 'b'].map((digit) => crypto.randomUUID().replaceAll('-', '').replace(/^./, digit))
  const span = (traceId: string | undefined, name: string, links: readonly object[]) => ({
    ...{
      trace_id: traceId,
      span_id: crypto.randomUUID().slice(-16).replaceAll('-', '0'),
      name,
      is_segment: true,
      links,
    },
    ...{ start_timestamp: Date.now() / 1000 - 1, end_timestamp: Date.now() / 1000, status: 'ok' },
    attributes: { 'sentry.op': { value: name === 'first' ? 'pageload' : 'navigation', type: 'string' } },
  })
  const before = span(first, 'first', [])
  const attributes = { 'sentry.link.type': { value: 'previous_trace', type: 'string' } }
  const after = span(second, 'second', [{ trace_id: first, span_id: before.span_id, attributes }])
  for (const one of [before, after]) {
    const header = { type: 'span', item_count: 1, content_type: 'application/vnd.sentry.items.span.v2+json' }
    await program.send([{}, header, { items: [one] }].map((line) => JSON.stringify(line)).join('\n'))
  }
  await page.goto(`/traces/${first}?show=none`)
  await page.getByRole('link', { name: 'Next trace' }).click()
  await expect(heading(page, 'second')).toBeVisible()
  await page.getByRole('link', { name: 'Previous trace' }).click()
  await expect(heading(page, 'first')).toBeVisible()
})

test('a filter that was typed stays in the entry that a link leaves', async ({ page, program }) => {
  await program.sendTransactions({ name: '/left/one' })
  await page.goto('/traces')
  await field(page).fill('left')
  await page.getByRole('link', { name: '/left/one' }).click()
  await expect(page.getByRole('treegrid')).toBeVisible()
  expect(new URL(page.url()).search).toBe('')
  await page.goBack()
  await expect(page).toHaveURL('/traces?q=left')
  await expect(page.getByRole('link', { name: '/left/one' })).toBeFocused()
})

test('a page that was scrolled is at the same position after Back, and a new page at its top', async ({ page }) => {
  await page.setViewportSize({ width: 800, height: 300 })
  await page.goto('/contract')
  await expect(heading(page, 'Contract')).toBeVisible()
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(1200)
  await mark(page)
  await page.evaluate(() => window.scrollTo({ top: 700 }))
  await page.evaluate(() => document.querySelector<HTMLAnchorElement>('a[href="/storage"]')?.click())
  await expect(heading(page, 'Storage')).toBeVisible()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.goBack()
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(700)
  await expect(kept(page)).toHaveCount(1)
})

test('the old board stays while a chunk loads; without the chunk the document is loaded', async ({ page }) => {
  await page.goto('/envelopes')
  await expect(heading(page, 'Envelopes')).toBeVisible()
  await mark(page)
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/boards\/limits-board-/, async (route) => {
    await held
    await route.continue()
  })
  await header(page, 'Limits').click()
  await expect(heading(page, 'Envelopes')).toBeVisible()
  await expect(page).toHaveURL('/envelopes')
  release()
  await expect(heading(page, 'Limits')).toBeVisible()
  await expect(kept(page)).toHaveCount(1)
  await page.route(/\/boards\/storage-board-/, (route) => route.fulfill({ status: 404 }), { times: 1 })
  await header(page, 'Storage').click()
  await expect(heading(page, 'Storage')).toBeVisible()
  await expect(kept(page)).toHaveCount(0)
})

test('without a collector a board that is not loaded leaves the old one in place', async ({ page }) => {
  await page.goto('/errors')
  await expect(heading(page, 'Errors')).toBeVisible()
  await mark(page)
  await page.route('**', (route) => route.abort())
  const failedRead = page.waitForEvent(
    'requestfailed',
    (request) => new URL(request.url()).pathname === '/query/status',
  )
  await header(page, 'Storage').click()
  await failedRead
  await expect(heading(page, 'Errors')).toBeVisible()
  await expect(page).toHaveURL('/errors')
  await page.unroute('**')
  await header(page, 'Storage').click()
  await expect(heading(page, 'Storage')).toBeVisible()
})

test('a modified click opens a tab, and a link to a file or another page loads it', async ({ page, context }) => {
  await page.goto('/envelopes')
  await mark(page)
  const opened = context.waitForEvent('page')
  await header(page, 'Limits').click({ modifiers: ['ControlOrMeta'] })
  await expect(heading(await opened, 'Limits')).toBeVisible()
  await expect(page).toHaveURL('/envelopes')
  await page.evaluate(() => {
    const link = document.createElement('a')
    link.href = '/login'
    document.body.append(link)
    link.click()
  })
  await expect(heading(page, 'Sign in')).toBeVisible()
})

test('a trace says that its search could not be loaded', async ({ page, program, station }) => {
  await program.sendTransactions({ name: 'GET /small' })
  const [newest] = (await station.collector.traces({ limit: 1 })).traces
  await page.route(/\/boards\/search-trace-/, (route) => route.fulfill({ status: 404 }))
  await page.goto(`/traces/${newest?.traceId}`)
  const input = page.getByRole('searchbox', { name: 'Find in this trace' })
  await input.fill('op:db')
  const sentence = 'The search could not be loaded. Reload the page to try again.'
  await expect(input).toHaveAccessibleDescription(sentence)
  await input.fill('')
  await expect(input).toHaveAccessibleDescription('')
})
