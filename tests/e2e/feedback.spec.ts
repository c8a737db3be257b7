import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { collectorClient } from '../../lib/wire/collector-client'
import type { SignalRow } from '../../lib/wire/signal'
import { axeFindings, overflow } from './page-quality'
import { type RunningWaystation, startWaystation } from './running'
import { expect, test } from './station'

// These tests cause errors on purpose.
test.use({ unexpectedErrors: 'ignore' })
test.describe.configure({ timeout: 120_000 })

/** Each test has an address of its own, because the app limits messages by address. */
let addresses = 0
test.beforeEach(async ({ context }) => {
  addresses += 1
  await context.setExtraHTTPHeaders({ 'x-forwarded-for': `192.0.2.${addresses}` })
})

const question = (page: Page) => page.getByRole('textbox', { name: 'What were you doing?' })
const email = (page: Page) => page.getByRole('textbox', { name: 'Your e-mail address' })
const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()
const result = (page: Page) => page.locator('#result')

async function feedbackOf(running: Pick<RunningWaystation, 'collectorUrl'>): Promise<readonly SignalRow[]> {
  const filter = { own: 'show' }
  return (await collectorClient(running.collectorUrl, fetch).signals('feedback', { filter })).signals
}

/** Opens pages of an app without scripts. */
async function withoutScripts(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false })
  return context.newPage()
}

/** Findings of axe and of a narrow window, in light and dark. */
async function qualityOf(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const finding of await axeFindings(page)) found.push(`${colorScheme}: ${finding}`)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  const beyond = await overflow(page)
  return beyond === null ? found : [...found, beyond]
}

test('an error of the server leads to the form, and the message is stored and shown with the error', async ({
  page,
  station,
  telemetry,
}) => {
  await page.goto('/lab')
  await page.getByTestId('lab-server-page-error').click()
  const fallback = page.getByTestId('error-fallback')
  await expect(page.getByRole('navigation')).toHaveCount(0)
  const eventId = await fallback.getByTestId('event-id').innerText()
  const digest = (await fallback.getByTestId('digest').innerText()).replace('Digest: ', '')
  const { traceId } = await telemetry.waitFor.error({ eventId, digest, service: 'browser' })
  const onServer = await telemetry.waitFor.error({ traceId, digest, service: 'server' })
  expect(await qualityOf(page)).toEqual([])

  await fallback.getByRole('link', { name: 'Tell us what you were doing' }).click()
  await expect(page).toHaveTitle('Tell us what you were doing · Waystation')
  await expect(page.getByRole('navigation')).toHaveCount(0)
  await expect(page.getByText(eventId)).toBeVisible()
  expect(await qualityOf(page)).toEqual([])
  const message = `I pressed <b>pay</b>\ntwice ${crypto.randomUUID()}`
  await question(page).fill(message)
  await email(page).fill('me@example.org')
  const arrival = telemetry.waitFor.item({ type: 'feedback' })
  await send(page)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you. Your message is stored.')
  await expect(result(page)).toBeFocused()
  expect(await qualityOf(page)).toEqual([])

  await arrival
  const stored = (await feedbackOf(station.running)).find(({ fields }) => fields.message === message)
  expect(stored).toMatchObject({
    eventId,
    traceId,
    fields: { contact: 'me@example.org', url: `${station.home}/lab/server-error` },
  })
  for (const id of [eventId, onServer.eventId]) {
    await page.goto(`/events/${id}`)
    const messages = page.getByRole('region', { name: '1 message of people' })
    await expect(messages).toContainText(message)
    await expect(messages).toContainText('me@example.org')
  }
  await expect(page.getByRole('link', { name: 'about another event of this trace' })).toHaveAttribute(
    'href',
    `/events/${eventId}`,
  )
})

test('links to boards are shown only to those who may read them', async ({ page }) => {
  const token = 'a-token-of-sixteen-letters'
  const running = await startWaystation({ env: { WAYSTATION_TOKEN: token, WAYSTATION_HOST: '127.0.0.1' } })
  try {
    const paths = ['/login', '/no-such-page', '/feedback']
    for (const path of paths) {
      await page.goto(running.appUrl + path)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByRole('navigation')).toHaveCount(0)
      await expect(page.locator('a[href^="/traces"], a[href^="/envelopes"], a[href^="/events"]')).toHaveCount(0)
      expect(await qualityOf(page)).toEqual([])
    }
    const post = await page.request.post(`${running.appUrl}/feedback/send`, { form: { message: 'without a session' } })
    expect(post.status()).toBe(200)
  } finally {
    await running.stop()
  }
})

test.describe('with an app of its own', () => {
  let running: RunningWaystation
  test.beforeAll(async () => {
    test.setTimeout(120_000)
    running = await startWaystation()
  })
  test.afterAll(() => running.stop())
  const lifeboat = () => join(running.dataFolder, 'lifeboat')
  const form = () => `${running.appUrl}/feedback?event=${'e'.repeat(32)}&page=/cart`

  test('works without scripts, by keyboard, and corrects mistakes', async ({ browser }) => {
    const page = await withoutScripts(browser)
    await page.goto(form())
    await page.keyboard.press('Tab')
    await expect(question(page)).toBeFocused()
    await page.keyboard.type('I opened the cart')
    await page.keyboard.press('Tab')
    await page.keyboard.type('me@localhost')
    // The browser would not send the form.
    await email(page).evaluate((element) => element.setAttribute('type', 'text'))
    await email(page).fill('me at home')
    await email(page).press('Enter')
    await expect(email(page)).toBeFocused()
    await expect(email(page)).toHaveAccessibleDescription(/“me at home” is not an e-mail address.*Optional/)
    await expect(question(page)).toHaveValue('I opened the cart')
    await email(page).fill('')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you. Your message is stored.')
    await expect(result(page)).toBeFocused()
    await expect
      .poll(() => feedbackOf(running))
      .toMatchObject([{ eventId: 'e'.repeat(32), fields: { message: 'I opened the cart', contact: null } }])
    // The message alone makes this browser a visitor, who sees it.
    await page.getByRole('link', { name: 'What was sent about me' }).click()
    await expect(page.getByText('1 message that you wrote').first()).toBeVisible()
    await page.getByRole('link', { name: 'Go home' }).click()
    await expect(page).toHaveURL(`${running.appUrl}/`)
    await page.context().close()
  })

  test('says that a message waits while the collector is down, and the message arrives later', async ({ page }) => {
    await running.killCollector()
    await page.goto(form())
    await question(page).fill('sent during the outage')
    await send(page)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Thank you. Your message is waiting.')
    await expect(result(page)).toBeFocused()
    expect(await qualityOf(page)).toEqual([])
    expect(readdirSync(lifeboat()).filter((name) => name.endsWith('.envelope'))).not.toEqual([])
    await running.startCollector()
    const messages = async () => (await feedbackOf(running)).map(({ fields }) => fields.message)
    await expect.poll(messages, { timeout: 60_000 }).toContain('sent during the outage')
  })

  test('says that a message was not sent when the lifeboat is full, and keeps it for a retry', async ({ page }) => {
    await running.killCollector()
    mkdirSync(lifeboat(), { recursive: true })
    // The lifeboat reads the size of a file from its name.
    const full = join(lifeboat(), `000000000000001-000000-${crypto.randomUUID()}-67108864.envelope.unreadable`)
    writeFileSync(full, '')
    await page.goto(form())
    const message = 'written "once" <i>only</i>\n\nwith an empty line'
    await question(page).fill(message)
    await email(page).fill('me@example.org')
    await send(page)
    await expect(page.getByRole('alert')).toContainText('Your message was not sent')
    await expect(result(page)).toBeFocused()
    await expect(question(page)).toHaveValue(message)
    await expect(email(page)).toHaveValue('me@example.org')
    expect(await qualityOf(page)).toEqual([])
    rmSync(full)
    await running.startCollector()
    // The circuit of the tunnel may be open for a second.
    await expect(async () => {
      await send(page)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(/is (?:stored|waiting)\./, { timeout: 2000 })
    }).toPass({ timeout: 30_000 })
    const messages = async () => (await feedbackOf(running)).map(({ fields }) => fields.message)
    await expect.poll(messages, { timeout: 60_000 }).toContain(message)
  })

  test('refuses a foreign page, limits messages of an address, and leads a reload to the form', async ({ page }) => {
    const url = `${running.appUrl}/feedback/send`
    const post = (headers: Record<string, string>) =>
      page.request.post(url, { headers, form: { message: 'again' }, maxRedirects: 0 })
    expect((await post({ origin: 'https://evil.test' })).status()).toBe(403)
    const from = { 'x-forwarded-for': '198.51.100.1' }
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent += 1) statuses.push((await post(from)).status())
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    const limited = await post(from)
    expect(Number(limited.headers()['retry-after'])).toBeGreaterThan(0)
    expect(await limited.text()).toContain('too many messages')
    await page.goto(url)
    await expect(page).toHaveURL(`${running.appUrl}/feedback`)
    await page.locator('form').evaluate((element) => element.setAttribute('novalidate', ''))
    await send(page)
    await expect(question(page)).toBeFocused()
    await expect(question(page)).toHaveAccessibleDescription(/^Write what you were doing: the text is empty\. Required/)
    expect(await qualityOf(page)).toEqual([])
  })
})
