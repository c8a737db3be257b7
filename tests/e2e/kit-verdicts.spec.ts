import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { makeSuiteFolder, readSuiteReports } from '../../collector/runs/suite-reports'
import { type PageServer, startPageServer } from './kit/page-server'
import { type NestedResult, runNested } from './kit/run-nested'
import { type RunningWaystation, startWaystation } from './running'

let running: RunningWaystation
let pages: PageServer
let results: readonly NestedResult[]
const recording = mkdtempSync(join(tmpdir(), 'kit-run-folder-'))
const runFolder = makeSuiteFolder(recording, { pagesWithout: [] })

test.beforeAll(async () => {
  test.setTimeout(300_000)
  running = await startWaystation({ app: false })
  pages = await startPageServer(running.localDsn)
  results = await runNested({
    file: 'verdicts.nested.ts',
    workers: 2,
    env: {
      ...{ KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: running.collectorUrl },
      WAYSTATION_RUN_FOLDER: runFolder,
    },
  })
})
test.afterAll(async () => {
  await pages.close()
  await running.stop()
  rmSync(recording, { recursive: true })
})

function result(title: string): NestedResult {
  const found = results.find((one) => one.title === title)
  if (found === undefined) throw new Error(`no test ${title} ran: ${results.map((one) => one.title).join(', ')}`)
  return found
}

for (const title of [
  'passes with an error that the test allows',
  'ignores unexpected errors',
  'records client reports and the pageload',
  'has matchers that pass, are negated, and fail',
  'closes the page before matchers that check for absence',
  'waits for open requests before it closes the page',
  'retries matchers until telemetry arrives',
  'observes browser requests without cookies',
  'records a context that the test created',
  'keeps the stamp cookie when the test clears all cookies',
])
  test(`passes: ${title}`, () => {
    const { status, errors, annotations, attachments } = result(title)
    expect({ status, errors, annotations }).toEqual({ status: 'passed', errors: [], annotations: [] })
    expect(attachments.map(({ name }) => name)).toEqual([])
  })

test('fails for an unexpected error the test with its position', () => {
  const { status, errors } = result('fails for an unexpected error')
  expect(status).toBe('failed')
  expect(errors).toEqual([
    expect.stringMatching(
      /^Error: 1 unexpected error\n\nError: the cart is empty \(envelope \d+, item 0\)\n.*\n {2}http:\/\/127\.0\.0\.1:\d+\/events\/[0-9a-f]{32}\n/,
    ),
  ])
})

test('an unexpected error names the line of the code, and a call that allows it', () => {
  const [message = ''] = result('fails for an unexpected error').errors
  expect(message).toMatch(/\n\nthrown at tests\/e2e\/kit\/page\.ts:\d+:\d+( \(.*\))?\n/)
  expect(message).toContain("\nif the test causes it on purpose: telemetry.allow('Error: the cart is empty')")
})

test('errors that a test allows reach waystation run', async () => {
  const { allows, problems } = await readSuiteReports(runFolder)
  expect(problems).toEqual([])
  expect(allows).toContainEqual(
    expect.objectContaining({
      stamp: expect.stringMatching(/^verdicts\.nested\.ts:8-/),
      allow: [{ error: 'the cart is empty' }],
    }),
  )
})

test('a failed test has its traces, envelopes and ledger attached', () => {
  const { attachments } = result('fails for an unexpected error')
  const texts = new Map(attachments.map(({ name, body = '' }) => [name, Buffer.from(body, 'base64').toString('utf8')]))
  const [message, picture, raw, ledger] = [...texts.keys()]
  expect([message, picture, raw, ledger]).toEqual([
    'telemetry.txt',
    expect.stringMatching(/^trace-[0-9a-f]{8}\.svg$/),
    'envelopes.txt',
    'ledger.json',
  ])
  expect(texts.get('telemetry.txt')).toMatch(
    /^stamp verdicts\.nested\.ts:3-[0-9a-f]{12}, http:\/\/127\.0\.0\.1:\d+\/envelopes\?stamp=\S+\n[\s\S]*pageload \/cart[\s\S]*the cart is empty/,
  )
  expect(texts.get(picture ?? '')).toMatch(/^<svg [\s\S]*pageload \/cart[\s\S]*<\/svg>\n$/)
  expect(texts.get('envelopes.txt')).toContain('"type":"Error","value":"the cart is empty"')
  const { losses, outcomes } = JSON.parse(texts.get('ledger.json') ?? '')
  expect(losses.losses).toEqual([])
  expect(outcomes.length).toBeGreaterThan(0)
})

test('an expectation without await fails with advice', () => {
  expect(result('fails for an expectation without await').errors).toEqual([
    expect.stringMatching(/^Error: incomplete: the recording was closed .* write `await` before expect/),
  ])
})

test('reports an error once if an expectation failed with it', () => {
  expect(result('reports an error once if an expectation failed with it').errors).toEqual([
    expect.stringMatching(/^Error: 1 unexpected error\n/),
  ])
})

test('an unexpected error with the option warn adds an annotation', () => {
  const { status, annotations } = result('adds an annotation for an unexpected error')
  expect(status).toBe('passed')
  expect(annotations).toMatchObject([{ type: 'telemetry', description: expect.stringContaining('the cart is empty') }])
})

test('an expired allowlist entry allows nothing and is named', () => {
  const { status, errors } = result('fails for an expired allowlist entry')
  expect(status).toBe('failed')
  expect(errors[0]).toContain('/cart/ was allowed until 2020-01-31 (until the shop opens)')
})

test('a failed wait fails the test with the nearest miss', () => {
  const { status, errors, attachments } = result('fails for a wait that times out, with attachments')
  expect(status).toBe('failed')
  expect(errors[0]).toMatch(
    /^WaitError: no transaction [\s\S]* arrived within 3[\s\S]*nearest: [\s\S]*name +expected "\/checkout", got "\/cart"/,
  )
  expect(attachments.map(({ name }) => name)).toContain('telemetry.txt')
})

test('a wait without await fails the test with its message', () => {
  const { status, errors } = result('fails for a wait without await')
  expect(status).toBe('failed')
  expect(errors).toEqual([expect.stringMatching(/^Error: a wait without await failed: no transaction /)])
})

test('a test whose page removes the stamp cookie fails', () => {
  const { status, errors } = result('fails if the page removes the stamp cookie')
  expect(status).toBe('failed')
  expect(errors[0]).toContain('the cookie waystation-stamp was removed')
})

test('a page without telemetry adds an annotation', () => {
  expect(result('passes with an annotation')).toMatchObject({
    status: 'passed',
    annotations: [
      { type: 'telemetry', description: expect.stringMatching(/^nothing was recorded with stamp verdicts/) },
    ],
  })
})

test('without a collector a test fails with advice to start one', async () => {
  test.setTimeout(240_000)
  const file = 'without-collector.nested.ts'
  const [unnamed] = await runNested({ file, workers: 1, env: { KIT_PAGE_URL: pages.url } })
  expect(unnamed?.errors).toEqual([
    'TypeError: WAYSTATION_COLLECTOR_URL is not set, so there is no collector; run the tests as: waystation run -- npx playwright test',
  ])
  const [gone] = await runNested({
    file,
    workers: 1,
    env: { KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:9' },
  })
  expect(gone?.errors).toEqual([
    'Error: no collector at http://127.0.0.1:9: no answer; run the tests as: waystation run -- npx playwright test',
  ])
})
