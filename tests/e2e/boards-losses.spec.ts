import { errorEnvelope, transactionEnvelope } from '../flow/envelopes'
import { axeFindings, overflow } from './page-quality'
import { expect, test } from './station'

const report = (discarded: readonly object[]): string =>
  `{}\n{"type":"client_report"}\n${JSON.stringify({ discarded_events: discarded })}`

test('the flow shows one category at a time, with what left it, why, and what to do', async ({
  page,
  station,
  program,
}) => {
  const stamp = `flow-${station.lifecycle}`
  const { localDsn } = station.running
  station.upstream.play({ answers: [{ categories: ['error'], status: 413, body: 'too large', times: 1 }] })
  const discarded = [
    { reason: 'sample_rate', category: 'transaction', quantity: 3 },
    { reason: 'queue_overflow', category: 'transaction', quantity: 2 },
  ]
  for (const body of [errorEnvelope(localDsn).body, transactionEnvelope(localDsn).body, report(discarded)])
    await program.send(body, stamp)
  await expect.poll(async () => (await station.collector.losses({ stamp })).deadLetters).toHaveLength(1)
  const accepted = async () =>
    (await station.collector.losses({ stamp })).categories.find(({ category }) => category === 'transaction')?.accepted
  await expect.poll(accepted).toBe(1)

  await page.goto(`/losses?stamp=${stamp}`)
  const drawing = page.locator('figure').getByRole('img')
  await expect(drawing).toHaveAccessibleName(
    'Flow of transaction: 6 made; 3 not sent by choice; 2 lost in the SDK; 1 sent and stored; 1 at the end: accepted upstream, 100 % of what was sent',
  )
  await expect(page.locator('[data-exit]')).toHaveCount(2)
  const labels = page.getByRole('list', { name: 'Flow of transaction' }).getByRole('listitem')
  await expect(labels).toHaveText([
    /^\s*6 made in your apps/,
    /3 not sent by choice\s*3 sample_rate/,
    /2 lost in the SDK\s*2 queue_overflow/,
    /1 sent, 17 %/,
    /– refused on arrival/,
    /1 stored here/,
    /1 accepted upstream/,
  ])
  await expect(page.locator('dl [data-amount="lost"]')).toHaveText('lost2')
  const cause = page.locator('tr[data-loss="queue_overflow"]')
  await expect(cause).toContainText(/^2\s*transaction\s*The queue of the SDK was full.*by the SDK/)
  await expect(cause).toContainText('raise transportOptions.bufferSize')
  await expect(cause.getByRole('link')).toHaveAttribute('href', '/logs?kind=client_report')
  expect(await axeFindings(page)).toEqual([])

  await page.getByRole('group', { name: 'Data category' }).getByRole('button', { name: 'error' }).click()
  await expect(page).toHaveURL(`/losses?stamp=${stamp}&category=error`)
  await expect(drawing).toHaveAccessibleName(/^Flow of error: 1 made; 1 sent and stored; 1 pending, not lost; 0 at/)
  await expect(page.getByRole('link', { name: 'pending, not lost' })).toHaveAttribute(
    'href',
    `/deliveries?delivery=pending&type=event&stamp=${stamp}`,
  )
  await page.setViewportSize({ width: 390, height: 900 })
  await expect(page.locator('figure')).toHaveAttribute('data-direction', 'down')
  expect(await overflow(page)).toBeNull()

  await page.goto(`/losses?stamp=${stamp}&category=nothing_of_it`)
  await expect(page.getByRole('status').filter({ hasText: 'nothing_of_it' })).toContainText('Shown is transaction')
})

test('without a stamp each cause has its last hour, and refusals stand beside the flow', async ({
  page,
  station,
  program,
}) => {
  await program.send(report([{ reason: 'backpressure', category: 'span', quantity: 5 }]))
  const wrong = await fetch(`${station.running.collectorUrl}/api/1/envelope/?sentry_key=wrong`, {
    method: 'POST',
    body: '{}',
  })
  expect(wrong.ok).toBe(false)
  await page.goto('/losses?category=span')
  const cause = page.locator('tr[data-loss="backpressure"]')
  await expect(cause.getByRole('img')).toHaveAccessibleName(/in the last hour, at most \d+ a minute/)
  const refused = page.getByRole('listitem').filter({ hasText: 'refused on arrival' })
  await refused.getByRole('link', { name: 'reasons' }).click()
  await expect(page.locator('tr[data-by="endpoint"]').first()).toBeInViewport()
})

test('an affected trace stays listed after many that lost nothing', async ({ page, station, program }) => {
  const stamp = `affected-${station.lifecycle}`
  const { localDsn } = station.running
  // A limit of an invented category, because it outlives this test.
  const headers = { 'X-Sentry-Rate-Limits': '60:x_affected:key:quota' }
  station.upstream.play({ answers: [{ categories: ['transaction'], status: 429, headers, times: 1 }] })
  const { body, traceId } = transactionEnvelope(localDsn, { name: 'GET /limited' })
  await program.send(body, stamp)
  const lost = async () => (await station.collector.losses({ stamp })).losses.length
  await expect.poll(lost).toBe(1)
  for (let batch = 0; batch < 14; batch += 1)
    await Promise.all(Array.from({ length: 15 }, () => program.send(transactionEnvelope(localDsn).body, stamp)))
  const accepted = async () =>
    (await station.collector.losses({ stamp })).categories.find(({ category }) => category === 'transaction')?.accepted
  await expect.poll(accepted).toBe(210)
  await page.goto(`/losses?stamp=${stamp}`)
  await expect(page.locator('[data-affected]')).toHaveText(/GET \/limited\s*rate limited/)
  await expect(page.locator('[data-affected]').getByRole('link')).toHaveAttribute('href', `/traces/${traceId}`)
})

test('with nothing lost the flow stays, and the causes are one sentence', async ({ page, station, program }) => {
  const stamp = `fine-${station.lifecycle}`
  await program.send(errorEnvelope(station.running.localDsn).body, stamp)
  await page.goto(`/losses?stamp=${stamp}`)
  await expect(page.getByText('Nothing was lost with this stamp')).toBeVisible()
  await expect(page.locator('figure').getByRole('img')).toHaveAccessibleName(/1 at the end: accepted upstream, 100 %/)
  await expect(page.locator('[data-exit]')).toHaveCount(0)
  await expect(page.locator('tr[data-loss]')).toHaveCount(0)
})
