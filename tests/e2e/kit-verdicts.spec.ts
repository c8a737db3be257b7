import { expect, test } from '@playwright/test'
import { type PageServer, startPageServer } from './kit/page-server'
import { type NestedResult, runNested } from './kit/run-nested'
import { type RunningWaystation, startWaystation } from './running'

let running: RunningWaystation
let pages: PageServer
let results: readonly NestedResult[]

test.beforeAll(async () => {
  test.setTimeout(300_000)
  running = await startWaystation({ app: false })
  pages = await startPageServer(running.localDsn)
  results = await runNested({
    file: 'verdicts.nested.ts',
    workers: 2,
    env: { KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: running.collectorUrl },
  })
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

for (const title of [
  'an error that the test allows passes',
  'an unexpected error is nothing',
  'is in: client reports, and the pageload',
  'its matchers pass, are negated, and fail',
  'what a page sends while it closes is judged: matchers that say that nothing is there close it first',
  'what a page has asked for is withAnswerTimeout before the page is closed',
  'what a page tells of itself is looked for until it is there',
  'its own requests are seen, and no cookie among their headers',
  'a context of its own is taken in',
  'its page keeps its cookie when it clears all',
])
  test(`passes: ${title}`, () => {
    const { status, errors, annotations, attachments } = result(title)
    expect({ status, errors, annotations }).toEqual({ status: 'passed', errors: [], annotations: [] })
    expect(attachments.map(({ name }) => name)).toEqual([])
  })

test('an unexpected error fails the test, and says which and where', () => {
  const { status, errors } = result('an unexpected error fails')
  expect(status).toBe('failed')
  expect(errors).toEqual([
    expect.stringMatching(/^Error: 1 unexpected error\n\nError: the cart is empty \(envelope \d+, item 0\)\n/),
  ])
})

test('a failed test has its traces as text and picture, its envelopes byte for byte, and the ledger', () => {
  const { attachments } = result('an unexpected error fails')
  const texts = new Map(attachments.map(({ name, body = '' }) => [name, Buffer.from(body, 'base64').toString('utf8')]))
  const [told, picture, raw, ledger] = [...texts.keys()]
  expect([told, picture, raw, ledger]).toEqual([
    'telemetry.txt',
    expect.stringMatching(/^trace-[0-9a-f]{8}\.svg$/),
    'envelopes.txt',
    'ledger.json',
  ])
  expect(texts.get('telemetry.txt')).toMatch(
    /^stamp verdicts\.nested\.ts:3-[0-9a-f]{12}\n[\s\S]*pageload \/cart[\s\S]*the cart is empty/,
  )
  expect(texts.get(picture ?? '')).toMatch(/^<svg [\s\S]*pageload \/cart[\s\S]*<\/svg>\n$/)
  expect(texts.get('envelopes.txt')).toContain('"type":"Error","value":"the cart is empty"')
  const { losses, outcomes } = JSON.parse(texts.get('ledger.json') ?? '')
  expect(losses).toMatchObject({ lost: 0, unexplained: 0 })
  expect(outcomes.length).toBeGreaterThan(0)
})

test('an expectation that nobody awaits fails, and says so', () => {
  expect(result('an expectation that nobody awaits fails').errors).toEqual([
    expect.stringMatching(/^Error: incomplete: the recording was closed, .* write `await` before expect/),
  ])
})

test('an error that an expectation has failed with is told once', () => {
  expect(result('an error that an expectation has failed with is told once').errors).toEqual([
    expect.stringMatching(/^Error: 1 unexpected error\n/),
  ])
})

test('an unexpected error that is only to be told is an annotation', () => {
  const { status, annotations } = result('an unexpected error is an annotation')
  expect(status).toBe('passed')
  expect(annotations).toMatchObject([{ type: 'telemetry', description: expect.stringContaining('the cart is empty') }])
})

test('an entry whose day is over allows nothing, and is told', () => {
  const { status, errors } = result('an entry whose day is over allows nothing')
  expect(status).toBe('failed')
  expect(errors[0]).toContain('/cart/ was allowed until 2020-01-31 (until the shop opens)')
})

test('a wait that comes to nothing fails the test with the nearest miss', () => {
  const { status, errors, attachments } = result(
    'a wait that comes to nothing fails in its own words, with what was attached',
  )
  expect(status).toBe('failed')
  expect(errors[0]).toMatch(
    /^WaitError: no transaction [\s\S]* arrived within 3[\s\S]*nearest: [\s\S]*name +expected "\/checkout", got "\/cart"/,
  )
  expect(attachments.map(({ name }) => name)).toContain('telemetry.txt')
})

test('a wait that nobody awaits fails the test in its own words', () => {
  const { status, errors } = result('a wait that nobody awaits fails')
  expect(status).toBe('failed')
  expect(errors).toEqual([expect.stringMatching(/^Error: a wait without await failed: no transaction /)])
})

test('a test whose page has taken its cookie fails, and says so', () => {
  const { status, errors } = result('a cookie that a page has taken fails')
  expect(status).toBe('failed')
  expect(errors[0]).toContain("the pages' cookie waystation-stamp is gone")
})

test('a page that tells nothing is told as such', () => {
  expect(result('passes with an annotation that says so')).toMatchObject({
    status: 'passed',
    annotations: [
      { type: 'telemetry', description: expect.stringMatching(/^nothing was recorded with stamp verdicts/) },
    ],
  })
})

test('without a collector a test fails with how to start one', async () => {
  test.setTimeout(240_000)
  const file = 'without-collector.nested.ts'
  const [unnamed] = await runNested({ file, workers: 1, env: { KIT_PAGE_URL: pages.url } })
  expect(unnamed?.errors).toEqual([
    'TypeError: there is no collector to ask: WAYSTATION_COLLECTOR_URL is not set. Run the tests as: waystation run -- npx playwright test.',
  ])
  const [gone] = await runNested({
    file,
    workers: 1,
    env: { KIT_PAGE_URL: pages.url, WAYSTATION_COLLECTOR_URL: 'http://127.0.0.1:9' },
  })
  expect(gone?.errors).toEqual([
    'Error: no collector at http://127.0.0.1:9: nobody answers. To start one, run the tests as: waystation run -- npx playwright test',
  ])
})
