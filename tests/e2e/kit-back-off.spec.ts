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

test('a page that names itself and keeps to a limit passes', () => {
  expect(results.get('a page that keeps to a limit passes')).toMatchObject({ status: 'passed', errors: [] })
})

test('one that ignores the limit fails, with what it sent', () => {
  expect(results.get('a page that ignores a limit fails')).toMatchObject({
    status: 'failed',
    errors: [
      expect.stringMatching(/^Error: 1 page sent error while it was limited\n[\s\S]*wanted none for \d+\.\d\d s/),
    ],
  })
})

test('one without a name is not judged, and is told the line that names it', () => {
  const [words] = results.get('a page that names itself nowhere is not judged')?.errors ?? []
  expect(words).toMatch(/^Error: no page was sent a rate limit for error; \d+ of \d+ envelopes name no page/)
  expect(words).toContain("transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } }")
})
