import { describe, expect, it } from 'vitest'
import { countValues } from '../../../lib/otlp/count-values'
import { decodeRequest } from '../../../lib/otlp/decode'
import { lengthDelimited } from './protobuf-bytes'
import { encodeRequest, metricsRequest, requestType, SPAN, tracesRequest } from './requests'

const TRACES = requestType('traces')

/** ExportTraceServiceRequest.resource_spans, ResourceSpans.scope_spans. */
const inScope = (content: Buffer): Buffer => lengthDelimited(1, lengthDelimited(2, content))
const repeated = (hex: string, times: number): Buffer => Buffer.alloc((hex.length / 2) * times, Buffer.from(hex, 'hex'))

describe('countValues', () => {
  it('counts messages at every level', () => {
    const request = { resourceSpans: [{ scopeSpans: [{ spans: [{ ...SPAN, events: [{}, {}] }, SPAN] }] }] }
    // One ResourceSpans, one ScopeSpans, two spans, two events.
    expect(countValues(TRACES, encodeRequest('traces', 'protobuf', request), 100)).toBe(6)
  })

  it('counts the elements of packed lists', () => {
    const point = { bucketCounts: ['1', '300'], explicitBounds: [1] }
    const scaled = { positive: { bucketCounts: ['1', '300', '70000'] } }
    const request = metricsRequest(
      { histogram: { dataPoints: [point] } },
      { exponentialHistogram: { dataPoints: [scaled] } },
    )
    const empty = metricsRequest(
      { histogram: { dataPoints: [{}] } },
      { exponentialHistogram: { dataPoints: [{ positive: {} }] } },
    )
    const [full, without] = [request, empty].map((one) =>
      countValues(requestType('metrics'), encodeRequest('metrics', 'protobuf', one), 1000),
    )
    expect((full ?? 0) - (without ?? 0)).toBe(6)
  })

  it('stops one above the limit', () => {
    expect(countValues(TRACES, inScope(repeated('1200', 1000)), 10)).toBe(11)
  })

  it.each(['0a', '0a05', '0aff', '0b', '07', 'ffffffffffffffffffff'])('stops at malformed bytes: %s', (hex) => {
    expect(countValues(TRACES, Buffer.from(hex, 'hex'), 10)).toBeLessThan(2)
  })

  it('counts any number of nested levels', () => {
    let value: Buffer = Buffer.alloc(0)
    for (let depth = 0; depth < 20_000; depth += 1) value = lengthDelimited(5, lengthDelimited(1, value))
    const body = lengthDelimited(1, lengthDelimited(1, lengthDelimited(1, lengthDelimited(2, value))))
    expect(countValues(TRACES, body, 1_000_000)).toBe(40_004)
  })
})

it.each([
  ['spans', inScope(repeated('1200', 1_100_000))],
  ['attributes', inScope(lengthDelimited(2, repeated('4a00', 1_100_000)))],
  ['unrelated resources', repeated('0a00', 1_100_000)],
])('decodeRequest refuses more than a million empty %s before it decodes them', (_what, body) => {
  expect(decodeRequest('traces', 'protobuf', body)).toEqual({
    ok: false,
    error: expect.stringMatching(/^the request holds more than 1000000 /),
  })
})

it('decodeRequest accepts 10 MiB of ordinary spans', () => {
  const one = encodeRequest('traces', 'protobuf', tracesRequest(SPAN))
  const many = Buffer.alloc(one.length * Math.floor((10 * 1024 * 1024) / one.length), Buffer.from(one))
  expect(decodeRequest('traces', 'protobuf', many).ok).toBe(true)
})
