import type { Losses } from '../../lib/wire/losses'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { answerOf, expect, type Page, type Station, test } from './station'

/** Upstream refuses this many errors, which become dead letters. */
const refuse = ({ upstream }: Station, times: number): void =>
  upstream.play({ answers: [{ categories: ['error'], status: 413, body: 'too <b>large</b> for me', times }] })

const rowOf = (page: Page, seq: number) => page.locator(`tr[data-envelope="${seq}"]`)
const letterOf = (page: Page, seq: number) => page.locator(`tr[data-dead-letter="${seq}"]`)
const choose = (page: Page, seq: number) => page.getByRole('checkbox', { name: `Select envelope ${seq}` }).check()

test('the delivery list shows the progress of each envelope, and a row opens its timeline', async ({
  page,
  program,
}) => {
  await page.goto('/deliveries')
  await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  const { seq } = await program.sendError('follow me')
  for (const part of ['error', 'posted', '200', 'accepted']) await expect(rowOf(page, seq)).toContainText(part)
  await rowOf(page, seq)
    .getByRole('link', { name: String(seq) })
    .click()
  await expect(page).toHaveURL(`/envelopes/${seq}`)
  const steps = page.getByRole('region', { name: 'Timeline' }).locator('ol > li')
  await expect(steps).toHaveCount(5)
  for (const step of ['received', 'stored', 'digested', 'attempt 1: 200', 'accepted'])
    await expect(steps.filter({ hasText: step })).toHaveCount(1)
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText(/posted · sha256/)
})

test('attempts are listed with their answers, and filtered by them', async ({ page, station, program }) => {
  station.upstream.play({ answers: [{ status: 503, body: 'busy', times: 1 }] })
  const { seq } = await program.sendError('try again')
  const tries = async () => (await station.collector.envelope(seq))?.attempts.map(({ status }) => status)
  await expect.poll(tries).toEqual([503, 200])
  await page.goto(`/deliveries?show=attempts&envelope=${seq}`)
  await expect(page.locator('tr[data-attempt]')).toHaveCount(2)
  await expect(page.locator('tr[data-attempt]').first()).toContainText('200')
  await page.getByRole('combobox', { name: 'Filter attempts' }).fill('status:503 ')
  await expect(page.locator('tr[data-attempt]')).toHaveCount(1)
  await expect(page.locator('tr[data-attempt]')).toContainText('busy')
  await page.goto(`/envelopes/${seq}`)
  await expect(page.locator('ol > li').filter({ hasText: 'attempt 2' })).toContainText('after the previous attempt')
})

test('attempts are plotted over time, and a part of the plot shows the way of an envelope', async ({
  page,
  station,
  program,
}) => {
  station.upstream.play({ answers: [{ status: 503, body: 'busy', times: 1 }] })
  const { seq } = await program.sendError('on the axis')
  const tries = async () => (await station.collector.envelope(seq))?.attempts.length
  await expect.poll(tries).toBe(2)
  await page.goto('/deliveries')
  const plot = page.getByRole('region', { name: 'Attempts over time', exact: true })
  await expect(plot.getByText(/^\d+ attempts?/)).toBeVisible()
  await plot.getByText('As a table').click()
  await expect(plot.getByRole('row').filter({ hasText: 'longest' })).not.toHaveCount(0)
  const slider = plot.getByRole('slider')
  await slider.press('End')
  const chosen = async () => {
    const text = await slider.getAttribute('aria-valuetext')
    // A minute may have ended since the attempt.
    if (text?.includes('no attempts') === true) await slider.press('ArrowLeft')
    return text
  }
  await expect.poll(chosen).toMatch(/, \d+ attempts?: /)
  const found = plot.locator('[data-attempts-at]').getByRole('button', { name: String(seq), exact: true })
  await found.first().click()
  const way = plot.getByRole('region', { name: 'Delivery' })
  await expect(way.getByRole('listitem').last()).toContainText('Upstream: accepted')
  await expect(way.getByRole('link')).toHaveAttribute('href', `/envelopes/${seq}`)
  // The address names the part and the range.
  await expect(page).toHaveURL(/[?&]part=\d+/)
  await page.reload()
  await expect(found.first()).toBeVisible()
  await plot.getByRole('button', { name: '1 h' }).click()
  await expect(page).toHaveURL(/[?&]range=hour/)
  await plot.getByRole('button', { name: 'Close these attempts' }).click()
  await expect(found).toHaveCount(0)
  await expect(page).not.toHaveURL(/part=/)
})

test('a dead letter shows the answer as text, and is sent again', async ({ page, station, program }) => {
  refuse(station, 1)
  const { seq } = await program.sendError('too large, at first')
  await page.goto('/deliveries')
  await expect(rowOf(page, seq)).toContainText('dead letter')
  await page.getByRole('navigation', { name: 'Delivery lists' }).getByRole('link', { name: 'Dead letters' }).click()
  await expect(page).toHaveURL('/deliveries?show=dead-letters')
  await expect(letterOf(page, seq)).toContainText('413 too <b>large</b> for me')
  await expect(page.getByRole('button', { name: 'Send again' })).toBeDisabled()
  await choose(page, seq)
  await page.getByRole('button', { name: 'Send again' }).click()
  const notice = page.getByRole('status').filter({ hasText: `Envelope ${seq}` })
  await expect(notice).toBeFocused()
  await expect(notice.getByRole('link', { name: String(seq) })).toHaveAttribute('href', `/envelopes/${seq}`)
  await expect(letterOf(page, seq)).toHaveCount(0)
  await page.goto(`/envelopes/${seq}`)
  const steps = page.getByRole('region', { name: 'Timeline' }).locator('ol > li')
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText('413')
  await expect(steps.filter({ hasText: 'attempt 2' })).toContainText('200')
  await expect(steps.last()).toContainText('accepted')
})

test('dead letters are dropped after confirmation, and count as lost by a person', async ({
  page,
  station,
  program,
  telemetry,
}) => {
  refuse(station, 2)
  const { seq: one } = await program.sendError('to drop')
  const { seq: other } = await program.sendError('to keep')
  await page.goto('/deliveries?show=dead-letters')
  await choose(page, one)
  await page.getByRole('button', { name: /^Drop/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Drop?' })
  await expect(dialog).toContainText('1 dead letter will never reach upstream.')
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Drop', exact: true }).click()
  await expect(page.getByText('1 envelope dropped.')).toBeVisible()
  await expect(letterOf(page, one)).toHaveCount(0)
  await expect(letterOf(page, other)).toBeVisible()

  const stamp = encodeURIComponent(telemetry.stamp)
  await page.goto(`/losses?stamp=${stamp}`)
  const loss = page.locator('tr[data-by="person"]')
  await expect(loss).toContainText(/^1\s*error/)
  await expect(loss.getByRole('link')).toHaveAttribute('href', `/deliveries?delivery=dropped&type=event&stamp=${stamp}`)
  await expect(page.locator('tr[data-category="error"] [data-amount="pending"]')).toHaveText('1')
  await page.goto('/deliveries?show=dead-letters')
  await choose(page, other)
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect(page.locator('[data-no-dead-letters]')).toBeVisible()
})

test('the losses of a stamp show the items that were made, accepted and lost, by cause', async ({
  page,
  station,
  program,
}) => {
  const stamp = `account-${station.lifecycle}`
  await page.goto(`/losses?stamp=${stamp}`)
  await expect(page.locator('[data-empty]')).toContainText('Nothing recorded with this stamp')
  const { localDsn } = station.running
  const discarded = [{ reason: 'sample_rate', category: 'transaction', quantity: 3 }]
  const report = `{}\n{"type":"client_report"}\n${JSON.stringify({ discarded_events: discarded })}`
  for (const body of [errorEnvelope(localDsn).body, transactionEnvelope(localDsn).body, report])
    await program.send(body, stamp)
  const open = async () => (await station.collector.losses({ stamp })).categories.filter(({ pending }) => pending > 0)
  await expect.poll(open).toEqual([])
  const { sentence } = await station.collector.losses({ stamp })
  await expect(page.locator('dl [data-amount="lost"]')).toHaveText('lost0')
  const shown = page.locator('[data-sentence]')
  await expect(shown).toHaveText(`By data category: ${sentence}.`)
  await expect(page.locator('[data-not-sent="sample_rate"]')).toContainText('3 transactions: it was not sampled')
  await expect(page.locator('tr[data-loss]')).toHaveCount(0)
  const row = page.locator('tr[data-category="transaction"]')
  for (const [amount, quantity] of [
    ['made', 4],
    ['notSent', 3],
    ['lost', 0],
    ['discarded', 0],
    ['received', 1],
    ['accepted', 1],
    ['unexplained', 0],
  ] as const)
    await expect(row.locator(`[data-amount="${amount}"]`)).toHaveText(String(quantity))
  await page.getByRole('textbox', { name: 'Stamp' }).fill('no stamp')
  await expect(page.getByText(/^Invalid stamp: expected a stamp of/)).toBeVisible()
})

test('unexplained items are shown in red and as text', async ({ page, station, program }) => {
  await program.sendError('for the ledger')
  const read = await station.collector.losses()
  const [first, ...rest] = read.categories
  if (first === undefined) throw new Error('something was received')
  const wrong: Losses = { ...read, categories: [{ ...first, unexplained: 2 }, ...rest] }
  await page.route('**/query/losses*', (route) => route.fulfill(answerOf(wrong)))
  await page.goto('/losses')
  await expect(page.getByRole('alert').filter({ hasText: `2 ${first.category} unexplained` })).toBeVisible()
  const cell = page.locator(`tr[data-category="${first.category}"] [data-amount="unexplained"]`)
  await expect(cell).toHaveText('✕ 2 unexplained')
  await expect(cell).toHaveAttribute('data-side', 'wrong')
})

test('a segment, an error and an envelope show their delivery status', async ({ page, station, program }) => {
  const { body, traceId } = transactionEnvelope(station.running.localDsn, { name: 'GET /status' })
  await program.send(body)
  await page.goto(`/traces/${traceId}`)
  // Rows say only what needs attention.
  await expect(page.getByRole('definition').filter({ hasText: 'accepted' })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'GET /status' })).not.toContainText('accepted')
  refuse(station, 1)
  const { seq, eventId } = await program.sendError('a refused error')
  await page.goto(`/events/${eventId}`)
  await expect(page.getByText('dead letter', { exact: true })).toBeVisible()
  await page.goto(`/envelopes/${seq}`)
  await expect(page.getByText('Dead letter:')).toBeVisible()
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('dead letter')
  await page.getByRole('button', { name: /^Drop/ }).click()
  await page.getByRole('dialog', { name: 'Drop?' }).getByRole('button', { name: 'Drop', exact: true }).click()
  await expect(page.getByText('1 envelope dropped.')).toBeVisible()
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('dropped')
})

test('a cut envelope lists the left-out items and each outcome', async ({ page, station, program, telemetry }) => {
  // An invented category, because the limit outlives this test and other tests share the station.
  const limits = { 'X-Sentry-Rate-Limits': '60:x_ledger:key:quota' }
  station.upstream.play({ answers: [{ status: 200, headers: limits, times: 1 }] })
  const limiting = await program.sendError('is answered with a limit')
  const attempts = async () => (await station.collector.envelope(limiting.seq))?.attempts.length
  await expect.poll(attempts).toBe(1)
  const { body, eventId } = errorEnvelope(station.running.localDsn, { message: 'is relayed alone' })
  await program.send(`${body}\n{"type":"x_ledger"}\n{}`)
  const { seq } = await telemetry.waitFor.error({ eventId })
  await page.goto(`/envelopes/${seq}`)
  await expect(page.getByRole('list', { name: 'Left out' })).toHaveText(
    'item 2, x_ledger: cut: upstream limits this category',
  )
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('accepted')
  await expect(page.getByRole('article', { name: 'Item 2' })).toContainText(/rate limited.*cut: upstream limits/)
  const steps = page.getByRole('region', { name: 'Timeline' }).locator('ol > li')
  await expect(steps.filter({ hasText: 'item 2 x_ledger' })).toContainText('rate limited')
  await page.goto(`/envelopes/${limiting.seq}`)
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText('X-Sentry-Rate-Limits 60:x_ledger:key:quota')
})
