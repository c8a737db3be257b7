import { expectAnalysedInWorker, sendLargeTrace } from './large-trace'
import { expect, test } from './station'

test('a large trace is analysed in a worker', async ({ page, program }) => {
  await expectAnalysedInWorker(page, await sendLargeTrace(program.send))
  expect(page.workers().map((worker) => new URL(worker.url()).pathname)).toEqual([
    expect.stringMatching(/^\/boards\/analysis-thread-\w+\.js$/),
  ])
})

test('a large trace is analysed by the page when the file of the worker cannot be loaded', async ({
  page,
  program,
}) => {
  await page.route('**/boards/analysis-thread-*.js', (route) => route.fulfill({ status: 404 }))
  await page.goto(`/traces/${await sendLargeTrace(program.send)}`)
  await expect(page.getByRole('row').filter({ hasText: 'GET /part/?' })).toContainText('20 ×')
  await expect(page.getByText('Longest on the critical path')).toBeVisible()
  expect(page.workers()).toEqual([])
})

test('a small trace starts no worker', async ({ page, program, station }) => {
  await program.sendTransactions({ name: 'GET /small' })
  const newest = async () => (await station.collector.traces({ limit: 1 })).traces[0]
  await expect.poll(async () => (await newest())?.name).toBe('GET /small')
  await page.goto(`/traces/${(await newest())?.traceId}`)
  await expect(page.getByText('Longest on the critical path')).toBeVisible()
  expect(page.workers()).toEqual([])
})
