import { describe, expect, it } from 'vitest'
import { matchSpanTree } from '../../../../lib/verdict/expectations/span-tree'
import { type Trace, traceOf } from '../../../../lib/verdict/expectations/trace'
import { NO_BOARDS } from '../../../../lib/verdict/verdict'
import { containerOf, drawn, evidenceOf, TRACE, transactionOf } from '../rules/sample-evidence'

function traceFrom(...came: readonly string[]): Trace {
  const trace = traceOf(evidenceOf(...came), TRACE)
  if (trace === null) throw new TypeError('the drawing has no trace')
  return trace
}

const CHECKOUT = drawn(`
  pageload /checkout            ================
    http.client GET /api/cart     =======
      http.server GET /api/cart    =====
        db.query SELECT 1           =
        db.query SELECT 2            ===
    http.client POST /api/pay              ==
      db.query INSERT                      =
`)
const trace = traceFrom(transactionOf(CHECKOUT))
const verdictOn = (pattern: string, given = trace): string => matchSpanTree(given, pattern, NO_BOARDS).verdict.verdict
/** The second paragraph of the message. */
const missOf = (pattern: string, given = trace): string | undefined =>
  matchSpanTree(given, pattern, NO_BOARDS).message.split('\n\n')[1]

it.each([
  ['pageload > http.client{2}', 'pass'],
  ['pageload > http.client{3}', 'fail'],
  ['pageload > http.client{..2}', 'pass'],
  ['pageload > http.client{..1}', 'fail'],
  ['pageload > db*{0}', 'pass'],
  ['pageload >> db*{3}', 'pass'],
  ['pageload >> db*{0}', 'fail'],
  ['db*{3}', 'pass'],
  ['db*{4..}', 'fail'],
  ['cache*{0}', 'pass'],
  ['http.client >> db*{1}', 'pass'],
  ['http.client >> db*{2}', 'pass'],
  ['http.client >> db*{3}', 'fail'],
  ['http.client GET * >> db*[>150ms]{1}', 'pass'],
  ['pageload > http.client{2} > http.server > db*{2}', 'pass'],
  ['pageload > http.client{2..} > db* INSERT', 'pass'],
  ['pageload > http.client{1} > http.server', 'fail'],
  ['pageload > http.client[>=500ms]{1} > http.server[..500ms]', 'pass'],
  ['pageload > cache*{..5}', 'pass'],
  ['pageload > cache*{..5} > db', 'fail'],
])('%s: %s', (pattern, verdict) => {
  expect(verdictOn(pattern)).toBe(verdict)
})

it('counts children of the segment that answers a request as children of the request, once', () => {
  const page = drawn(`
    pageload /checkout            ============
      http.client GET /api/cart     =======
  `)
  const server = drawn(`
    http.server GET /api/cart    =====
      db.query SELECT 1           =
      db.query SELECT 2            =
  `)
  const both = traceFrom(
    transactionOf(page),
    transactionOf(server, { service: 'server', ids: 'c', parentSpanId: '0000000000000002' }),
  )
  for (const pattern of ['http.client > db*{2}', 'http.server > db*{2}', 'http.* > db*{2}', 'http.client >> db*{2}'])
    expect([pattern, verdictOn(pattern, both)]).toEqual([pattern, 'pass'])
  expect(verdictOn('pageload > db*{0}', both)).toBe('pass')
})

it('agrees with counts of the drawing for each parent and each range', () => {
  const [direct, deep] = [
    new Map([
      ['GET', 0],
      ['POST', 1],
    ]),
    new Map([
      ['GET', 2],
      ['POST', 1],
    ]),
  ]
  for (const [arrow, numbers] of [
    ['>', direct],
    ['>>', deep],
  ] as const)
    for (const [method, number] of numbers)
      for (let least = 0; least < 4; least += 1)
        for (let most = least; most < 4; most += 1)
          expect(verdictOn(`http.client ${method}* ${arrow} db*{${least}..${most}}`)).toBe(
            number >= least && number <= most ? 'pass' : 'fail',
          )
})

describe('a miss', () => {
  it('shows the number of the parent that is nearest to the count', () => {
    expect(missOf('http.client >> db*{4}')).toBe(
      `found 1 of 2: http.client GET /api/cart
expected descendant: db*{4}
found 2 of db*, expected exactly 4`,
    )
    expect(missOf('db*{..2}')).toBe('found 3 of db*, expected at most 2')
    expect(missOf('pageload > cache*{2..}')).toBe(
      `found 1 of 2: pageload /checkout
expected child: cache*{2..}
got 2 children: http.client GET /api/cart, http.client POST /api/pay
found 0 of cache*, expected at least 2`,
    )
  })

  it('shows the nearest duration, and the fastest and the slowest', () => {
    expect(missOf('pageload > http.client[<100ms]')).toBe(
      `found 1 of 2: pageload /checkout
expected child: http.client[<100ms]
got 2 children: http.client GET /api/cart, http.client POST /api/pay
nearest: http.client POST /api/pay (envelope 1, item 0)
  duration  expected <100ms, got 200 ms
  2 such spans take 200 ms to 700 ms`,
    )
    expect(missOf('http.client[>=1s]')).toContain('duration  expected >=1s, got 700 ms')
  })

  it('shows the value of the attribute that was read, of the span that fails the fewest conditions', () => {
    const attributes = {
      'GET /api/cart': { 'http.route': '/api/cart', 'http.response.status_code': 200 },
      'POST /api/pay': { 'http.response.status_code': 200 },
    }
    const requests = traceFrom(containerOf(CHECKOUT, { attributes }))
    const pattern = 'pageload > http.client[http.route=/api/user, http.response.status_code=200]'
    expect(missOf(pattern, requests)).toContain(
      `nearest: http.client GET /api/cart (envelope 1, item 0)
  http.route  expected "/api/user", got "/api/cart"`,
    )
    expect(matchSpanTree(requests, pattern, NO_BOARDS).verdict).toMatchObject({
      findings: [{ actual: 'http.client GET /api/cart with http.route "/api/cart"' }],
    })
  })

  it('shows the number and the nearest other span if too few meet the conditions', () => {
    expect(missOf('pageload > http.client[>=500ms]{2}')).toBe(
      `found 1 of 2: pageload /checkout
expected child: http.client[>=500ms]{2}
found 1 of http.client[>=500ms], expected exactly 2
nearest: http.client POST /api/pay (envelope 1, item 0)
  duration  expected >=500ms, got 200 ms`,
    )
  })
})

it('a maximum is incomplete while spans may follow, a minimum is not', () => {
  const late = traceFrom(containerOf(CHECKOUT, { late: true }))
  expect(verdictOn('http.client GET * >> db*{2..}', late)).toBe('pass')
  const { verdict, message, negatedMessage } = matchSpanTree(late, 'http.client GET * >> db*{2}', NO_BOARDS)
  expect(verdict.verdict).toBe('incomplete')
  expect(message).toMatch(
    /^the trace has http.client GET \* >> db\*\{2\} so far, but more spans may exceed a maximum\n/,
  )
  expect(negatedMessage).toBe('')
})

it('counts the descendants of 20,000 nested parents', () => {
  const [first] = trace.spans
  if (first === undefined) throw new TypeError('the drawing has no span')
  const spans = Array.from({ length: 20_000 }, (_, index) => ({
    ...first,
    op: 'step',
    segmentId: null,
    spanId: String(index),
    parentSpanId: index === 0 ? null : String(index - 1),
  }))
  const deep = traceOf({ ...evidenceOf(), spans }, TRACE)
  if (deep === null) throw new TypeError('the spans have no trace')
  expect(matchSpanTree(deep, 'step >> step{12345} >> step{..3}', NO_BOARDS).matched).toHaveLength(3)
  expect(verdictOn('step >> step{20000}', deep)).toBe('fail')
})
