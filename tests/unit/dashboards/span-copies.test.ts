import '../../../lib/kit/vitest'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spanAssertion, spanCurl, spanMarkdown, spanPattern } from '../../../dashboards/traces/span-copies'
import { nodesOf } from '../../../lib/protocol/trace/span-tree'
import { tracesOf } from '../../../lib/verdict/expectations/trace'
import { evidenceOf } from '../verdict/rules/sample-evidence'

const FOLDER = join(import.meta.dirname, '../../fixtures/envelopes')
/** A step of a pattern has no more. */
const MOST_CONDITIONS = 20

/** Every span of the captured envelopes with the root of its tree, and the trace. */
const copied = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.envelope'))
  .flatMap((name) => tracesOf(evidenceOf({ body: readFileSync(join(FOLDER, name)) })))
  .flatMap((trace) =>
    trace.roots.flatMap((root) =>
      nodesOf([root]).map(({ span }) => ({ trace, span, root: span === root.span ? null : root.span })),
    ),
  )

/** Runs a copied statement as it stands, with the kit's matchers. */
function passes(trace: (typeof copied)[number]['trace'], assertion: string): boolean {
  const statement = new Function('expect', 'trace', assertion)
  try {
    statement(expect, trace)
    return true
  } catch (error) {
    expect(error).toMatchObject({ message: expect.stringMatching(/^the trace has no /) })
    return false
  }
}

it('copied assertions of captured spans hold on their traces, and fail without the span', () => {
  expect(copied.length).toBeGreaterThanOrEqual(10)
  for (const { trace, span, root } of copied) {
    const assertion = spanAssertion(spanPattern(span, root, span.attributes))
    const isWithin = Object.keys(span.attributes).length <= MOST_CONDITIONS
    const plain = spanAssertion(spanPattern(span, root))
    expect([plain, passes(trace, plain)]).toEqual([plain, true])
    if (isWithin) expect([assertion, passes(trace, assertion)]).toEqual([assertion, true])
    const other = spanAssertion(spanPattern({ ...span, name: `${span.name} of nobody` }, root))
    expect([other, passes(trace, other)]).toEqual([other, false])
  }
})

it('an assertion with attributes holds for hostile values, and fails for another value', () => {
  const [one] = copied
  if (one === undefined) throw new Error('no span was captured')
  const attributes = {
    'http.route': '/api/cart',
    statement: 'SELECT \'a\'\n  FROM "b" -- C:\\temp\\*, [x]=1\r\n',
    'a "quoted", name]': ['x', { y: 1 }],
    star: '*',
    empty: '',
    long: 'x'.repeat(500),
    rows: 12,
    isCached: false,
  }
  const span = { ...one.span, name: 'two\nlines', attributes }
  const trace = { ...one.trace, spans: [span], roots: [{ span, children: [], depth: 0, orphan: false, skewed: false }] }
  for (const name of Object.keys(attributes)) {
    const copy = (value: unknown) => spanAssertion(spanPattern(span, null, { [name]: value }))
    const own = copy(attributes[name as keyof typeof attributes])
    expect([own, passes(trace, own)]).toEqual([own, true])
    expect([own, passes(trace, copy('another'))]).toEqual([own, false])
  }
  expect(spanPattern(span, null, { star: '*' })).toMatch(/\[star="\\\*"\]$/)
  expect(spanPattern(span, null, { 'http.route': '/api/cart', rows: 12 })).toMatch(
    /\[http\.route=\/api\/cart, rows=12\]$/,
  )
})

it.each([
  [{ op: 'db.query', name: 'SELECT * FROM item WHERE id = 42' }, 'db.query "SELECT * FROM item WHERE id = *"'],
  [{ op: 'ui.click', name: 'Buy "now" > C:\\temp' }, 'ui.click "Buy * > C:*temp"'],
  [{ op: 'db', name: 'SELECT a\n  FROM b' }, 'db "SELECT a*  FROM b"'],
  [{ op: null, name: 'task' }, '* "task"'],
  [{ op: 'two words', name: '' }, '*'],
])('the pattern of %j leaves out what differs from run to run', (span, expected) => {
  expect(spanPattern(span, null)).toBe(expected)
})

it('curl has method and address only, and is left out without a safe address', () => {
  expect(spanCurl({ 'url.full': "http://localhost:3000/api/o'k?q=1", 'http.request.method': 'POST' })).toBe(
    "curl -X POST 'http://localhost:3000/api/o%27k?q=1'\n",
  )
  expect(spanCurl({ 'http.url': 'http://me:secret@a/b' })).toBe("curl -X GET 'http://a/b'\n")
  expect(spanCurl({ 'url.full': 'javascript:alert(1)' })).toBeNull()
  expect(spanCurl({ 'http.url': 'http://a/b', 'http.method': 'GET; rm -rf /' })).toBeNull()
  expect(spanCurl({})).toBeNull()
})

it('Markdown shows received text as text', () => {
  const span = {
    ...{ spanId: 'a'.repeat(16), parentSpanId: null, segmentId: null, isSegment: false, seq: 1, item: 0 },
    ...{ startUs: 1_795_000_000_000_000, endUs: 1_795_000_000_250_000, service: 'server', op: 'http.server' },
    ...{ name: 'GET <b>/x</b>\n# two', status: null, httpStatus: 500 },
  }
  expect(spanMarkdown(span, 'http://localhost:4000/traces/x')).toBe(
    [
      '## GET \\<b\\>/x\\</b\\> # two',
      '',
      '- Op: http.server',
      '- Service: server',
      '- Duration: 250 ms',
      '- HTTP status: 500',
      '- Start: 2026-11-18T11:06:40.000Z',
      `- Span: ${'a'.repeat(16)}`,
      '- Waystation: http://localhost:4000/traces/x',
      '',
    ].join('\n'),
  )
})
