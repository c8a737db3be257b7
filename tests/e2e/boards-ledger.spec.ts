import type { Page } from '@playwright/test'
import { parseDsn } from '../../lib/protocol/dsn'
import type { Losses } from '../../lib/wire/losses'
import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { expect, type Station, test } from './station'

/** Posts as an SDK does, stamped where told. */
async function send(station: Station, body: string, stamp?: string): Promise<void> {
  const parsed = parseDsn(station.running.localDsn)
  if (!parsed.ok) throw new Error(parsed.error)
  const { publicKey, projectId } = parsed.value
  const response = await fetch(`${station.running.collectorUrl}/api/${projectId}/envelope/?sentry_key=${publicKey}`, {
    method: 'POST',
    headers: stamp === undefined ? {} : { 'X-Waystation-Stamp': stamp },
    body,
  })
  expect(response.status).toBe(200)
}

/** Sends an error and returns its envelope’s number. */
async function sendError(station: Station, message: string, stamp?: string): Promise<number> {
  const { body, eventId } = errorEnvelope(station.running.localDsn, { message })
  await send(station, body, stamp)
  let seq = 0
  await expect
    .poll(async () => {
      seq = (await station.collector.event(eventId))?.seq ?? 0
      return seq
    })
    .toBeGreaterThan(0)
  return seq
}

/** Upstream refuses these for what they are. Returns their envelopes’ numbers once they are dead letters. */
async function deadLetters(station: Station, messages: readonly string[], stamp?: string): Promise<readonly number[]> {
  station.upstream.play({ answers: [{ status: 413, body: 'too <b>large</b> for me', times: messages.length }] })
  const seqs: number[] = []
  for (const message of messages) seqs.push(await sendError(station, message, stamp))
  const waiting = async () => (await station.collector.deadLetters()).deadLetters.map(({ seq }) => seq)
  await expect.poll(waiting).toEqual(expect.arrayContaining(seqs))
  station.upstream.play({ answers: [] })
  return seqs
}

const rowOf = (page: Page, seq: number) => page.locator(`tr[data-envelope="${seq}"]`)
const letterOf = (page: Page, seq: number) => page.locator(`tr[data-dead-letter="${seq}"]`)
const choose = (page: Page, seq: number) => page.getByRole('checkbox', { name: `Choose envelope ${seq}` }).check()

test('the ledger shows how far each envelope is, and its row opens the timeline', async ({ page, station, home }) => {
  await page.goto(`${home}/deliveries`)
  await expect(page.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  const seq = await sendError(station, 'follow me')
  for (const part of ['error', 'decided', '200', 'accepted']) await expect(rowOf(page, seq)).toContainText(part)
  await rowOf(page, seq)
    .getByRole('link', { name: String(seq) })
    .click()
  await expect(page).toHaveURL(`${home}/envelopes/${seq}`)
  const steps = page.getByRole('region', { name: 'What became of it' }).locator('ol > li')
  await expect(steps).toHaveCount(5)
  for (const step of ['received', 'stored, on disk', 'digested', 'attempt 1: 200', 'accepted'])
    await expect(steps.filter({ hasText: step })).toHaveCount(1)
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText(/posted · sha256/)
})

test('attempts are listed with their answers, and narrowed by them', async ({ page, station, home }) => {
  station.upstream.play({ answers: [{ status: 503, body: 'busy', times: 1 }] })
  const seq = await sendError(station, 'try again')
  const tries = async () => (await station.collector.envelope(seq))?.attempts.map(({ status }) => status)
  await expect.poll(tries, { timeout: 20_000 }).toEqual([503, 200])
  await page.goto(`${home}/deliveries?show=attempts&envelope=${seq}`)
  await expect(page.locator('tr[data-attempt]')).toHaveCount(2)
  await expect(page.locator('tr[data-attempt]').first()).toContainText('200')
  await page.getByRole('searchbox', { name: 'Filter attempts' }).fill('status:503 ')
  await expect(page.locator('tr[data-attempt]')).toHaveCount(1)
  await expect(page.locator('tr[data-attempt]')).toContainText('busy')
  await page.goto(`${home}/envelopes/${seq}`)
  await expect(page.locator('ol > li').filter({ hasText: 'attempt 2' })).toContainText('after the one before')
})

test('a dead letter is shown with upstream’s words as text, and sent again', async ({ page, station, home }) => {
  const [seq = 0] = await deadLetters(station, ['too large, at first'])
  await page.goto(`${home}/deliveries`)
  await expect(rowOf(page, seq)).toContainText('dead letter')
  await page
    .getByRole('navigation', { name: 'Of the delivery ledger' })
    .getByRole('link', { name: 'Dead letters' })
    .click()
  await expect(page).toHaveURL(`${home}/deliveries?show=dead-letters`)
  await expect(letterOf(page, seq)).toContainText('413 too <b>large</b> for me')
  await expect(page.getByRole('button', { name: 'Send again' })).toBeDisabled()
  await choose(page, seq)
  await page.getByRole('button', { name: 'Send again' }).click()
  const notice = page.getByRole('status').filter({ hasText: `Envelope ${seq}` })
  await expect(notice).toBeFocused()
  await expect(notice.getByRole('link', { name: String(seq) })).toHaveAttribute('href', `/envelopes/${seq}`)
  await expect(letterOf(page, seq)).toHaveCount(0)
  await page.goto(`${home}/envelopes/${seq}`)
  const steps = page.getByRole('region', { name: 'What became of it' }).locator('ol > li')
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText('413')
  await expect(steps.filter({ hasText: 'attempt 2' })).toContainText('200')
  await expect(steps.last()).toContainText('accepted')
})

test('dead letters are dropped after a question, and end as lost by a person', async ({ page, station, home }) => {
  const stamp = `dropped-${station.lifecycle}`
  const [one = 0, other = 0] = await deadLetters(station, ['to drop', 'to keep'], stamp)
  await page.goto(`${home}/deliveries?show=dead-letters`)
  await choose(page, one)
  await page.getByRole('button', { name: /^Drop/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Drop?' })
  await expect(dialog).toContainText('1 dead letter will never reach upstream.')
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Drop', exact: true }).click()
  await expect(page.getByText('1 envelope dropped.')).toBeVisible()
  await expect(letterOf(page, one)).toHaveCount(0)
  await expect(letterOf(page, other)).toBeVisible()

  await page.goto(`${home}/losses?stamp=${stamp}`)
  const loss = page.locator('tr[data-by="person"]')
  await expect(loss).toContainText(/^1\s*error/)
  await expect(loss.getByRole('link')).toHaveAttribute('href', `/deliveries?fate=dropped&type=event&stamp=${stamp}`)
  await expect(page.locator('[data-amount="pending"] dd')).toHaveText('1')
  await page.goto(`${home}/deliveries?show=dead-letters`)
  await choose(page, other)
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect(page.locator('[data-no-dead-letters]')).toBeVisible()
})

test('losses of a stamp are one account: made, accepted, lost by whom and why', async ({ page, station, home }) => {
  const stamp = `account-${station.lifecycle}`
  await page.goto(`${home}/losses?stamp=${stamp}`)
  await expect(page.locator('[data-nothing-made]')).toContainText('Nothing came with this stamp')
  const { localDsn } = station.running
  await sendError(station, 'accepted', stamp)
  const { body } = transactionEnvelope(localDsn)
  await send(station, body, stamp)
  const report = { discarded_events: [{ reason: 'sample_rate', category: 'transaction', quantity: 3 }] }
  await send(station, ['{}', '{"type":"client_report"}', JSON.stringify(report)].join('\n'), stamp)
  await expect.poll(async () => (await station.collector.losses({ stamp })).pending).toBe(0)
  const { sentence, lost } = await station.collector.losses({ stamp })
  expect(lost).toBe(3)
  const shown = page.locator('[data-sentence]')
  await expect(shown).toContainText(sentence.slice(1))
  await expect(page.locator('tr[data-loss="sample_rate"]')).toContainText(
    /^3\s*transaction\s*the SDK\s*it was not sampled/,
  )
  const book = page.locator('tr[data-book="transaction"]')
  for (const [amount, quantity] of [
    ['made', 4],
    ['discarded', 3],
    ['received', 1],
    ['accepted', 1],
    ['unexplained', 0],
  ] as const)
    await expect(book.locator(`[data-amount="${amount}"]`)).toHaveText(String(quantity))
  await page.getByRole('textbox', { name: 'Stamp' }).fill('no stamp')
  await expect(page.getByText(/^Meant is a stamp of/)).toBeVisible()
})

test('what is unexplained is said in red, with its word', async ({ page, station, home }) => {
  await sendError(station, 'for the books')
  const read = await station.collector.losses()
  const [first, ...rest] = read.books
  if (first === undefined) throw new Error('something was received')
  const wrong: Losses = { ...read, unexplained: 2, books: [{ ...first, unexplained: 2 }, ...rest] }
  await page.route('**/collector/query/losses*', (route) => route.fulfill({ json: wrong }))
  await page.goto(`${home}/losses`)
  await expect(page.getByRole('alert').filter({ hasText: '2 things unexplained' })).toBeVisible()
  const cell = page.locator(`tr[data-book="${first.category}"] [data-amount="unexplained"]`)
  await expect(cell).toHaveText('✕ 2 unexplained')
  await expect(cell).toHaveAttribute('data-side', 'wrong')
})

test('a segment, an error and an envelope end with what became of them', async ({ page, station, home }) => {
  const { body, traceId } = transactionEnvelope(station.running.localDsn, { name: 'GET /fate' })
  await send(station, body)
  await expect.poll(async () => (await station.collector.trace(traceId))?.segments[0]?.fate.name).toBe('accepted')
  await page.goto(`${home}/traces/${traceId}`)
  await expect(page.getByRole('row').filter({ hasText: 'GET /fate' })).toContainText('accepted')
  const [seq = 0] = await deadLetters(station, ['a refused error'])
  const event = (await station.collector.events({ limit: 50 })).events.find((one) => one.seq === seq)
  await page.goto(`${home}/events/${event?.eventId}`)
  await expect(page.getByText('dead letter', { exact: true })).toBeVisible()
  await page.goto(`${home}/envelopes/${seq}`)
  await expect(page.getByText('A dead letter:')).toBeVisible()
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('dead letter')
  await page.getByRole('button', { name: /^Drop/ }).click()
  await page.getByRole('dialog', { name: 'Drop?' }).getByRole('button', { name: 'Drop', exact: true }).click()
  await expect(page.getByText('1 envelope dropped.')).toBeVisible()
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('dropped')
})

test('an envelope that was cut says what was left out, and what became of each item', async ({
  page,
  station,
  home,
}) => {
  // What nobody sends, and no board lists: the limit outlives this test, and the station is shared.
  const limits = { 'X-Sentry-Rate-Limits': '60:x_ledger:key:quota' }
  station.upstream.play({ answers: [{ status: 200, headers: limits, times: 1 }] })
  const told = await sendError(station, 'is told of a limit')
  const attempts = async () => (await station.collector.envelope(told))?.attempts.length
  await expect.poll(attempts).toBe(1)
  const { body, eventId } = errorEnvelope(station.running.localDsn, { message: 'goes on alone' })
  await send(station, `${body}\n{"type":"x_ledger"}\n{}`)
  await expect.poll(async () => (await station.collector.event(eventId))?.fate.name).toBe('accepted')
  const seq = (await station.collector.event(eventId))?.seq
  await page.goto(`${home}/envelopes/${seq}`)
  await expect(page.getByRole('list', { name: 'Left out' })).toHaveText(
    'item 2, x_ledger: cut: upstream limits this category',
  )
  await expect(page.getByRole('article', { name: 'Item 1' })).toContainText('accepted')
  await expect(page.getByRole('article', { name: 'Item 2' })).toContainText(/rate limited.*cut: upstream limits/)
  const steps = page.getByRole('region', { name: 'What became of it' }).locator('ol > li')
  await expect(steps.filter({ hasText: 'item 2 x_ledger' })).toContainText('rate limited')
  await page.goto(`${home}/envelopes/${told}`)
  await expect(steps.filter({ hasText: 'attempt 1' })).toContainText('X-Sentry-Rate-Limits 60:x_ledger:key:quota')
})
