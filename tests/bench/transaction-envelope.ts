import type { Random } from '../faults/random'

/** The fixed parts of a transaction; all others are random. */
export interface TransactionShape {
  readonly name: string
  readonly op: string
  readonly status: string
  readonly environment: string
  readonly release: string
  readonly platform: 'javascript' | 'node' | 'python'
  /** s since the epoch. */
  readonly start: number
  readonly durationMs: number
  readonly spans: number
  readonly breadcrumbs: number
  /** Random by default. */
  readonly traceId?: string
  readonly parentSpanId?: string
}

export interface MadeTransaction {
  readonly text: string
  readonly eventId: string
  readonly traceId: string
  readonly spanId: string
  /** Ids of event, trace, segment and spans in the text. */
  readonly ids: readonly string[]
}

/** The page load that `bench:ingest` posts: 20 spans, 15 breadcrumbs, 11 KB as an envelope. */
export const PAGE_LOAD: TransactionShape = {
  name: '/shop/[category]',
  op: 'pageload',
  status: 'ok',
  environment: 'production',
  release: 'shop@4.7.1',
  platform: 'javascript',
  start: 1_795_000_000,
  durationMs: 1840,
  spans: 20,
  breadcrumbs: 15,
}

const SITE = 'https://shop.test'
const PATHS = ['/', '/shop/shoes', '/shop/coats', '/cart', '/checkout', '/account/orders', '/search', '/help/returns']
const SCRIPTS = ['framework', 'main-app', 'polyfills', 'page', 'layout', 'vendor-react', 'vendor-forms', 'webpack']
const CALLS = ['/api/cart', '/api/products', '/api/session', '/api/prices', '/api/recommendations', '/api/stock']
const COMPONENTS = ['ProductGrid', 'CartBadge', 'SearchBox', 'PriceTag', 'ReviewList', 'Carousel', 'Footer', 'Filters']
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36'

/** An envelope with one transaction, as SDK 11 sends it in the static lifecycle. */
export function transactionEnvelope(draw: Random, shape: TransactionShape): MadeTransaction {
  const hex = (bytes: number): string => draw.bytes(bytes).toString('hex')
  const [eventId, traceId, spanId] = [hex(16), shape.traceId ?? hex(16), hex(8)]
  const spans = drawSpans(draw, shape, { traceId, spanId })
  const at = (ms: number): number => Math.round((shape.start + ms / 1000) * 10_000) / 10_000 + 0.000_05
  const sdk = { name: 'sentry.javascript.nextjs', version: '11.8.0' }
  const header = {
    event_id: eventId,
    sent_at: new Date((shape.start + 5) * 1000).toISOString(),
    sdk,
    trace: {
      environment: shape.environment,
      release: shape.release,
      public_key: 'bench',
      trace_id: traceId,
      transaction: shape.name,
      sampled: 'true',
      sample_rand: String(draw.fraction()),
      sample_rate: '1',
    },
  }
  const transaction = {
    contexts: {
      trace: {
        span_id: spanId,
        trace_id: traceId,
        ...(shape.parentSpanId !== undefined && { parent_span_id: shape.parentSpanId }),
        data: {
          'sentry.origin': `auto.${shape.op}.nextjs.app_router_instrumentation`,
          'sentry.op': shape.op,
          'sentry.segment.name.source': 'route',
          'sentry.sample_rate': 1,
          'url.path': shape.name,
          effectiveConnectionType: '4g',
          hardwareConcurrency: '8',
        },
        op: shape.op,
        status: shape.status,
        origin: `auto.${shape.op}.nextjs.app_router_instrumentation`,
      },
      culture: { locale: 'en-US', timezone: 'Europe/Vienna', calendar: 'gregory' },
    },
    spans,
    start_timestamp: at(0),
    timestamp: at(shape.durationMs),
    transaction: shape.name,
    type: 'transaction',
    transaction_info: { source: 'route' },
    platform: shape.platform,
    event_id: eventId,
    environment: shape.environment,
    release: shape.release,
    request: { url: `${SITE}${shape.name}`, headers: { 'User-Agent': AGENT } },
    sdk: { ...sdk, integrations: ['Breadcrumbs', 'GlobalHandlers', 'LinkedErrors', 'BrowserTracing', 'WebVitals'] },
    breadcrumbs: Array.from({ length: shape.breadcrumbs }, (_, index) =>
      drawBreadcrumb(draw, at(-4000 + (index + draw.fraction()) * 250)),
    ),
    measurements: { lcp: { value: draw.between(300, 2500), unit: 'millisecond' }, cls: { value: 0.02, unit: '' } },
  }
  const text = [JSON.stringify(header), '{"type":"transaction"}', JSON.stringify(transaction)].join('\n')
  return { text, eventId, traceId, spanId, ids: [eventId, traceId, spanId, ...spans.map(({ span_id }) => span_id)] }
}

function drawSpans(draw: Random, shape: TransactionShape, of: { readonly traceId: string; readonly spanId: string }) {
  const given: { readonly span_id: string }[] = []
  return Array.from({ length: shape.spans }, (_, index) => {
    const begins = (shape.durationMs * (index + draw.fraction())) / (shape.spans + 1)
    const takes = Math.max(0.1, (shape.durationMs - begins) * draw.fraction() ** 3)
    const at = (ms: number): number => Math.round((shape.start + ms / 1000) * 10_000) / 10_000 + 0.000_05
    // Most are children of the segment, some of an earlier span.
    const parent = draw.fraction() < 0.7 ? undefined : given[draw.between(0, Math.max(0, given.length - 1))]
    const span = {
      ...drawWork(draw, index),
      parent_span_id: parent?.span_id ?? of.spanId,
      span_id: draw.bytes(8).toString('hex'),
      start_timestamp: at(begins),
      status: 'ok',
      timestamp: at(begins + takes),
      trace_id: of.traceId,
    }
    given.push(span)
    return span
  })
}

/** A span of a page load: script, request or rendering. */
function drawWork(draw: Random, index: number) {
  const kind = draw.fraction()
  if (kind < 0.35) {
    const url = `${SITE}/_next/static/chunks/${pick(draw, SCRIPTS)}-${draw.between(4096, 65_535).toString(16)}.js`
    const data = {
      'sentry.op': 'resource.script',
      'http.response_transfer_size': draw.between(900, 90_000),
      'url.same_origin': true,
    }
    return { data, description: url, op: 'resource.script', origin: 'auto.resource.browser.metrics' }
  }
  if (kind < 0.7) {
    const path = pick(draw, CALLS)
    const data = {
      'sentry.op': 'http.client',
      'http.request.method': 'GET',
      'url.full': `${SITE}${path}`,
      'http.response.status_code': draw.fraction() < 0.97 ? 200 : 500,
    }
    return { data, description: `GET ${path}`, op: 'http.client', origin: 'auto.http.browser' }
  }
  const data = { 'sentry.op': 'ui.react.render', 'ui.component_name': `c${index}` }
  return { data, description: `<${pick(draw, COMPONENTS)}>`, op: 'ui.react.render', origin: 'auto.ui.react' }
}

function drawBreadcrumb(draw: Random, timestamp: number): object {
  const kind = draw.fraction()
  if (kind < 0.4) {
    const data = { method: 'GET', url: `${SITE}${pick(draw, CALLS)}?page=${draw.between(1, 40)}`, status_code: 200 }
    return { timestamp, category: 'fetch', data, type: 'http' }
  }
  if (kind < 0.7) return { timestamp, category: 'ui.click', message: `div.grid > a.card[href="${pick(draw, PATHS)}"]` }
  if (kind < 0.85)
    return { timestamp, category: 'navigation', data: { from: pick(draw, PATHS), to: pick(draw, PATHS) } }
  const message = `rendered ${pick(draw, COMPONENTS)} in ${draw.between(1, 90)} ms`
  return { timestamp, category: 'console', level: 'log', message, data: { logger: 'console' } }
}

export const pick = <Value>(draw: Random, values: readonly Value[]): Value => {
  const value = values[draw.between(0, values.length - 1)]
  if (value === undefined) throw new TypeError('cannot pick from an empty list')
  return value
}
