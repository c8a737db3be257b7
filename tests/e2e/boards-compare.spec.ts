import { axeFindings, overflow } from './page-quality'
import type { Program } from './program'
import { expect, type Page, test } from './station'

const newId = (): string => crypto.randomUUID().replaceAll('-', '')
const START_S = 1_795_000_000

interface SentRequest {
  readonly ms: number
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** Sends a request of this duration with one query, which has these attributes. */
async function sendRequest(program: Program, name: string, { ms, attributes = {} }: SentRequest): Promise<string> {
  const [traceId, spanId] = [newId(), newId().slice(0, 16)]
  const end = START_S + ms / 1000
  const transaction = {
    ...{ type: 'transaction', event_id: newId(), transaction: name, platform: 'node' },
    ...{ start_timestamp: START_S, timestamp: end },
    contexts: { trace: { trace_id: traceId, span_id: spanId, op: 'http.server', status: 'ok' } },
    spans: [
      {
        ...{ trace_id: traceId, span_id: newId().slice(0, 16), parent_span_id: spanId, op: 'db.query', status: 'ok' },
        ...{ description: 'SELECT 1', start_timestamp: START_S, timestamp: end, data: attributes },
      },
    ],
  }
  await program.send(
    [{ event_id: newId() }, { type: 'transaction' }, transaction].map((one) => JSON.stringify(one)).join('\n'),
  )
  return traceId
}

const nameFor = (what: string): string => `GET /${what}-${newId().slice(0, 6)}x`
const rowOf = (page: Page, traceId: string) => page.locator(`tr[data-trace="${traceId}"]`)
const tableOf = (page: Page) => page.getByRole('table', { name: 'Differences of two traces' })

test('two traces of the list are compared with the key c', async ({ page, program }) => {
  const name = nameFor('keys')
  const first = await sendRequest(program, name, { ms: 100 })
  const second = await sendRequest(program, name, { ms: 300 })
  await page.goto(`/traces?q=${encodeURIComponent(`name:"${name}"`)}`)
  await rowOf(page, first).getByRole('link').focus()
  await page.keyboard.press('c')
  const bar = page.getByText(`Compare with ${name}`)
  await expect(bar).toBeVisible()
  expect(await axeFindings(page)).toEqual([])
  await page.keyboard.press('c')
  await expect(bar).toBeHidden()
  await page.keyboard.press('c')
  await rowOf(page, second).getByRole('link').focus()
  await page.keyboard.press('c')
  await expect(page).toHaveURL(new RegExp(`/traces/${second}\\?view=compare&with-trace=${first}$`))
  await expect(tableOf(page).getByRole('row', { name: /SELECT/ })).toContainText('100 ms300 ms+200 ms (+200 %)')
  await page.goto('/traces')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toContainText('mark the row, then another one: compare the two')
})

test('two traces with different names are compared with the pointer, also on a phone', async ({ page, program }) => {
  const [one, other] = [nameFor('left'), nameFor('right')]
  const first = await sendRequest(program, one, { ms: 100 })
  const second = await sendRequest(program, other, { ms: 100 })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/traces')
  await rowOf(page, first).hover()
  await rowOf(page, first).getByRole('button', { name: 'Compare with …' }).click()
  expect(await overflow(page)).toBeNull()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeHidden()
  await rowOf(page, first).getByRole('button', { name: 'Compare with …' }).click()
  await rowOf(page, second).hover()
  await rowOf(page, second)
    .getByRole('button', { name: `Compare with ${one}` })
    .click()
  await expect(page.getByText(`The names differ: A is ${one}, B is ${other}.`)).toBeVisible()
  await expect(page.getByLabel('Compare with').locator('option:checked')).toHaveText(/100 ms · 2 spans · /)
  expect(await overflow(page)).toBeNull()
  expect(await axeFindings(page)).toEqual([])
})

test('a trace is compared with the median of its name, once there are three others', async ({ page, program }) => {
  const name = nameFor('median')
  const slow = await sendRequest(program, name, { ms: 500 })
  for (const ms of [400, 100]) await sendRequest(program, name, { ms })
  await page.goto(`/traces/${slow}?view=compare`)
  await page.getByLabel('Compare with').selectOption('median')
  await expect(page.getByText('Only 2 other traces of this name are stored. A median needs at least 3.')).toBeVisible()
  await expect(page).toHaveURL(/with-trace=median/)
  const median = await sendRequest(program, name, { ms: 200 })
  await page.reload()
  await expect(page.getByText('A is the median of 3 traces.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Open the other' })).toHaveAttribute('href', `/traces/${median}`)
  await expect(tableOf(page).getByRole('row', { name: /SELECT/ })).toContainText('200 ms500 ms+300 ms (+150 %)')
})

test('a trace is compared with one from a file', async ({ page, program, station }) => {
  const name = nameFor('file')
  const first = await sendRequest(program, name, { ms: 100, attributes: { rows: 1 } })
  const second = await sendRequest(program, name, { ms: 300, attributes: { rows: 2 } })
  const stored = await fetch(`${station.running.collectorUrl}/query/traces/${first}`)
  const choose = async (text: string): Promise<void> => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByLabel('Compare with').selectOption('file')
    await (await chooser).setFiles({ name: 'base.json', mimeType: 'application/json', buffer: Buffer.from(text) })
  }
  await page.goto(`/traces/${second}?view=compare`)
  await choose('[1]')
  await expect(page.getByText('Found a list of 1. Three formats are read')).toBeVisible()
  await choose(await stored.text())
  await expect(page.getByText('A is from the file base.json.')).toBeVisible()
  await expect(tableOf(page).getByRole('row', { name: /SELECT/ })).toContainText('100 ms300 ms+200 ms (+200 %)')
  await expect(tableOf(page)).not.toContainText('Envelope bytes')
  await tableOf(page)
    .getByRole('button', { name: /SELECT/ })
    .click()
  await expect(page.getByRole('list', { name: 'Attributes that differ' })).toContainText('changed rows: 1 → 2')
  expect(await axeFindings(page)).toEqual([])
  await page.getByLabel('Compare with').selectOption('')
  await expect(page.getByText('Choose an earlier or later trace')).toBeVisible()
})

test('an opened row has the attributes that differ', async ({ page, program, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const name = nameFor('attributes')
  const link = '<img src=x onerror=alert(1)>'
  const first = await sendRequest(program, name, { ms: 100, attributes: { rows: 1, old: true, same: 'x' } })
  const second = await sendRequest(program, name, { ms: 300, attributes: { rows: 20, link, same: 'x' } })
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  await page.goto(`/traces/${second}?view=compare&with-trace=${first}`)
  const table = tableOf(page)
  await expect(table.getByRole('row', { name: /Envelope bytes/ })).toContainText(/\d B\d+ B\+\d+ B \(\+\d+ %\)/)
  expect(requested.filter((path) => path.includes('/query/spans/'))).toEqual([])
  await table.getByRole('button', { name: /SELECT/ }).click()
  const changes = page.getByRole('list', { name: 'Attributes that differ' }).getByRole('listitem')
  await expect(changes).toHaveText([`added link: ${link}`, 'removed old: true', 'changed rows: 1 → 20'])
  expect(await axeFindings(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await expect(changes).toHaveCount(3)
  expect(await overflow(page)).toBeNull()
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/Bytes: \+\d+ B \(\+\d+ %\)\./)
})
