import { describe, expect, it } from 'vitest'
import type { ServerFailure, TracedRequest } from '../../../../lib/verdict/arrival/observed'
import { BUFFERED_MS, judgeServers } from '../../../../lib/verdict/arrival/server-answers'
import { BEGIN_S, type Came, containerOf, drawn, eventOf } from '../rules/sample-evidence'
import { arrived, observed, SHOP } from './observed-test'

const ENDED_AT = BEGIN_S * 1000 + 60_000
const LATE = ENDED_AT - BUFFERED_MS

const traced = (method: string, path: string, id: string, endedAt = BEGIN_S * 1000): TracedRequest => ({
  method,
  url: `${SHOP}${path}`,
  traceId: id.repeat(32),
  spanId: id.repeat(16),
  endedAt,
})

/** The server's segment of a request. */
function segment(name: string, id: string): Came {
  const [span] = drawn(`http.server ${name}  ==`)
  if (span === undefined) throw new Error('nothing was drawn')
  return containerOf([span], { service: 'server', traceId: id.repeat(32), ids: id, parentSpanId: id.repeat(16) })
}

const failure = (given: Partial<ServerFailure> = {}): ServerFailure => ({
  method: 'POST',
  url: `${SHOP}/api/order`,
  status: 500,
  hasOwnBody: false,
  traceId: 'a'.repeat(32),
  startedAt: BEGIN_S * 1000,
  ...given,
})

/** The findings of each check that fails, by severity and id. */
function found(
  given: { traced?: TracedRequest[]; failures?: ServerFailure[]; routes?: readonly string[] },
  ...came: readonly Came[]
): Readonly<Record<string, readonly string[]>> {
  const { routes = [], ...seen } = given
  const judged = judgeServers([observed(seen)], arrived(...came), { endedAt: ENDED_AT, routes })
  return Object.fromEntries(
    judged.flatMap(({ id, severity, verdict }) =>
      verdict.verdict === 'fail'
        ? [[`${severity} ${id}`, verdict.findings.map(({ about, actual }) => `${about}: ${actual}`)]]
        : [],
    ),
  )
}

describe('traced requests of pages', () => {
  it('pass if a server continued them', () => {
    expect(found({ traced: [traced('GET', '/api/stock', 'a')] }, segment('GET /api/stock', 'a'))).toEqual({})
  })

  it('fail if the server recorded another request of the same route', () => {
    const requests = [traced('GET', '/products/7', 'a'), traced('GET', '/products/8', 'b')]
    expect(found({ traced: requests }, segment('GET /products/[id]', 'a'))).toEqual({
      'error server-segments': [`GET ${SHOP}/products/8: no segment of trace ${'b'.repeat(32)}`],
    })
  })

  it('fail if the server recorded the route in another trace, because a proxy removed the headers', () => {
    const own = containerOf(drawn('http.server GET /api/stock  =='), { service: 'server', traceId: 'f'.repeat(32) })
    const stock = traced('GET', '/api/stock', 'a')
    expect(found({ traced: [stock] }, own)).toEqual({
      'error server-segments': [
        `GET ${SHOP}/api/stock: no segment of trace ${'a'.repeat(32)}: the server began its own, so no trace headers reached it: does a proxy remove sentry-trace?`,
      ],
    })
    // It continues another request, so the own trace may be that of a document.
    const continued = segment('GET /api/cart', 'b')
    expect(found({ traced: [stock, traced('GET', '/api/cart', 'b')] }, own, continued)).toEqual({
      'error server-segments': [`GET ${SHOP}/api/stock: no segment of trace ${'a'.repeat(32)}`],
    })
  })

  it('fail if the profile contains the route', () => {
    const given = { traced: [traced('GET', '/api/stock', 'a')], routes: ['GET /api/stock'] }
    expect(Object.keys(found(given))).toEqual(['error server-segments'])
  })

  it('are not a failure when the server may have ended with their segments in its buffer', () => {
    const requests = [traced('GET', '/a', 'a'), traced('GET', '/a', 'b', LATE)]
    expect(found({ traced: requests }, segment('GET /a', 'a'))).toEqual({})
  })

  it('are one warning for routes that no server records', () => {
    const requests = [traced('GET', '/a', 'a'), traced('GET', '/b/1', 'b'), traced('GET', '/b/2', 'c')]
    expect(found({ traced: requests })).toEqual({
      'warning unrecorded-requests': [
        expect.stringMatching(
          /^3 requests with trace headers, such as GET \/a, GET \/b\/\*: nothing arrived from a server: is/,
        ),
      ],
    })
    expect(JSON.stringify(found({ traced: requests }, segment('GET /c', 'd')))).toContain(
      'no server recorded this route',
    )
  })
})

describe('answers of 500', () => {
  const serverEvent = (payload: Readonly<Record<string, unknown>>): Came => eventOf({ platform: 'node', ...payload })

  it('fail without an error event', () => {
    expect(found({ failures: [failure()] })).toEqual({
      'error server-errors': [`POST ${SHOP}/api/order: answered 500, and no error event arrived`],
    })
  })

  it('pass with an event of their trace, else of their path', () => {
    expect(found({ failures: [failure()] }, serverEvent({}))).toEqual({})
    const other = { contexts: { trace: { trace_id: 'c'.repeat(32), span_id: 'c'.repeat(16) } } }
    expect(Object.keys(found({ failures: [failure()] }, serverEvent(other)))).toEqual(['error server-errors'])
    expect(found({ failures: [failure()] }, serverEvent({ ...other, transaction: 'POST /api/order' }))).toEqual({})
    expect(found({ failures: [failure()] }, serverEvent({ ...other, request: { url: `${SHOP}/api/order` } }))).toEqual(
      {},
    )
  })

  it('do not pass with an event of a browser', () => {
    const browser = eventOf({ request: { headers: { 'User-Agent': 'Mozilla/5.0' } } })
    expect(Object.keys(found({ failures: [failure()] }, browser))).toEqual(['error server-errors'])
  })

  it('warn if a handler wrote the body, or the status is another', () => {
    for (const given of [{ hasOwnBody: true }, { hasOwnBody: null }, { status: 502 }])
      expect(Object.keys(found({ failures: [failure(given)] }))).toEqual(['warning server-failures'])
  })
})
