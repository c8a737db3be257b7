import { describe, expect, it } from 'vitest'
import { parseTransaction } from '../../../../lib/protocol/items/transaction'
import { valueIn } from '../../value-in'
import { capturedPayload } from '../captured'

const traceId = 'a'.repeat(32)
const spanId = '1'.repeat(16)
const trace = { trace_id: traceId, span_id: spanId }

const read = (item: unknown, fallbackId: string | null = null) =>
  parseTransaction(Buffer.from(JSON.stringify(item)), fallbackId)

const value = (item: unknown, fallbackId: string | null = null) => valueIn(read(item, fallbackId))

describe('a transaction', () => {
  it('the transaction of SDK 11.8 has its links and children', () => {
    const parsed = parseTransaction(capturedPayload('envelopes/browser-11.8-static-navigation', 'transaction'), null)
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        eventId: '2c2368046b8e4b7190602816decafe4f',
        name: '/other',
        op: 'navigation',
        status: 'ok',
        origin: 'auto.navigation.nextjs.app_router_instrumentation',
        startUs: 1795172373459500,
        endUs: 1795172373506500,
        platform: 'javascript',
        spans: [
          { spanId: '97992d75eab878ba', parentSpanId: '869b9538553809e3', description: 'GET http://127.0.0.1:3210/' },
          { spanId: 'bc887857afe0761b', parentSpanId: '869b9538553809e3' },
        ],
      },
    })
  })

  it('counts children without a valid id or a start', () => {
    const child = { span_id: '2'.repeat(16), start_timestamp: 1 }
    const spans = [child, { ...child, span_id: '0123456789abcde' }, { span_id: '3'.repeat(16) }, 7]
    const item = value({ contexts: { trace }, start_timestamp: 1, timestamp: 2, spans })
    expect([item.spans.length, item.unreadable]).toEqual([1, 3])
  })

  it('the transaction of SDK 7.80 has its measurements and no status', () => {
    const parsed = parseTransaction(capturedPayload('envelopes/browser-7.80-pageload', 'transaction'), null)
    expect(parsed).toMatchObject({ ok: true, value: { name: '/', status: null, op: 'pageload' } })
    expect(parsed.ok && parsed.value.measurements).toHaveProperty('fcp')
    expect(parsed.ok && parsed.value.spans).toHaveLength(22)
  })

  it('the transaction of SDK 7.80 on the server names its runtime', () => {
    const parsed = parseTransaction(capturedPayload('envelopes/server-7.80-page', 'transaction'), null)
    expect(parsed).toMatchObject({ ok: true, value: { platform: 'node', runtime: 'node', spans: [] } })
  })

  it("takes its envelope's id when it has none", () => {
    expect(value({ contexts: { trace }, timestamp: 1 }, 'b'.repeat(32)).eventId).toBe('b'.repeat(32))
    expect(value({ contexts: { trace }, timestamp: 1 }).eventId).toBeNull()
  })

  it.each([
    ['only a start', { start_timestamp: 5 }],
    ['only an end', { timestamp: 5 }],
  ])('a transaction with %s has no duration', (_name, times) => {
    const item = value({ contexts: { trace }, ...times })
    expect([item.startUs, item.endUs]).toEqual([5_000_000, 5_000_000])
  })

  it.each([
    ['no trace', { timestamp: 1 }, /no contexts.trace with a trace_id and a span_id/],
    ['a trace without a span', { timestamp: 1, contexts: { trace: { trace_id: traceId } } }, /a span_id/],
    ['contexts that are a list', { timestamp: 1, contexts: [trace] }, /contexts.trace/],
    ['no time', { contexts: { trace } }, /neither start_timestamp nor timestamp/],
    ['times that are none', { contexts: { trace }, start_timestamp: 'x', timestamp: {} }, /neither/],
    ['a list for a payload', [], /not an object/],
  ])('is refused with an error message: %s', (_name, item, sentence) => {
    const parsed = read(item)
    expect(!parsed.ok && parsed.error).toMatch(sentence)
  })

  it.each([
    ['alone', {}, 'internal_error', { 'http.status_code': '502', status: 'internal_error' }],
    [
      'unless a field has the same value',
      { status: 'unavailable', data: { 'http.status_code': 503 } },
      'unavailable',
      { 'http.status_code': 503, status: 'internal_error' },
    ],
  ])('reads the tags of a child %s', (_name, more, status, attributes) => {
    const tags = { 'http.status_code': '502', status: 'internal_error' }
    const item = value({
      contexts: { trace },
      timestamp: 1,
      spans: [{ span_id: spanId, start_timestamp: 1, tags, ...more }],
    })
    expect(item.spans[0]).toMatchObject({ status })
    expect(item.spans[0]?.attributes).toEqual(attributes)
  })

  it('leaves out children without id or start, and keeps the rest', () => {
    const good = { span_id: '2'.repeat(16), start_timestamp: 1 }
    const item = value({
      contexts: { trace },
      timestamp: 2,
      spans: [null, 'x', { span_id: 'x', start_timestamp: 1 }, { span_id: '3'.repeat(16) }, good],
    })
    expect(item.spans).toMatchObject([{ spanId: '2'.repeat(16), startUs: 1_000_000, endUs: 1_000_000 }])
  })

  it('has no children when spans is not a list', () => {
    expect(value({ contexts: { trace }, timestamp: 1, spans: { 0: {} } }).spans).toEqual([])
  })
})
