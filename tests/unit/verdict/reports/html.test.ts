import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  chooseTraces,
  type HtmlRun,
  htmlReport,
  MOST_HTML_BYTES,
  MOST_TRACES,
} from '../../../../lib/verdict/reports/html'
import { failedTests } from '../../../../lib/verdict/reports/html-tests'
import { lossesSchema } from '../../../../lib/wire/losses'
import type { Span, TraceDetail } from '../../../../lib/wire/trace'
import { observed } from '../arrival/observed-test'
import { everything, failing, finding, judged, report } from './sample-reports'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64')
const HOSTILE = '</title><script>alert(1)</script>" onload="x" \u001b[31m\u202e'
const START_US = 1_760_000_000_000_000

const span = (number: number, given: Partial<Span> = {}): Span => ({
  spanId: number.toString(16).padStart(16, '0'),
  parentSpanId: number === 1 ? null : '0000000000000001',
  segmentId: '0000000000000001',
  isSegment: number === 1,
  name: `span ${number}`,
  op: 'db',
  status: 'ok',
  origin: null,
  service: 'server',
  startUs: START_US + number * 1000,
  endUs: START_US + number * 1000 + 500,
  attributes: {},
  links: [],
  seq: 1,
  item: 0,
  ...given,
})

const trace = (
  id: string,
  given: Partial<TraceDetail['summary']> = {},
  spans: readonly Span[] = [span(1)],
): TraceDetail => ({
  summary: {
    traceId: id,
    journal: 1,
    receivedAt: 0,
    lastSeq: 1,
    startUs: START_US,
    durationUs: 1000,
    name: `trace ${id}`,
    op: null,
    status: null,
    segmentCount: 1,
    spanCount: spans.length,
    errorCount: 0,
    services: ['server'],
    environment: null,
    release: null,
    deliveryStatus: { pending: 0, outcomes: {}, reasons: {} } as never,
    copy: 'no',
    ...given,
  },
  segments: [],
  spans: [...spans],
  truncated: false,
  errors: [],
  breadcrumbs: [],
  journal: 1,
})

const losses = lossesSchema.parse({
  now: 0,
  journal: 0,
  stamp: null,
  categories: [],
  losses: [],
  notSent: [],
  deadLetters: [],
  innerSpans: 0,
  sentence: '',
})

const runOf = (given: Partial<HtmlRun> = {}): HtmlRun => ({
  source: 'out.waystation',
  facts: {
    command: 'npm test',
    name: null,
    commit: null,
    startedAt: 0,
    endedAt: 1000,
    exit: { code: 1, signal: null },
    verdict: 'fail',
  },
  report: everything,
  losses,
  tests: [],
  traces: [trace('a')],
  traceCount: 1,
  ...given,
})

describe('a report as HTML', () => {
  it('runs no script, requests nothing, and allows its own style only', () => {
    const html = htmlReport(runOf(), sha256)
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\sstyle=|\son\w+=|https?:\/\/(?!localhost:3000)/)
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''
    expect(html).toContain(`content="default-src &#39;none&#39;; style-src &#39;sha256-${sha256(style)}&#39;"`)
  })

  it('escapes received text everywhere', () => {
    const hostile = trace('b', { name: HOSTILE, services: [HOSTILE] }, [span(1, { name: HOSTILE, op: HOSTILE })])
    const facts = { ...runOf().facts, name: HOSTILE, command: HOSTILE } as HtmlRun['facts']
    const findings = [{ about: HOSTILE, at: null, path: HOSTILE, actual: HOSTILE, expected: HOSTILE }]
    const check = judged({ title: HOSTILE, verdict: { verdict: 'fail', judged: 1, found: 1, findings } })
    const html = htmlReport(
      runOf({ source: HOSTILE, facts, report: report({ verdict: 'fail', judged: [check] }), traces: [hostile] }),
      sha256,
    )
    expect(html).not.toContain('<script')
    expect(html).not.toContain('" onload')
    expect(html).not.toContain('\u001b')
    expect(html).not.toContain('\u202e')
    expect(html.split('&lt;script&gt;').length).toBeGreaterThan(8)
  })

  it('shows failed tests first, with their findings, stack, breadcrumbs and trace, each finding once', () => {
    const test = 'pays (pay.spec.ts:3)'
    const found = finding({ about: 'Error: declined', at: { seq: 1, item: 0, traceId: 't' }, test })
    const other = finding({ about: 'POST /tunnel', at: null })
    const failed = report({ verdict: 'fail', judged: [judged({ verdict: failing([found, other]) })] })
    const observedTests = [
      observed({ test, isOk: false }),
      observed({ test, isOk: true, attempt: 1 }),
      observed({
        test: 'adds (add.spec.ts:9)',
        isOk: false,
        errors: [`expected 42, got 41 ${HOSTILE}\n    at add.spec.ts:12`],
      }),
      observed({ test: 'passes (add.spec.ts:20)' }),
    ]
    const tests = failedTests(failed, observedTests)
    expect(tests.map(({ test: name, isOk, findings }) => [name, isOk, findings.length])).toEqual([
      [test, true, 1],
      ['adds (add.spec.ts:9)', false, 0],
    ])
    const frame = (inApp: boolean, line: number) => ({
      filename: `${HOSTILE}.ts`,
      function: 'pay',
      line,
      column: 1,
      inApp,
      source: [],
      vars: null,
    })
    const event = {
      title: 'Error: declined',
      exceptions: [{ type: 'Error', value: 'declined', frames: [frame(false, 1), frame(true, 12)] }],
      breadcrumbs: [{ category: 'ui.click', type: null, message: HOSTILE, data: null }],
    } as never
    const shown = tests.map((one, index) => ({
      ...one,
      event: index === 0 ? event : null,
      trace: index === 0 ? trace('t') : null,
    }))
    const html = htmlReport(runOf({ report: failed, tests: shown }), sha256)
    expect(html).toMatch(/<pre>expected 42, got 41 [^\n]*\n {4}at add\.spec\.ts:12<\/pre>/)
    expect(html).not.toContain(HOSTILE)
    const order = [
      '2 failed tests',
      test,
      'at &lt;/title&gt;',
      'ui.click',
      'trace t',
      'adds (add',
      '>Checks<',
      '1 finding in the failed tests above',
      'POST /tunnel',
      'Other traces',
    ]
    const positions = order.map((text) => html.indexOf(text, html.indexOf('2 failed tests')))
    expect(positions).toEqual([...positions].sort((a, b) => a - b))
    expect(positions[0]).toBeGreaterThan(0)
    expect(html.split('<strong>Error: declined').length).toBe(2)
    expect(html).not.toContain(':1</code>')
    expect(html).not.toContain('<script')
  })

  it('stays below its size and says which waterfalls it leaves out', () => {
    const name = 'x'.repeat(200)
    const spans = Array.from({ length: 300 }, (_, index) =>
      span(index + 1, { name: `&${name}`, service: '<'.repeat(2000) }),
    )
    const traces = Array.from({ length: MOST_TRACES }, (_, index) => trace(String(index), {}, spans))
    const html = htmlReport(runOf({ traces, traceCount: 50 }), sha256)
    expect(Buffer.byteLength(html)).toBeLessThan(MOST_HTML_BYTES)
    expect(html).toContain('The waterfall does not fit into this page.')
    expect(html).toContain('30 more traces in the run')
  })

  it('chooses traces of failed checks first, then failed ones, then the slowest', () => {
    const list = [
      trace('slow', { durationUs: 9000 }).summary,
      trace('fast').summary,
      trace('failed', { errorCount: 1 }).summary,
      trace('named').summary,
      trace('tunnel', { name: 'POST /tunnel', durationUs: 99_000 }).summary,
      trace('relay', { name: 'POST /relay', durationUs: 99_000 }).summary,
    ]
    const at = { seq: 1, item: 0, traceId: 'named' }
    const check = judged({
      severity: 'error',
      verdict: {
        verdict: 'fail',
        judged: 1,
        found: 1,
        findings: [{ about: 'x', at, path: '', actual: '', expected: '' }],
      },
    })
    const chosen = chooseTraces(list, report({ verdict: 'fail', judged: [check] }), ['/relay'])
    expect(chosen.map(({ traceId }) => traceId)).toEqual(['named', 'failed', 'slow', 'fast'])
    expect(
      chooseTraces(
        Array.from({ length: 30 }, (_, n) => trace(String(n)).summary),
        null,
      ),
    ).toHaveLength(MOST_TRACES)
  })

  it('begins with the failed program, whose telemetry may pass', () => {
    expect(htmlReport(runOf({ report: report() }), sha256)).toContain(
      '<h2 class="bad">✗ The program ended with code 1. Telemetry check passed',
    )
  })

  it('says when nothing was judged, and when nothing arrived', () => {
    const html = htmlReport(runOf({ facts: null, report: null, traces: [], traceCount: 0 }), sha256)
    expect(html).toContain('Nothing was judged (--no-check).')
    expect(html).toContain('Nothing arrived.')
    expect(html).toContain('No trace arrived.')
  })
})
