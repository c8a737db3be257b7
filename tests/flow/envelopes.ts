import { randomBytes } from 'node:crypto'

const hex = (bytes: number): string => randomBytes(bytes).toString('hex')

export interface MadeEnvelope {
  readonly body: string
  readonly eventId: string
  readonly traceId: string
  readonly spanId: string
}

const line = (value: object): string => JSON.stringify(value)

/** An error event in the format of SDK 11: no `length`, no trailing newline. */
export function errorEnvelope(
  dsn: string,
  given: { message?: string; breadcrumbs?: number; traceId?: string } = {},
): MadeEnvelope {
  const eventId = hex(16)
  const traceId = given.traceId ?? hex(16)
  const spanId = hex(8)
  const breadcrumbs = Array.from({ length: given.breadcrumbs ?? 2 }, (_, index) => ({
    timestamp: 1_795_000_000 + index,
    category: 'ui.click',
    message: `step ${index}`,
  }))
  const event = {
    event_id: eventId,
    platform: 'javascript',
    timestamp: 1_795_000_100.25,
    environment: 'production',
    exception: {
      values: [{ type: 'Error', value: given.message ?? 'boom', mechanism: { type: 'generic', handled: true } }],
    },
    contexts: { trace: { trace_id: traceId, span_id: spanId } },
    breadcrumbs,
  }
  const header = {
    event_id: eventId,
    sent_at: '2026-11-20T10:00:00.000Z',
    dsn,
    sdk: { name: 'sentry.javascript.browser', version: '11.8.0' },
  }
  return { body: [line(header), line({ type: 'event' }), line(event)].join('\n'), eventId, traceId, spanId }
}

/** An error event of about `bytes` bytes, which do not compress. */
export function noisyEnvelope(dsn: string, bytes: number): MadeEnvelope {
  return errorEnvelope(dsn, { message: randomBytes(Math.floor((bytes * 3) / 4)).toString('base64'), breadcrumbs: 0 })
}

/** A static transaction with child spans. */
export function transactionEnvelope(
  dsn: string,
  given: {
    children?: number
    name?: string
    parentSpanId?: string
    traceId?: string
    platform?: string
    op?: string
  } = {},
): MadeEnvelope {
  const eventId = hex(16)
  const traceId = given.traceId ?? hex(16)
  const spanId = hex(8)
  const start = 1_795_000_000
  const spans = Array.from({ length: given.children ?? 2 }, (_, index) => ({
    span_id: hex(8),
    parent_span_id: spanId,
    trace_id: traceId,
    op: 'http.client',
    description: `GET /api/${index}`,
    start_timestamp: start + index / 1000,
    timestamp: start + index / 1000 + 0.01,
    data: { index },
  }))
  const transaction = {
    type: 'transaction',
    event_id: eventId,
    transaction: given.name ?? '/checkout',
    platform: given.platform ?? 'javascript',
    environment: 'production',
    start_timestamp: start,
    timestamp: start + 1.5,
    contexts: {
      trace: {
        trace_id: traceId,
        span_id: spanId,
        op: given.op ?? 'pageload',
        status: 'ok',
        ...(given.parentSpanId && { parent_span_id: given.parentSpanId }),
      },
    },
    spans,
  }
  return {
    body: [line({ event_id: eventId, dsn }), line({ type: 'transaction' }), line(transaction)].join('\n'),
    eventId,
    traceId,
    spanId,
  }
}

/** A container of streamed spans: children and, unless `withSegment` is false, their segment. */
export function spanEnvelope(
  dsn: string,
  given: { traceId?: string; segmentId?: string; children?: number; withSegment?: boolean; name?: string } = {},
): MadeEnvelope {
  const traceId = given.traceId ?? hex(16)
  const segmentId = given.segmentId ?? hex(8)
  const attribute = (value: string) => ({ value, type: 'string' })
  const shared = {
    'sentry.segment.id': attribute(segmentId),
    'sentry.sdk.name': attribute('sentry.javascript.nextjs'),
    'user_agent.original': attribute('Mozilla/5.0 (test)'),
  }
  const children = Array.from({ length: given.children ?? 2 }, (_, index) => ({
    name: `child ${index}`,
    span_id: hex(8),
    trace_id: traceId,
    parent_span_id: segmentId,
    start_timestamp: 1_795_000_000.1 + index / 1000,
    end_timestamp: 1_795_000_000.2 + index / 1000,
    is_segment: false,
    status: 'ok',
    attributes: { ...shared, 'sentry.op': attribute('ui.task') },
  }))
  const segment = {
    name: given.name ?? 'Pageload',
    span_id: segmentId,
    trace_id: traceId,
    start_timestamp: 1_795_000_000,
    end_timestamp: 1_795_000_001,
    is_segment: true,
    status: 'ok',
    attributes: { ...shared, 'sentry.op': attribute('pageload'), 'url.path': attribute('/checkout') },
  }
  const items = given.withSegment === false ? children : [...children, segment]
  const header = { dsn, sent_at: '2026-11-20T10:00:00.000Z', trace: { trace_id: traceId, public_key: 'k' } }
  const itemHeader = {
    type: 'span',
    item_count: items.length,
    content_type: 'application/vnd.sentry.items.span.v2+json',
  }
  return {
    body: [line(header), line(itemHeader), line({ version: 2, items })].join('\n'),
    eventId: '',
    traceId,
    spanId: segmentId,
  }
}
