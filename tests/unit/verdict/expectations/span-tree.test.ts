import { describe, expect, it } from 'vitest'
import { matchSpanTree } from '../../../../lib/verdict/expectations/span-tree'
import { type Trace, traceOf } from '../../../../lib/verdict/expectations/trace'
import { NO_BOARDS } from '../../../../lib/verdict/verdict'
import { containerOf, drawn, eventOf, evidenceOf, failing, TRACE, transactionOf } from '../rules/sample-evidence'

const BOARDS = { appUrl: 'http://localhost:3000' }

const CHECKOUT = drawn(`
  pageload /checkout            ============
    http.client GET /api/cart     =======
      http.server GET /api/cart    =====
        db.query SELECT 1           =
        db.query SELECT 2            =
    ui.long-task Main UI thread          ==
`)

function traceFrom(...came: readonly string[]): Trace {
  const trace = traceOf(evidenceOf(...came), TRACE)
  if (trace === null) throw new TypeError('the drawing has no trace')
  return trace
}

const trace = traceFrom(transactionOf(CHECKOUT))

it.each([
  ['an op alone', 'pageload'],
  ['a step anywhere in the trace', 'db.query'],
  ['an op and a name', 'pageload /checkout'],
  ['children of children', 'pageload > http.client GET /api/cart > http.server'],
  ['ops with a wildcard', 'http.server > db*'],
  ['names with a wildcard', '* GET * > db.query *2'],
  ['any depth', 'pageload >> db.query SELECT 2'],
  ['any depth, then a child', 'pageload >> http.server > db*'],
  ['a quoted name', 'pageload "/checkout" > http.client "GET /api/cart"'],
  ['a pattern over several lines', 'pageload\n  > http.client\n  > http.server'],
  ['a pattern without blanks', 'pageload>http.client'],
])('matchSpanTree matches %s', (_what, pattern) => {
  expect(matchSpanTree(trace, pattern, NO_BOARDS).verdict).toEqual({ verdict: 'pass', judged: 6 })
})

it('matchSpanTree matches in either lifecycle', () => {
  const streamed = traceFrom(containerOf(CHECKOUT))
  expect(matchSpanTree(streamed, 'pageload > http.client GET /api/cart > http.server', NO_BOARDS).verdict.verdict).toBe(
    'pass',
  )
})

it('matchSpanTree matches a child of a request in the segment of the service that answered it', () => {
  const page = drawn(`
      pageload /checkout            ============
        http.client GET /api/cart     =======
    `)
  const server = drawn(`
      http.server GET /api/cart    =====
        db.query SELECT 1           =
    `)
  const answer = { service: 'server', ids: 'c', parentSpanId: '0000000000000002' } as const
  for (const caller of ['browser', 'server'] as const) {
    const both = traceFrom(transactionOf(page, { service: caller }), transactionOf(server, answer))
    const verdictOn = (pattern: string) => matchSpanTree(both, pattern, NO_BOARDS).verdict.verdict
    expect(verdictOn('pageload > http.client GET /api/cart > db*')).toBe('pass')
    expect(verdictOn('pageload > http.client GET /api/cart > http.server > db*')).toBe('pass')
    expect(verdictOn('pageload > db*')).toBe('fail')
  }
  expect(matchSpanTree(trace, 'pageload > http.client GET /api/cart > db*', NO_BOARDS).verdict.verdict).toBe('fail')
})

it('matchSpanTree explains an unexpected match', () => {
  expect(matchSpanTree(trace, 'pageload >> db.query', BOARDS).negatedMessage).toBe(
    `the trace has pageload >> db.query; expected not to have it

pageload /checkout (envelope 1, item 0)
  db.query SELECT 1 (envelope 1, item 0)

  http://localhost:3000/traces/${TRACE}?span=0000000000000004`,
  )
})

describe('a request', () => {
  const calls = drawn(`
  pageload /checkout            ====
    http.client GET 127.0.0.1     =
    http.client POST 127.0.0.1     =
`)
  const attributes = {
    'GET 127.0.0.1': { 'http.request.method': 'GET', 'url.full': 'http://127.0.0.1:3000/api/cart?page=2' },
    'POST 127.0.0.1': { 'http.method': 'POST', url: '/api/pay' },
  }
  const called = traceFrom(containerOf(calls, { attributes }))

  it.each([
    ['method and path', 'pageload > http.client GET /api/cart'],
    ['method, path and query', 'http.client GET /api/cart?page=*'],
    ['attributes of an older SDK', 'http.client POST /api/pay'],
    ['the name given by its SDK', 'http.client GET 127.0.0.1'],
  ])('matches by %s', (_what, pattern) => {
    expect(matchSpanTree(called, pattern, NO_BOARDS).verdict.verdict).toBe('pass')
  })

  it('does not match by another path, and is shown with its path', () => {
    const { message } = matchSpanTree(called, 'pageload > http.client GET /api/user', NO_BOARDS)
    expect(message).toContain('got 2 children: http.client GET /api/cart, http.client POST /api/pay')
  })
})

describe('matchSpanTree without a match', () => {
  it('reports the matched part and the actual spans', () => {
    const { verdict, message, matched } = matchSpanTree(trace, 'pageload > http.client > http.server > cache*', BOARDS)
    expect(matched.map(({ name }) => name)).toEqual(['/checkout', 'GET /api/cart', 'GET /api/cart'])
    expect(verdict).toMatchObject(
      failing(6, {
        about: 'http.server GET /api/cart',
        actual: '2 children: db.query SELECT 1, db.query SELECT 2',
        expected: '> cache*',
      }),
    )
    expect(message).toBe(
      `the trace has no pageload > http.client > http.server > cache*

found 3 of 4: pageload /checkout > http.client GET /api/cart > http.server GET /api/cart
expected child: cache*
got 2 children: db.query SELECT 1, db.query SELECT 2
  http://localhost:3000/traces/${TRACE}?span=0000000000000003

trace ${TRACE} · 6 spans · browser
pageload /checkout                1.20 s
├─ http.client GET /api/cart      700 ms
│  └─ http.server GET /api/cart   500 ms
│     ├─ db.query SELECT 1        100 ms
│     └─ db.query SELECT 2        100 ms
└─ ui.long-task Main UI thread    200 ms`,
    )
  })

  it('suggests >> if a deeper descendant matches', () => {
    expect(matchSpanTree(trace, 'pageload > http.client GET /api/cart > db*', NO_BOARDS).message.split('\n\n')[1]).toBe(
      `found 2 of 3: pageload /checkout > http.client GET /api/cart
expected child: db*
got 1 child: http.server GET /api/cart
db.query SELECT 1 is a descendant; did you mean pageload > http.client GET /api/cart >> db*?`,
    )
  })

  it('lists the descendants that are nearest to a missing descendant', () => {
    const many = Array.from({ length: 9 }, (_, index) => `  ui.paint layer ${index}    ==`)
    const lines = [
      'pageload /              ======',
      ...many,
      '  ui.frame                ====',
      '    db.query SELECT 12     ==',
    ]
    const painted = traceFrom(transactionOf(drawn(`\n${lines.join('\n')}\n`)))
    const message = matchSpanTree(painted, 'pageload >> db.query SELECT 1', NO_BOARDS).message.split('\n\n')[1]
    expect(message).toMatch(/^expected descendant: db.query SELECT 1\ngot 11 descendants: db.query SELECT 12, /m)
  })

  it('reports the roots if the first step does not match', () => {
    expect(matchSpanTree(trace, 'navigation > http.client', NO_BOARDS).message.split('\n\n')[1]).toBe(
      'no span is navigation; the trace has 1 root: pageload /checkout',
    )
  })

  it('is incomplete if a segment is missing', () => {
    const late = traceFrom(containerOf(CHECKOUT, { late: true }))
    const why = 'the trace is incomplete: 5 spans of segment 0000000000000001 arrived, but not the segment itself'
    expect(matchSpanTree(late, 'pageload > http.client', NO_BOARDS).verdict).toEqual({ verdict: 'incomplete', why })
    expect(matchSpanTree(late, 'http.client > http.server', NO_BOARDS).verdict.verdict).toBe('pass')
  })

  it('is incomplete if the trace was not parsed completely', () => {
    const evidence = evidenceOf(transactionOf(CHECKOUT))
    const items = evidence.items.map((item) => ({ ...item, problem: 'there were more spans' }))
    const cut = traceOf({ ...evidence, items }, TRACE)
    if (cut === null) throw new TypeError('the drawing has no trace')
    const why = 'the trace could not be parsed completely: there were more spans'
    expect(matchSpanTree(cut, 'pageload > cache*', NO_BOARDS).verdict).toEqual({ verdict: 'incomplete', why })
  })

  it('continues with a later span if the first match has no matching child', () => {
    const several = traceFrom(
      transactionOf(
        drawn(`
  pageload /a                ============
    http.client GET /1       ===
    http.client GET /2          ===
      http.server GET /2        ==
    http.client GET /3             ===
`),
      ),
    )
    const { matched } = matchSpanTree(several, 'pageload > http.client > http.server', NO_BOARDS)
    expect(matched.map(({ name }) => name)).toEqual(['/a', 'GET /2', 'GET /2'])
  })
})

it('matchSpanTree visits each of 40 nested requests once per step', () => {
  const [first] = trace.spans
  if (first === undefined) throw new TypeError('the drawing has no span')
  const spans = Array.from({ length: 80 }, (_, index) => ({
    ...first,
    op: 'step',
    isSegment: true,
    service: index % 2 === 0 ? ('browser' as const) : ('server' as const),
    segmentId: null,
    spanId: String(index),
    parentSpanId: index === 0 ? null : String(index - 1),
  }))
  const deep = traceOf({ ...evidenceOf(), spans }, TRACE)
  if (deep === null) throw new TypeError('the spans have no trace')
  const pattern = Array.from({ length: 15 }, () => 'step').join(' > ')
  expect(matchSpanTree(deep, pattern, NO_BOARDS).matched).toHaveLength(15)
  expect(matchSpanTree(deep, `${pattern} > never`, NO_BOARDS).verdict).toMatchObject({ found: 1 })
})

it('matchSpanTree is incomplete for a trace without spans', () => {
  const { verdict, negatedMessage } = matchSpanTree(traceFrom(eventOf()), 'pageload', NO_BOARDS)
  expect(verdict).toEqual({ verdict: 'incomplete', why: 'no span of the trace was recorded' })
  expect(negatedMessage).toBe('')
})

it.each<[string, number, (index: number) => number]>([
  ['20,000 levels', 20_000, (index) => index - 1],
  ['150,000 children', 150_000, () => 0],
])('matchSpanTree traverses a tree of %s without a stack overflow', (_what, count, parentOf) => {
  const [first] = trace.spans
  if (first === undefined) throw new TypeError('the drawing has no span')
  const spans = Array.from({ length: count }, (_, index) => ({
    ...first,
    op: index === count - 1 ? 'last' : 'step',
    segmentId: null,
    spanId: String(index),
    parentSpanId: index === 0 ? null : String(parentOf(index)),
  }))
  const large = traceOf({ ...evidenceOf(), spans }, TRACE)
  if (large === null) throw new TypeError('the spans have no trace')
  expect(matchSpanTree(large, 'step >> last', NO_BOARDS).verdict.verdict).toBe('pass')
  const { verdict, message } = matchSpanTree(large, 'step >> never', NO_BOARDS)
  expect(verdict.verdict).toBe('fail')
  expect(message.length).toBeLessThan(10_000)
})
