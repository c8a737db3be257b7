import { describe, expect, it } from 'vitest'
import { traceHeadersRule } from '../../../../lib/verdict/rules/trace-headers'
import { type Came, caseFrom, containerOf, drawn, failing, type Telling, transactionOf } from './sample-evidence'

const PAGE = `
  pageload /checkout          ==========
    http.client GET /api/cart     =====
`
const ANSWER = `
  http.server GET /api/cart  ====
`
const ORIGIN = 'http://127.0.0.1:3000'
const page = (url = `${ORIGIN}/api/cart`, telling: Telling = {}): Came => ({
  body: containerOf(drawn(PAGE), { ...telling, attributes: { 'GET /api/cart': { 'url.full': url } } }),
  origin: ORIGIN,
})
/** The server's segment, which begins 500 ms after the page. */
const answer = (telling: Telling = {}): string =>
  transactionOf(drawn(ANSWER), { service: 'server', ids: '5', aheadMs: 500, ...telling })
const OWN_TRACE = { traceId: 'b'.repeat(32) }
const judge = (...came: readonly Came[]) => traceHeadersRule.judge(caseFrom(...came))
const NOTHING = {
  verdict: 'incomplete',
  why: 'No browser request was recorded by both browser and server.',
} as const

describe('the trace-headers rule', () => {
  it('passes if the server segment has the request as its parent', () => {
    expect(judge(page(), answer({ parentSpanId: '0000000000000002' }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails if the server started its own trace', () => {
    expect(judge(page(), answer(OWN_TRACE))).toEqual(
      failing(1, {
        about: 'http.client GET http://127.0.0.1:3000/api/cart',
        at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000002' },
        path: '',
        actual: `the server’s segment, http.server GET /api/cart, started trace ${'b'.repeat(32)}`,
        expected: `trace ${'a'.repeat(32)}, continued with sentry-trace and baggage`,
      }),
    )
  })

  it('fails if the server started its own trace under the same stamp', () => {
    expect(judge(stamped('one'), { body: answer(OWN_TRACE), stamp: 'one' })).toMatchObject({ judged: 1, found: 1 })
  })

  it('reads the address from a path and from attributes of older SDKs', () => {
    const called = (attributes: Readonly<Record<string, string>>) => ({
      body: containerOf(drawn(PAGE), { attributes: { 'GET /api/cart': attributes } }),
      origin: ORIGIN,
    })
    const through = answer({ parentSpanId: '0000000000000002' })
    expect(judge(called({ 'url.full': '/api/cart' }), through)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(called({ 'http.url': `${ORIGIN}/api/cart` }), through)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(called({ url: '/api/cart' }), through)).toEqual({ verdict: 'pass', judged: 1 })
    expect(judge(called({}), through)).toEqual(NOTHING)
  })

  /** The call is open from 400 to 900 ms after the page began. */
  it.each([
    [-600, 1],
    [-601, 0],
    [1900, 1],
    [1901, 0],
  ])('allows clocks to differ: a server trace %i ms after the page gives %i findings', (aheadMs, found) => {
    expect(judge(page(), answer({ ...OWN_TRACE, aheadMs }))).toMatchObject(found === 0 ? NOTHING : { found })
  })

  it('takes the method from attributes before the name', () => {
    const withMethod = (method: string): Telling => ({
      attributes: { 'GET /api/cart': { 'http.request.method': method } },
    })
    const older: Telling = { attributes: { 'GET /api/cart': { 'http.method': 'POST' } } }
    expect(judge(page(), answer({ ...OWN_TRACE, ...withMethod('POST') }))).toEqual(NOTHING)
    expect(judge(page(), answer({ ...OWN_TRACE, ...older }))).toEqual(NOTHING)
    expect(judge(page(), answer({ ...OWN_TRACE, ...withMethod('GET') }))).toMatchObject({ found: 1 })
  })

  it('counts answered requests next to unanswered ones', () => {
    const again = answer({ ...OWN_TRACE, ids: '6' })
    expect(judge(page(), answer({ parentSpanId: '0000000000000002' }), again)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('reports each answered request once', () => {
    expect(judge(page(), page(undefined, { ids: '9' }), answer(OWN_TRACE))).toMatchObject({ judged: 1, found: 1 })
  })

  it.each([
    ['for a request that no server recorded', [page()]],
    ['for a segment of another path', [page(`${ORIGIN}/api/other`), answer(OWN_TRACE)]],
    ['for a segment of another time', [page(), answer({ ...OWN_TRACE, aheadMs: 9000 })]],
    ['for a segment with another stamp', [stamped('one'), { body: answer(OWN_TRACE), stamp: 'two' }]],
    ['for a segment without the stamp of the page', [stamped('one'), answer(OWN_TRACE)]],
    ['for a stamped segment and a page without a stamp', [page(), { body: answer(OWN_TRACE), stamp: 'two' }]],
    [
      'for a copy of the page',
      [{ body: containerOf(drawn(PAGE)), origin: ORIGIN, endpoint: 'stream' as const }, answer(OWN_TRACE)],
    ],
    ['for a copy of the segment', [page(), { body: answer(OWN_TRACE), endpoint: 'stream' as const }]],
    ['for a request sent by a server', [page(undefined, { service: 'server' }), answer(OWN_TRACE)]],
    ['for a segment that continues another trace', [page(), answer({ ...OWN_TRACE, parentSpanId: 'd'.repeat(16) })]],
    ['for a segment that is not of a server', [page(), answer({ ...OWN_TRACE, service: 'browser' })]],
    [
      'for a router request and the segment of the page’s document',
      [page(`${ORIGIN}/api/cart?_rsc=x`), answer(documentSpan())],
    ],
    ['for a request to another origin', [page('http://127.0.0.1:8080/api/cart'), answer(OWN_TRACE)]],
    ['for a request to the tunnel', [page(`${ORIGIN}/tunnel`), tunnel()]],
  ])('is incomplete %s', (_, came) => {
    expect(judge(...came)).toEqual(NOTHING)
  })
})

function stamped(stamp: string): Came {
  const one = page()
  return typeof one === 'string' ? one : { ...one, stamp }
}

function documentSpan(): Telling {
  return { ...OWN_TRACE, attributes: { 'GET /api/cart': { 'next.rsc': false } } }
}

function tunnel(): string {
  const picture = drawn('http.server POST /tunnel  ====')
  return transactionOf(picture, { service: 'server', ids: '5', aheadMs: 500, ...OWN_TRACE })
}
