import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differenceOf } from '../../../../lib/verdict/golden/difference'
import { parseGolden } from '../../../../lib/verdict/golden/golden-file'
import { type GoldenPlan, judgeGolden } from '../../../../lib/verdict/golden/judge-golden'
import { containerOf, drawn, transactionOf } from '../rules/sample-evidence'
import { traceFrom } from './sample-golden'

const CHECKOUT = drawn(`
  pageload /checkout            ============
    http.client GET /api/cart     =======
      http.server GET /api/cart    =====
        db SELECT 1                 =
        db SELECT 2                  =
`)
const trace = traceFrom(transactionOf(CHECKOUT))

const TEXT = `lifecycle: static
pageload /checkout [service=browser]
  http.client GET /api/cart
    http.server GET /api/cart
      db SELECT * ×2
`

const plan = (given: Partial<GoldenPlan> = {}): GoldenPlan => ({
  path: 'e2e/__traces__/checkout.trace.txt',
  text: TEXT,
  mode: 'create',
  attributes: [],
  doubts: [],
  updateCommand: 'npx vitest -u',
  boards: { appUrl: 'http://localhost:3000' },
  ...given,
})

const verdictOf = (given: Partial<GoldenPlan>, of = trace) => {
  const { verdict, write, message } = judgeGolden(of, plan(given))
  return { verdict: verdict.verdict, write, message }
}

it('passes for a trace that matches, and writes nothing', () => {
  for (const mode of ['update', 'create', 'create-and-fail', 'compare'] as const)
    expect(verdictOf({ mode })).toEqual({ verdict: 'pass', write: null, message: '' })
  expect(judgeGolden(trace, plan()).negatedMessage).toBe(
    'the trace matches e2e/__traces__/checkout.trace.txt; expected a difference',
  )
})

describe('without a file', () => {
  it('writes it and passes', () => {
    expect(verdictOf({ text: null })).toEqual({ verdict: 'pass', write: TEXT, message: '' })
    expect(verdictOf({ text: null, mode: 'update' })).toEqual({ verdict: 'pass', write: TEXT, message: '' })
  })

  it('writes it and fails, as Playwright does by default', () => {
    expect(verdictOf({ text: null, mode: 'create-and-fail' })).toEqual({
      verdict: 'incomplete',
      write: TEXT,
      message:
        'e2e/__traces__/checkout.trace.txt did not exist and was written: read it, commit it, and run the test again',
    })
  })

  it('fails where nothing is written', () => {
    expect(verdictOf({ text: null, mode: 'compare' })).toEqual({
      verdict: 'incomplete',
      write: null,
      message: 'e2e/__traces__/checkout.trace.txt does not exist\nwrite it with npx vitest -u, and commit it',
    })
  })
})

it('updates a file that differs, and keeps edited lines', () => {
  const text = TEXT.replace('×2', '×1..9').replace('/checkout', '/pay')
  const written = TEXT.replace('×2', '×1..9')
  // The op is equal and the name is not: a page of another name is another page, so its edits are not those of this one.
  expect(verdictOf({ text, mode: 'update' })).toMatchObject({ verdict: 'pass', write: TEXT })
  const changed = written.replace('http.client GET /api/cart', 'http.client GET /api/cart [status=200]')
  expect(verdictOf({ text: changed, mode: 'update' })).toMatchObject({ verdict: 'pass', write: written })
  expect(verdictOf({ text: changed })).toMatchObject({ verdict: 'fail', write: null })
})

it('names a line that it cannot read, and never overwrites it', () => {
  const text = TEXT.replace('×2', '×two')
  for (const mode of ['update', 'compare'] as const)
    expect(verdictOf({ text, mode })).toMatchObject({
      verdict: 'incomplete',
      write: null,
      message: expect.stringMatching(
        /^e2e\/__traces__\/checkout\.trace\.txt: line 5 cannot be read: its count is not valid, got " {6}db SELECT \* ×two"; valid lines are /,
      ),
    })
})

describe('a trace that may be incomplete', () => {
  const [page, ...children] = CHECKOUT
  const late = traceFrom(containerOf(page === undefined ? [] : [page, ...children], { late: true }))
  const whole = transactionOf(CHECKOUT)
  const lost = traceFrom(whole.replace('"parent_span_id":"0000000000000002"', '"parent_span_id":"00000000000000ff"'))

  it.each([
    [
      'whose segment has not arrived',
      late,
      /^.* cannot be compared .*\n\nthe trace is incomplete: 4 spans of segment 0{15}1 arrived/,
    ],
    [
      'without the parent of a span',
      lost,
      /was not written, because more of the trace may arrive\n\nthe trace is incomplete: the parent of a span has not arrived$/,
    ],
  ])('%s is not written', (_what, of, message) => {
    for (const given of [{ text: null }, { mode: 'update' as const, text: TEXT.replace('×2', '×3') }])
      expect(verdictOf(given, of)).toMatchObject({
        verdict: 'incomplete',
        write: null,
        message: expect.stringMatching(message),
      })
  })

  it('of which telemetry still arrives is not written', () => {
    const doubts = ['telemetry still arrived after 5000 ms']
    expect(verdictOf({ text: null, doubts })).toEqual({
      verdict: 'incomplete',
      write: null,
      message:
        'e2e/__traces__/checkout.trace.txt was not written, because more of the trace may arrive\n\ntelemetry still arrived after 5000 ms',
    })
    expect(verdictOf({ doubts })).toMatchObject({ verdict: 'pass' })
    expect(verdictOf({ doubts, text: TEXT.replace('×2', '×3') })).toMatchObject({ verdict: 'incomplete' })
  })
})

/** The failure of a trace with another file. */
const failure = (edit: (text: string) => string, of = trace): string =>
  judgeGolden(of, plan({ text: edit(TEXT), mode: 'compare' })).message

describe('a failure', () => {
  it('shows the trees, with unchanged lines folded, the likely cause, and how to update', () => {
    expect(
      failure((text) => text.replace('×2', '×1').replace('\n  http', '\n  function gone ×3\n    function too\n  http')),
    ).toBe(`the trace differs from e2e/__traces__/checkout.trace.txt: 3 of its lines missing, 1 new

  pageload /checkout [service=browser]
-   function gone ×3
-     function too
    http.client GET /api/cart
      http.server GET /api/cart
-       db SELECT *
+       db SELECT * ×2

likely cause: db SELECT * ran 2 times: is it in a loop, or was it repeated?

if the trace is right, update the file: npx vitest -u

  http://localhost:3000/traces/${'a'.repeat(32)}`)
    expect(failure((text) => text.replace('×2', '×2\n  new span'))).toContain(
      '  pageload /checkout [service=browser]\n    http.client GET /api/cart\n      … 2 lines\n-   new span\n',
    )
  })

  it.each([
    [
      'a changed lifecycle',
      (text: string) => text.replace('static', 'stream'),
      'the lifecycle of spans changed: is traceLifecycle',
    ],
    [
      'a missing service below another',
      (text: string) => text.replace('http.server GET /api/cart', 'http.server GET /api/cart [service=server]'),
      'trace headers no longer reach the server: does tracePropagationTargets contain its address?',
    ],
    [
      'a missing first service',
      (text: string) => `${text}http.server GET / [service=server]\n`,
      'is Sentry.init called in the server (instrumentation.ts), with SENTRY_DSN?',
    ],
  ])('names the likely cause of %s', (_what, edit, cause) => {
    expect(failure(edit)).toContain(`likely cause: ${cause}`)
  })

  it('names the status of a request that failed', () => {
    const attributes = { 'GET /api/cart': { 'http.response.status_code': 500 } }
    const broken = traceFrom(transactionOf(CHECKOUT, { attributes }))
    expect(failure((text) => text.replaceAll('GET /api/cart', 'GET /api/cart [status=200]'), broken)).toContain(
      'likely cause: http.client GET /api/cart ended with status 500, 200 in the file',
    )
    expect(failure((text) => text, broken)).toContain('likely cause: http.client GET /api/cart ended with status 500\n')
  })

  it('shows at most 80 lines', () => {
    const lines = Array.from(
      { length: 90 },
      (_, index) => `  function f${String.fromCharCode(97 + (index % 26))} ×${index + 1}`,
    )
    expect(failure((text) => `${text}${lines.join('\n')}\n`)).toContain('×23\nand 13 more lines\n')
  })

  it('is shown in docs/golden-traces.md as it is', () => {
    const read = (path: string): string => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
    const text = read('tests/fixtures/sample-app/e2e/__traces__/shop.trace.txt')
    const [file, twice] = [text, text.replace('add up the cart', 'add up the cart ×2')].map(parseGolden)
    if (!file?.ok || !twice?.ok) throw new TypeError('the golden file of the sample app cannot be read')
    const { lines, cause } = differenceOf(file.value, twice.value)
    expect(read('docs/golden-traces.md')).toContain(`${lines.join('\n')}\n\nlikely cause: ${cause}\n`)
  })
})
