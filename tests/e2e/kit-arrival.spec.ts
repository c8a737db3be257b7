import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { BROWSER_OF_TEST, type ObservedTest, readObservedTest } from '../../lib/verdict/arrival/observed'
import { type PageServer, startPageServer } from './kit/page-server'
import { type NestedResult, runNested } from './kit/run-nested'
import { type RunningWaystation, startWaystation } from './running'

let running: RunningWaystation
let pages: PageServer
let results: readonly NestedResult[]
let observed: readonly ObservedTest[]

test.beforeAll(async () => {
  test.setTimeout(300_000)
  running = await startWaystation({ app: false })
  pages = await startPageServer(running.localDsn)
  const folder = mkdtempSync(join(tmpdir(), 'kit-run-folder-'))
  writeFileSync(join(folder, 'plan.json'), JSON.stringify({ pagesWithout: [] }))
  results = await runNested({
    file: 'arrival.nested.ts',
    workers: 2,
    env: { KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: running.collectorUrl, WAYSTATION_RUN_FOLDER: folder },
  })
  observed = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line): { readonly kind: string } => JSON.parse(line))
    .filter(({ kind }) => kind === BROWSER_OF_TEST)
    .map((entry) => {
      const read = readObservedTest(entry)
      if (!read.ok) throw new Error(read.error)
      return read.value
    })
  rmSync(folder, { recursive: true })
})
test.afterAll(async () => {
  await pages.close()
  await running.stop()
})

function result(title: string): NestedResult {
  const found = results.find((one) => one.title === title)
  if (found === undefined) throw new Error(`no test ${title} ran: ${results.map((one) => one.title).join(', ')}`)
  return found
}

/** The documents of the test that opened this path, by path. */
function documentsOf(path: string): Readonly<Record<string, string | null>> {
  const all = observed.map(({ documents }) =>
    Object.fromEntries(documents.map(({ url, exempt }) => [new URL(url).pathname, exempt])),
  )
  const found = all.find((one) => path in one)
  if (found === undefined) throw new Error(`no test opened ${path}`)
  return found
}

test('documents that need no pageload are distinguished from those that do', () => {
  expect(result('passes with documents that need no pageload')).toMatchObject({
    status: 'passed',
    errors: [],
    annotations: [],
  })
  expect(documentsOf('/last')).toEqual({
    '/moved': 'redirect',
    '/moved-to': null,
    '/missing': 'error status',
    '/text': 'not HTML',
    '/unfinished': 'left',
    '/mocked': 'mock',
    '/plain': 'no JavaScript',
    '/last': null,
  })
})

test('a page sends its pageload before it closes, by the kit or by the test', () => {
  expect(result('passes with pages that are closed at once')).toMatchObject({ status: 'passed', annotations: [] })
  const closed = observed.find(({ test: title }) => title.startsWith('passes with pages that are closed at once ('))
  expect(closed).toMatchObject({ attempt: 0, isOk: true })
  expect(closed?.documents.map(({ hasSent }) => hasSent)).toEqual([true, true])
  expect(
    closed?.posts.flatMap(({ status, items }) => [status, items.some(({ category }) => category === 'transaction')]),
  ).toEqual(expect.arrayContaining([200, true]))
})

test('a page without a pageload fails its test', () => {
  const { status, errors } = result('fails for a page without a pageload')
  expect({ status, errors }).toEqual({
    status: 'failed',
    errors: [expect.stringMatching(/^Error: http:\/\/localhost:\d+\/plain: opened, and no pageload arrived\n/)],
  })
  const reported = observed.find(({ test: title }) => title.startsWith('fails for a page without a pageload ('))
  expect(reported).toMatchObject({ isOk: false, errors: [expect.stringContaining('/plain: opened, and no pageload')] })
  expect(result('passes without its pageload')).toMatchObject({ status: 'passed', errors: [] })
})

test('refused envelopes fail their test, or add a warning', () => {
  const { status, errors } = result('fails for refused envelopes')
  expect(status).toBe('failed')
  expect(errors.join()).toMatch(/POST http:\/\/localhost:\d+\/tunel: an envelope was answered 404/)
  const warned = result('warns of refused envelopes')
  expect(warned.status).toBe('passed')
  expect(warned.annotations.map(({ description }) => description).join()).toContain(
    '/tunel: an envelope was answered 404',
  )
})

test('a server that fails is written for the verdict of the run', () => {
  expect(result('asks a server that fails').status).toBe('passed')
  const failures = observed.flatMap((one) => one.failures)
  expect(failures).toEqual([
    expect.objectContaining({
      method: 'GET',
      status: 500,
      hasOwnBody: false,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    }),
  ])
  const traced = observed.flatMap((one) => one.traced).map(({ url }) => new URL(url).pathname)
  expect(traced).toEqual(['/failing'])
})

test('two tests at the same time receive what their pages post straight to the collector', () => {
  for (const name of ['first', 'second'])
    expect(result(`receives what its page posts to the collector: ${name}`)).toMatchObject({
      status: 'passed',
      errors: [],
    })
})
