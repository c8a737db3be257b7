import { expect, test } from '@playwright/test'
import { type PageServer, startPageServer } from './kit/page-server'
import { type NestedResult, runNested } from './kit/run-nested'
import { type RunningWaystation, startWaystation } from './running'

let running: RunningWaystation
let pages: PageServer
let results: ReadonlyMap<string, NestedResult>

test.beforeAll(async () => {
  test.setTimeout(300_000)
  running = await startWaystation({ app: false, env: { WAYSTATION_UPSTREAM: 'stand-in' } })
  pages = await startPageServer(running.localDsn)
  const env = { KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: running.collectorUrl }
  const all = await runNested({ file: 'back-off.nested.ts', workers: 1, env })
  results = new Map(all.map((one) => [one.title, one]))
})
test.afterAll(async () => {
  await pages.close()
  await running.stop()
})

test('passes for a page that obeys a limit', () => {
  expect(results.get('obeys a limit')).toMatchObject({ status: 'passed', errors: [] })
})

test('fails for a page that ignores a limit, with the sent category', () => {
  expect(results.get('ignores a limit')).toMatchObject({
    status: 'failed',
    errors: [
      expect.stringMatching(/^Error: 1 page sent error while it was limited\n[\s\S]*expected none for [\d.]+ s/),
    ],
  })
})

test('is incomplete for a page without a page header, with advice', () => {
  const [words] = results.get('has no page header')?.errors ?? []
  expect(words).toMatch(
    /^Error: no page was sent a rate limit for error; \d+ of \d+ envelopes of pages have no page header/,
  )
  expect(words).toContain("transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } }")
})
