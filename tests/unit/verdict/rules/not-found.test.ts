import { describe, expect, it } from 'vitest'
import { notFoundRule } from '../../../../lib/verdict/rules/not-found'
import { caseFrom, containerOf, drawn, eventOf, failing, type Telling, transactionOf } from './sample-evidence'

const judge = (...bodies: string[]) => notFoundRule.judge(caseFrom(...bodies))
const SERVER = { service: 'server' } as const
const RENDERED = `
  http.server GET /nope     =======
    - render route (app)       ===
`
const missing: Telling = {
  ...SERVER,
  attributes: {
    'GET /nope': { 'http.response.status_code': 404 },
    'render route (app)': { 'next.span_type': 'AppRender.getBodyResult' },
  },
}
const MARKED: Telling = { attributes: { '/nope': { 'waystation.not_found': true } } }
const routed = (attribute: string): Telling => ({
  ...SERVER,
  attributes: { 'GET /nope': { [attribute]: '/_not-found' } },
})
const REQUESTED = `
  navigation /nope          =======
    http.client GET /nope      ===
`
const requested: Telling = {
  attributes: {
    '/nope': { 'url.full': 'http://localhost:3000/nope' },
    'GET /nope': { 'url.full': 'http://localhost:3000/nope?_rsc=x', 'http.response.status_code': 404 },
  },
}

describe('the not-found rule', () => {
  it('passes if no segment is of a missing page', () => {
    const found = transactionOf(drawn('http.server GET /  =====', 10), { ...SERVER, ids: '5' })
    expect(judge(containerOf(drawn('pageload /  =====')), found)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it.each([
    ['by the segment name that Next.js sets', transactionOf(drawn('http.server GET /_not-found  ====='), SERVER)],
    ['by its route', transactionOf(drawn('http.server GET /nope  ====='), routed('http.route'))],
    ['by the route that Next.js sets', transactionOf(drawn('http.server GET /nope  ====='), routed('next.route'))],
    ['by status 404 of a rendered page', containerOf(drawn(RENDERED), missing)],
    ['by the attribute waystation.not_found', containerOf(drawn('pageload /nope  ====='), MARKED)],
    ['by status 404 of a request in a static navigation', transactionOf(drawn(REQUESTED), requested)],
    ['by status 404 of a request in a streamed navigation', containerOf(drawn(REQUESTED), requested)],
    [
      'by status 404 of one of several requests',
      containerOf(drawn(`${REQUESTED.trimEnd()}\n    http.client GET /cart      =`), requested),
    ],
  ])('fails for a missing page recognised %s', (_, body) => {
    expect(judge(body)).toMatchObject(
      failing(1, {
        at: { seq: 1, item: 0, spanId: '0000000000000001' },
        path: '',
        actual: 'a segment of a missing page',
        expected: 'filtered before sending, and counted as ignored in a client report',
      }),
    )
  })

  it('ignores copies, other spans and other SDK families', () => {
    const nope = (op: string, telling: Telling = SERVER) => transactionOf(drawn(`${op} GET /404  =====`), telling)
    const other = nope('http.server', { ...SERVER, header: { sdk: { name: 'sentry.python', version: '2.40.0' } } })
    expect(notFoundRule.judge(caseFrom({ body: nope('http.server'), endpoint: 'stream' })).verdict).toBe('incomplete')
    expect(judge(nope('queue.process')).verdict).toBe('incomplete')
    expect(judge(other).verdict).toBe('incomplete')
    expect(judge(nope('http.server')).verdict).toBe('fail')
  })

  const NAVIGATION = { 'url.full': 'http://localhost:3000/nope' }
  it.each([
    ['requests an existing page', { '/nope': NAVIGATION, 'GET /nope': { ...NAVIGATION } }],
    [
      'requests another address that is missing',
      {
        '/nope': NAVIGATION,
        'GET /nope': { 'url.full': 'http://localhost:3000/cart', 'http.response.status_code': 404 },
      },
    ],
    ['has no address', { 'GET /nope': { 'http.response.status_code': 404 } }],
  ])('passes for a navigation that %s', (_, attributes) => {
    expect(judge(transactionOf(drawn(REQUESTED), { attributes }))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for a page load that requests a missing file', () => {
    const load = drawn(REQUESTED.replace('navigation', 'pageload'))
    expect(judge(transactionOf(load, requested))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for a route handler that answers 404', () => {
    const attributes = { 'GET /api/cart': { 'http.response.status_code': 404 } }
    const handler = transactionOf(drawn('http.server GET /api/cart  ====='), { ...SERVER, attributes })
    expect(judge(handler)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is incomplete with error events only', () => {
    const why = 'No pageload, navigation or server request was recorded.'
    expect(judge(eventOf({ transaction: '/404' }))).toEqual({ verdict: 'incomplete', why })
  })
})
