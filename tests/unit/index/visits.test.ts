import { readFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { MOST_SEGMENTS } from '../../../collector/index/visits/gather-visits'
import {
  MOST_LOGS,
  MOST_ROWS_OF_PAGE,
  MOST_SPANS,
  readVisit,
  SPANS_PER_RECORD,
} from '../../../collector/index/visits/read-visit'
import { GatheredHour, MOST_PAGES, readVisits } from '../../../collector/index/visits/read-visits'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { visitDetailSchema, visitsSchema } from '../../../lib/wire/visits'
import { removeFolders, submission } from '../spool/in-process-spool'
import { RecordedFolder } from './recorded-folder'

const NOW = 1_795_000_000_000
const START = NOW / 1000 - 60
const idOf = (n: number): string => n.toString(16).padStart(32, '0')
const { facts } = submission()
const spanOf = (n: number): string => n.toString(16).padStart(16, '0')

let folder: RecordedFolder
let clock = 0
beforeEach(() => {
  folder = new RecordedFolder(() => NOW)
  return () => folder.close()
})
afterAll(removeFolders)

interface Given {
  readonly span?: number
  readonly parent?: number
  readonly op?: string
  readonly name?: string
  readonly platform?: string
  readonly at?: number
  readonly s?: number
  readonly replay?: string
  readonly page?: string | null
  readonly own?: true
  readonly receivedAt?: number
  readonly spans?: readonly object[]
  readonly links?: readonly object[]
  readonly status?: string
}

const envelope = (type: string, item: object, header: object = {}): string =>
  `${JSON.stringify(header)}\n${JSON.stringify({ type })}\n${JSON.stringify(item)}`

/** Receives a segment of a trace; without `op`, a page load of a browser. */
function segment(trace: number, given: Given = {}): number {
  const { span = trace, parent, op = 'pageload', name = '/', platform = 'javascript', at = 0, s = 1 } = given
  const { replay, page = null, own, receivedAt = NOW, spans = [], links, status } = given
  const context = { trace_id: idOf(trace), span_id: spanOf(span), op, links, status }
  const item = {
    ...{ type: 'transaction', transaction: name, platform, start_timestamp: START + at, timestamp: START + at + s },
    ...{ contexts: { trace: parent === undefined ? context : { ...context, parent_span_id: spanOf(parent) } }, spans },
  }
  const header = replay === undefined ? {} : { trace: { trace_id: idOf(trace), replay_id: replay } }
  return folder.receive(envelope('transaction', item, header), {
    receivedAt,
    facts: { ...facts, page, ...(own === true && { own }) },
  })
}

interface GivenError {
  readonly trace?: number
  readonly platform?: string
  readonly page?: string
  readonly session?: string
  readonly at?: number
}

const error = (n: number, given: GivenError) =>
  folder.receive(
    envelope('event', {
      ...{ event_id: idOf(1000 + n), timestamp: START + (given.at ?? 2), platform: given.platform ?? 'javascript' },
      exception: { values: [{ type: 'TypeError', value: `no ${n}`, mechanism: { handled: false } }] },
      ...(given.trace !== undefined && {
        contexts: { trace: { trace_id: idOf(given.trace), span_id: spanOf(given.trace) } },
      }),
      ...(given.session !== undefined && { tags: { 'session.id': given.session } }),
    }),
    { receivedAt: NOW, facts: { ...facts, page: given.page ?? null } },
  )

const request = (trace: number, span: number, at: number, name: string) => ({
  ...{ trace_id: idOf(trace), span_id: spanOf(span), parent_span_id: spanOf(trace), op: 'http.client' },
  ...{ description: name, start_timestamp: START + at, timestamp: START + at + 0.1 },
  data: { 'http.response.status_code': 500 },
})

const linkTo = (trace: number) => [
  {
    ...{ trace_id: idOf(trace), span_id: spanOf(trace), sampled: true },
    attributes: { 'sentry.link.type': 'previous_trace' },
  },
]

function read(limit = 50) {
  folder.digest()
  const hour = new GatheredHour(() => clock)
  return visitsSchema.parse(readVisits(folder.db, hour, limit, NOW))
}

function detail(id: string) {
  folder.digest()
  const hour = new GatheredHour(() => clock)
  const found = readVisit(folder.db, { hour, sizeLimits: SIZE_LIMITS }, id, NOW)
  return found === null ? null : visitDetailSchema.parse(found)
}

const rowsOf = (id: string) =>
  detail(id)?.pages.map(({ rows }) =>
    rows.map(
      ({ kind, depth, name, count }) => `${'  '.repeat(depth - 1)}${kind} ${name}${count > 1 ? ` ×${count}` : ''}`,
    ),
  )

/** Thousands of segments are digested, beside other tests. */
const MANY_MS = 60_000

describe('visits', () => {
  it('are grouped by the page header, then by replay, then by links, and a trace alone is one', () => {
    segment(1, { page: 'p1', replay: 'a'.repeat(32) })
    segment(2, { op: 'navigation', name: '/cart', page: 'p1', at: 10 })
    segment(3, { replay: 'b'.repeat(32) })
    segment(4, { op: 'navigation', replay: 'b'.repeat(32), at: 5 })
    segment(5)
    segment(6, { op: 'navigation', links: linkTo(5), at: 20 })
    segment(7)
    const { visits, visitCount } = read()
    expect(visitCount).toBe(4)
    expect(visits.map(({ id, by, pageCount, traceCount }) => [id, by, pageCount, traceCount])).toEqual([
      [`trace:${idOf(7)}`, 'trace', 1, 1],
      [`trace:${idOf(5)}`, 'trace', 2, 2],
      [`replay:${'b'.repeat(32)}`, 'replay', 2, 2],
      ['page:p1', 'page', 2, 2],
    ])
    expect(visits[3]).toMatchObject({
      startUs: START * 1e6,
      endUs: (START + 11) * 1e6,
      pages: [{ name: '/' }, { name: '/cart', op: 'navigation' }],
    })
  })

  it('take servers and errors by their trace, and errors without one by the page header and the time', () => {
    segment(1, { page: 'p1' })
    segment(1, { span: 50, parent: 1, op: 'http.server', platform: 'node', name: 'GET /' })
    error(1, { trace: 1, platform: 'node' })
    error(2, { page: 'p1' })
    error(3, {})
    const { visits, apart } = read()
    expect(visits).toMatchObject([{ id: 'page:p1', errorCount: 2, traceCount: 1, pages: [{ errorCount: 1 }] }])
    expect(apart).toMatchObject({ traceCount: 0, errorCount: 1 })
    segment(4, { op: 'navigation', name: '/cart', page: 'p1', at: 10 })
    error(4, { page: 'p1', at: 12 })
    error(5, { page: 'p1', at: -1 })
    expect(rowsOf('page:p1')).toEqual([
      ['server GET /', 'error TypeError: no 1', 'error TypeError: no 2'],
      ['error TypeError: no 4'],
    ])
    const shown = detail('page:p1')
    expect(shown?.pages.map(({ errorCount }) => errorCount)).toEqual([2, 1])
    expect(shown?.rest.map(({ name, isNew, handled }) => [name, isNew, handled])).toEqual([
      ['TypeError: no 5', true, false],
    ])
    expect(detail('apart')?.rest.map(({ name }) => name)).toEqual(['TypeError: no 3'])
  })

  it('leave out servers without a browser, which stand apart, and own telemetry', () => {
    segment(1, { op: 'http.server', platform: 'node', name: 'POST /hook' })
    segment(2, { own: true, page: 'own' })
    const { visits, apart } = read()
    expect(visits).toEqual([])
    expect(apart).toMatchObject({ traceCount: 1, errorCount: 0 })
    expect(detail('apart')).toMatchObject({ pageCount: 1, pages: [{ name: 'POST /hook', service: 'server' }] })
  })

  it('fold repeated traces without a browser, with the newest that failed', () => {
    const hook = (n: number, given: Given) =>
      segment(n, { op: 'http.server', platform: 'node', name: `POST /hook/${n}`, at: n, ...given })
    for (const n of [1, 2, 3, 4]) hook(n, { s: n, status: n === 2 ? 'internal_error' : 'ok' })
    hook(5, { name: 'GET /health' })
    expect(detail('apart')).toMatchObject({
      pageCount: 5,
      pages: [
        { name: 'POST /hook/?', traceId: idOf(2), count: 4, slowestUs: 4_000_000, failed: true },
        { name: 'GET /health', count: 1, slowestUs: 1_000_000, failed: false },
      ],
    })
  })

  it('are those of the last hour, by receipt; a link may lead further back', () => {
    segment(1, { receivedAt: NOW - 3_700_000 })
    expect(read()).toMatchObject({ visits: [], visitCount: 0 })
    segment(2, { op: 'navigation', links: linkTo(1) })
    expect(read().visits).toMatchObject([{ id: `trace:${idOf(1)}`, pageCount: 1 }])
  })

  it('say what client reports of the page counted, also when nothing else arrived', () => {
    const report = (quantity: number) =>
      envelope('client_report', { discarded_events: [{ reason: 'queue_overflow', category: 'span', quantity }] })
    folder.receive(report(6), { receivedAt: NOW, facts: { ...facts, page: 'p1' } })
    folder.receive(report(2), { receivedAt: NOW, facts: { ...facts, page: 'p1' } })
    folder.receive(report(9), { receivedAt: NOW, facts: { ...facts, page: null } })
    expect(read().visits).toMatchObject([
      { id: 'page:p1', pages: [], reported: [{ category: 'span', reason: 'queue_overflow', quantity: 8 }] },
    ])
    expect(detail('page:p1')?.rest).toMatchObject([{ kind: 'lost', name: 'queue_overflow', op: 'span', count: 8 }])
  })

  it('describe as many as asked, and count all', () => {
    for (let n = 1; n <= 5; n += 1) segment(n)
    expect(read(2)).toMatchObject({ visits: { length: 2 }, visitCount: 5, isPart: false })
  })

  it(`are of the newest ${MOST_SEGMENTS} segments, and the answer says that there are more`, {
    timeout: MANY_MS,
  }, () => {
    const items = Array.from({ length: MOST_SEGMENTS }, (_, n) => ({
      ...{ trace_id: idOf(1), span_id: spanOf(n + 1), is_segment: true, name: '/', status: 'ok' },
      ...{ start_timestamp: START, end_timestamp: START + 1 },
      attributes: { 'sentry.op': { type: 'string', value: 'pageload' } },
    }))
    const header = { type: 'span', item_count: items.length, content_type: 'application/vnd.sentry.items.span.v2+json' }
    folder.receive(`{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}`, { receivedAt: NOW })
    expect(read()).toMatchObject({ visits: { 0: { pageCount: MOST_SEGMENTS } }, isPart: false })
    segment(2)
    expect(read()).toMatchObject({ visits: { 1: { pageCount: MOST_SEGMENTS - 1 } }, isPart: true })
  })

  it.each(['replay first', 'page first'])(
    'take the page of a trace before its session and its replay, the %s',
    (order) => {
      const replay = 'a'.repeat(32)
      const received = [
        ...[1, 2, 3].map((trace) => () => segment(trace, { replay })),
        ...[1, 2].map((trace) => () => error(trace, { trace, session: 's1' })),
        () => segment(1, { span: 90, op: 'navigation', page: 'p1', at: 5 }),
      ]
      for (const receive of order === 'page first' ? received.reverse() : received) receive()
      const traces = read().visits.map(({ id, traceCount }) => [id, traceCount])
      expect(Object.fromEntries(traces)).toEqual({ 'page:p1': 1, 'session:s1': 1, [`replay:${replay}`]: 1 })
    },
  )

  it('list the newest pages', () => {
    for (let n = 1; n <= MOST_PAGES + 2; n += 1) segment(n, { page: 'p1', at: n, name: `/${n}` })
    expect(read().visits).toMatchObject([
      { pageCount: MOST_PAGES + 2, pages: { length: MOST_PAGES, 0: { name: '/3' } } },
    ])
  })
})

describe('a visit', () => {
  it('shows requests with what servers did below them, repeated ones together', () => {
    segment(1, {
      page: 'p1',
      s: 3,
      spans: [
        ...[10, 11, 12].map((span, n) => request(1, span, 0.5 + n / 10, `GET /api/item/${n}`)),
        request(1, 20, 1, 'POST /api/checkout'),
      ],
    })
    segment(1, { span: 50, parent: 20, op: 'http.server', platform: 'node', name: 'POST /api/checkout', at: 1, s: 2 })
    segment(1, { span: 60, op: 'http.server', platform: 'node', name: 'GET /', at: -0.5, s: 0.2 })
    error(1, { trace: 1, platform: 'node' })
    expect(rowsOf('page:p1')).toEqual([
      [
        'server GET /',
        'request GET /api/item/? ×3',
        'request POST /api/checkout',
        '  server POST /api/checkout',
        '  error TypeError: no 1',
      ],
    ])
    const [, items, checkout] = detail('page:p1')?.pages[0]?.rows ?? []
    expect(items).toMatchObject({ count: 3, slowestUs: 100_000, startUs: (START + 0.5) * 1e6, service: 'browser' })
    expect(checkout).toMatchObject({ httpStatus: 500, failed: true, spanId: spanOf(20) })
  })

  it('gives each of several pages in one trace what happened until the next', () => {
    segment(1, { span: 1, page: 'p1', spans: [request(1, 10, 0.5, 'GET /a')] })
    segment(1, { span: 2, op: 'navigation', page: 'p1', at: 10, spans: [request(1, 11, 10.5, 'GET /b')] })
    expect(rowsOf('page:p1')).toEqual([['request GET /a'], ['request GET /b']])
  })

  it(`reads ${MOST_SPANS} spans for each page, whatever the number of its traces, and says that there are more`, () => {
    segment(1, { page: 'p1', s: 3 })
    const records = MOST_SPANS / SPANS_PER_RECORD - 1
    for (let n = 2; n <= records + 1; n += 1)
      segment(n, { page: 'p1', op: 'ui.click', at: 1, spans: [request(n, 1000 + n, 1, `GET /${'x'.repeat(n)}`)] })
    const [whole] = detail('page:p1')?.pages ?? []
    expect(whole).toMatchObject({ hiddenRows: records - 50, isPart: false })
    segment(records + 2, { page: 'p1', op: 'ui.click', at: 2, spans: [request(records + 2, 9000, 2, 'GET /last')] })
    const [part] = detail('page:p1')?.pages ?? []
    expect(part).toMatchObject({ hiddenRows: records - 50, isPart: true })
  })

  it(`reads the first ${MOST_LOGS} logs of a page`, () => {
    segment(1, { page: 'p1' })
    const line = { trace_id: idOf(1), level: 'info', attributes: {} }
    const items = Array.from({ length: MOST_LOGS + 1 }, (_, n) => ({
      ...line,
      timestamp: START + n / 1000,
      body: `line ${n}`,
    }))
    const header = { type: 'log', item_count: items.length, content_type: 'application/vnd.sentry.items.log+json' }
    folder.receive(`{}\n${JSON.stringify(header)}\n${JSON.stringify({ items })}`, { receivedAt: NOW })
    expect(detail('page:p1')?.pages).toMatchObject([
      { rows: { 0: { name: 'line 0' } }, hiddenRows: MOST_LOGS - MOST_ROWS_OF_PAGE },
    ])
  })

  it('reads the requests of small records next to one that is too large', () => {
    const spans = Array.from({ length: MOST_SPANS }, (_, n) => request(1, 1000 + n, 0.5, 'GET /many'))
    segment(1, { page: 'p1', spans })
    segment(2, { page: 'p1', op: 'ui.click', at: 1, spans: [request(2, 99, 1, 'GET /one')] })
    expect(detail('page:p1')?.pages).toMatchObject([{ rows: [{ name: 'GET /one' }], isPart: true }])
  })

  it('is unknown after an hour, and before', () => {
    expect(detail('page:none')).toBeNull()
  })

  it('of one moment shows what the list of that moment counts', () => {
    segment(1, { page: 'p1' })
    folder.digest()
    const hour = new GatheredHour(() => clock)
    readVisits(folder.db, hour, 50, NOW)
    segment(2, { page: 'p1', op: 'navigation', at: 1 })
    folder.digest()
    const context = { hour, sizeLimits: SIZE_LIMITS }
    expect(readVisit(folder.db, context, 'page:p1', NOW)?.pageCount).toBe(1)
    clock += 1000
    expect(readVisit(folder.db, context, 'page:p1', NOW)?.pageCount).toBe(2)
  })
})

describe('visits of real SDKs', () => {
  const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')
  const receiveEnvelope = (name: string) =>
    folder.receive(fixture(`envelopes/browser-${name}.envelope`), { receivedAt: NOW })
  const receiveOtlp = (name: string) => {
    const otlp = { endpoint: 'otlp_traces', contentType: 'application/json' } as const
    folder.receive(fixture(`otlp-requests/browser-${name}.json`), {
      ...otlp,
      receivedAt: NOW,
      facts: { ...facts, contentType: 'application/json' },
    })
  }

  it.each(['11.8-static-navigation', '11.8-navigation-spans', '11-plain-pageload-spans', '7.80-pageload'])(
    '%s is one visit with one page',
    (name) => {
      receiveEnvelope(name)
      expect(read()).toMatchObject({ visits: [{ by: 'trace', pageCount: 1 }], apart: { traceCount: 0 } })
    },
  )

  it('11.8 names streamed calls by their host, so their path is added', () => {
    receiveEnvelope('11.8-navigation-spans')
    expect(rowsOf(read().visits[0]?.id ?? '')).toEqual([['request GET 127.0.0.1/', 'request GET 127.0.0.1/']])
  })

  it('8.55: a navigation belongs to the visit of its page load by their replay', () => {
    receiveEnvelope('8.55-pageload-with-replay')
    receiveEnvelope('8.55-navigation-with-replay')
    expect(read().visits).toMatchObject([{ by: 'replay', pages: [{ op: 'pageload' }, { op: 'navigation' }] }])
  })

  it('9.47: a navigation belongs to the visit of its page load by the link of its SDK', () => {
    receiveEnvelope('9.47-pageload')
    receiveEnvelope('9.47-navigation')
    const { visits } = read()
    expect(visits).toMatchObject([{ by: 'trace', pages: [{ op: 'pageload' }, { op: 'navigation' }] }])
    expect(rowsOf(visits[0]?.id ?? '')?.[1]).toEqual(['request GET /api/cart'])
  })

  it('OpenTelemetry: a call in a trace of its own belongs to the page of its session', () => {
    receiveOtlp('document-load')
    receiveOtlp('fetch')
    const { visits } = read()
    expect(visits).toMatchObject([{ by: 'session', pageCount: 1, traceCount: 2, pages: [{ name: 'documentLoad' }] }])
    expect(rowsOf(visits[0]?.id ?? '')).toEqual([['request GET http://127.0.0.1:7788/api/cart']])
  })
})
