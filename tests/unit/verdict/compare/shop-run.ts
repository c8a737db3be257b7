import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import { BEGIN_S, type Came, envelopeOf, evidenceOf } from '../rules/sample-evidence'

/** The settings of a shop whose tests visit three pages, pay, and cause an error in the browser and in the server. */
export interface Shop {
  readonly browser: boolean
  readonly server: boolean
  readonly pageloads: boolean
  readonly errors: boolean
  readonly requestErrors: boolean
  readonly breadcrumbs: readonly string[]
  readonly environment: string | undefined
  readonly release: string | undefined
  readonly endpoint: 'tunnel' | 'envelope'
  readonly browserRate: number
  readonly serverRate: number
  readonly propagates: boolean
  readonly personal: boolean
  readonly discards: readonly (readonly [string, string, number])[]
  readonly doubled: boolean
}

const SHOP: Shop = {
  browser: true,
  server: true,
  pageloads: true,
  errors: true,
  requestErrors: true,
  breadcrumbs: ['fetch', 'ui.click', 'navigation'],
  environment: 'test',
  release: 'shop@1.4.0',
  endpoint: 'tunnel',
  browserRate: 1,
  serverRate: 1,
  propagates: true,
  personal: false,
  discards: [],
  doubled: false,
}

/** A generator with a seed (mulberry32), so that a failing run can be repeated. Returns numbers from 0 up to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One run of the shop's tests: ids, durations, resources, retries and ids in names differ with the seed. */
export function shopRun(seed: number, settings: Partial<Shop> = {}): Evidence {
  const shop = { ...SHOP, ...settings }
  const random = generator(seed)
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
  const sent: Came[] = []
  const pages = ['/', '/checkout', `/orders/${1000 + Math.floor(random() * 9000)}`]
  // A test that a slow machine repeats, and readiness checks before the first test.
  const visits = random() < 0.3 ? [...pages, '/checkout'] : pages
  for (let check = 0; check < 1 + Math.floor(random() * 2); check += 1) visit('/', 'none')
  for (const [index, path] of visits.entries()) visit(path, index === 1 ? 'errors' : 'page')
  const [reason] = shop.discards
  if (reason !== undefined) send('browser', [{ type: 'client_report' }, report(shop.discards)])
  return evidenceOf(...sent)

  function send(service: 'browser' | 'server', ...items: readonly (readonly [object, object])[]): void {
    if (!shop[service]) return
    const sdk = { name: 'sentry.javascript.nextjs', version: '11.8.0' }
    const body = envelopeOf(
      { sdk },
      ...(items as readonly (readonly [Record<string, unknown>, Record<string, unknown>])[]),
    )
    const endpoint = service === 'browser' ? shop.endpoint : 'envelope'
    sent.push({ body, endpoint })
    if (shop.doubled) sent.push({ body, endpoint })
  }

  function visit(path: string, kind: 'none' | 'page' | 'errors'): void {
    const trace = hex(32)
    const [page, request, document, answer] = [hex(16), hex(16), hex(16), hex(16)]
    const keptByServer = random() < shop.serverRate
    const server = { service: 'server' as const, trace: shop.propagates ? trace : hex(32), rate: shop.serverRate }
    if (keptByServer)
      transaction({ ...server, id: document, parent: null, op: 'http.server', name: `GET ${path}`, spans: [] })
    if (kind === 'none' || !shop.browser) return
    const optional = Array.from({ length: Math.floor(random() * 5) }, () => span(trace, page, 'resource.script'))
    const spans = [span(trace, page, 'http.client', request), span(trace, page, 'browser.request'), ...optional]
    if (shop.pageloads && random() < shop.browserRate) {
      const parent = shop.propagates && keptByServer ? document : null
      transaction({
        service: 'browser',
        trace,
        id: page,
        parent,
        op: 'pageload',
        name: path,
        spans,
        rate: shop.browserRate,
      })
    }
    const caller = shop.propagates && shop.pageloads ? request : null
    const query = span(server.trace, answer, 'db.query')
    if (keptByServer)
      transaction({ ...server, id: answer, parent: caller, op: 'http.server', name: 'GET /api/cart', spans: [query] })
    if (kind !== 'errors') return
    if (shop.errors) error('browser', trace, 'auto.browser.global_handlers.onerror')
    if (shop.requestErrors) error('server', server.trace, 'auto.function.nextjs.on_request_error')
  }

  function span(trace: string, parent: string, op: string, id = hex(16)): Record<string, unknown> {
    const start = BEGIN_S + random()
    const facts = { op, description: `GET /api/${hex(8)}`, start_timestamp: start, timestamp: start + random() / 10 }
    return { ...facts, span_id: id, parent_span_id: parent, trace_id: trace, data: {} }
  }

  function transaction(given: {
    readonly service: 'browser' | 'server'
    readonly trace: string
    readonly id: string
    readonly parent: string | null
    readonly op: string
    readonly name: string
    readonly spans: readonly object[]
    readonly rate: number
  }): void {
    const { service, trace, id, parent, op, name, spans, rate } = given
    const ids = { trace_id: trace, span_id: id, ...(parent === null ? {} : { parent_span_id: parent }) }
    const payload = {
      type: 'transaction',
      event_id: hex(32),
      transaction: name,
      ...common(service),
      start_timestamp: BEGIN_S,
      timestamp: BEGIN_S + 1 + random(),
      contexts: { trace: { ...ids, op, status: 'ok', data: { 'sentry.sample_rate': rate } } },
      spans,
    }
    send(service, [{ type: 'transaction' }, payload])
  }

  function error(service: 'browser' | 'server', trace: string, type: string): void {
    const breadcrumbs =
      service === 'browser' ? shop.breadcrumbs.map((category) => ({ category, timestamp: BEGIN_S })) : []
    const exception = { values: [{ type: 'Error', value: `declined ${hex(4)}`, mechanism: { type, handled: false } }] }
    const contexts = { trace: { trace_id: trace, span_id: hex(16) } }
    const user = shop.personal ? { user: { ip_address: '203.0.113.7' } } : {}
    const payload = {
      event_id: hex(32),
      ...common(service),
      timestamp: BEGIN_S,
      exception,
      contexts,
      breadcrumbs,
      ...user,
    }
    send(service, [{ type: 'event' }, payload])
  }

  function common(service: 'browser' | 'server'): Record<string, unknown> {
    const infer = shop.personal ? 'auto' : 'never'
    return {
      platform: service === 'browser' ? 'javascript' : 'node',
      environment: shop.environment,
      release: shop.release,
      sdk: { name: 'sentry.javascript.nextjs', version: '11.8.0', settings: { infer_ip: infer } },
    }
  }
}

const report = (discarded: Shop['discards']): Record<string, unknown> => ({
  timestamp: BEGIN_S,
  discarded_events: discarded.map(([reason, category, quantity]) => ({ reason, category, quantity })),
})
