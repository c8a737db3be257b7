import { describe, expect, it } from 'vitest'
import { requestJson } from '../../../lib/otlp/request-json'
import { valueIn } from '../value-in'
import { encodeRequest, logsRequest, metricsRequest, SPAN, SPAN_ID, TRACE_ID, tracesRequest } from './requests'

const MOST = 100_000

/** The printed text of a request that is written as OTLP/JSON and encoded as protobuf. */
function printed(signal: 'traces' | 'logs' | 'metrics', request: object): string {
  const json = valueIn(requestJson(signal, 'protobuf', encodeRequest(signal, 'protobuf', request), MOST))
  return json.text
}

describe('the text of a request', () => {
  it('equals the OTLP/JSON that it was encoded from: ids in hex, 64-bit integers as decimal text', () => {
    const attributes = [
      { key: 'big', value: { intValue: '9223372036854775807' } },
      { key: 'negative', value: { intValue: '-9007199254740993' } },
      { key: 'list', value: { arrayValue: { values: [{ boolValue: false }, { doubleValue: 0.5 }] } } },
    ]
    const links = [{ traceId: TRACE_ID, spanId: SPAN_ID }]
    const request = tracesRequest({ ...SPAN, parentSpanId: SPAN_ID, attributes, links, status: { code: 2 } })
    const text = printed('traces', request)
    expect(JSON.parse(text)).toEqual(request)
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2))
  })

  it('has other bytes in base64, and numbers that JSON lacks as text', () => {
    const body = { bytesValue: Buffer.from([0, 255, 16]).toString('base64') }
    expect(JSON.parse(printed('logs', logsRequest({ body })))).toEqual(logsRequest({ body }))
    const gauge = (asDouble: unknown) => ({ name: 'g', gauge: { dataPoints: [{ asDouble }] } })
    const text = printed('metrics', metricsRequest(gauge(Number.NaN), gauge(Number.NEGATIVE_INFINITY)))
    expect(JSON.parse(text)).toEqual(metricsRequest(gauge('NaN'), gauge('-Infinity')))
  })

  it('prints an empty request and empty messages', () => {
    expect(printed('traces', {})).toBe('{}')
    expect(printed('logs', { resourceLogs: [{ resource: {} }] })).toContain('"resource": {}')
  })

  it('ends at the limit and reports that', () => {
    const bytes = encodeRequest('traces', 'protobuf', tracesRequest(...Array.from({ length: 50 }, () => SPAN)))
    const whole = requestJson('traces', 'protobuf', bytes, MOST)
    const cut = requestJson('traces', 'protobuf', bytes, 300)
    if (!whole.ok || !cut.ok) throw new Error('the request can be decoded')
    expect(whole.value.truncated).toBe(false)
    expect(cut.value).toEqual({ text: whole.value.text.slice(0, 300), truncated: true })
    expect(requestJson('traces', 'protobuf', bytes, whole.value.text.length)).toEqual(whole)
  })

  it('a request in JSON is indented, so that a cut text stays readable', () => {
    const request = tracesRequest({ ...SPAN, attributes: [{ key: 'n', value: { intValue: 7 } }] })
    const bytes = encodeRequest('traces', 'json', request)
    const text = JSON.stringify(request, null, 2)
    expect(requestJson('traces', 'json', bytes, MOST)).toEqual({ ok: true, value: { text, truncated: false } })
    expect(requestJson('traces', 'json', bytes, 40)).toEqual({
      ok: true,
      value: { text: text.slice(0, 40), truncated: true },
    })
  })

  it('refuses bytes that are not a request', () => {
    expect(requestJson('traces', 'protobuf', new Uint8Array([0x0a, 0xff]), MOST).ok).toBe(false)
  })
})
