import { describe, expect, it } from 'vitest'
import { FORMATS, MOST_FILE_SPANS, openTraceFile, readTraceFile } from '../../../dashboards/traces/trace-file'

const TRACE = 'a'.repeat(32)
const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const read = (value: unknown) => readTraceFile('t.json', bytes(value))
function opened(value: unknown) {
  const result = read(value)
  if (!result.ok) throw new Error(result.error)
  return result.value
}
const errorOf = (value: unknown): string => {
  const result = read(value)
  return result.ok ? 'no error' : result.error
}

const otlpSpan = (spanId: string, more: object = {}) => ({
  ...{ traceId: TRACE, spanId, name: spanId, startTimeUnixNano: '1700000000000000000' },
  ...{ endTimeUnixNano: '1700000000250000000', ...more },
})
const otlp = (...spans: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] },
      scopeSpans: [{ scope: { name: 'x' }, spans }],
    },
  ],
})
const jaeger = {
  data: [
    {
      traceID: TRACE,
      processes: { p1: { serviceName: 'front', tags: [] } },
      spans: [
        {
          ...{ traceID: TRACE, spanID: 'b1', operationName: 'GET /', references: [], processID: 'p1' },
          ...{ startTime: 1_700_000_000_000_000, duration: 900, tags: [{ key: 'span.kind', value: 'server' }] },
        },
        {
          ...{ traceID: TRACE, spanID: 'b2', operationName: 'query', processID: 'p1' },
          references: [{ refType: 'CHILD_OF', traceID: TRACE, spanID: 'b1' }],
          ...{ startTime: 1_700_000_000_000_100, duration: 300 },
          tags: [
            { key: 'db.system', value: 'pg' },
            { key: 'error', type: 'bool', value: true },
          ],
        },
      ],
    },
  ],
}
const own = {
  summary: { traceId: TRACE, name: '/checkout' },
  spans: [
    {
      ...{ spanId: 'c1', parentSpanId: null, name: 'load', op: 'pageload', status: 'ok', service: 'browser' },
      ...{ startUs: 1_700_000_000_000_000, endUs: 1_700_000_000_500_000, attributes: { 'http.status_code': 200 } },
    },
  ],
}

describe('a trace file', () => {
  it('is OTLP JSON', () => {
    const value = otlp(
      otlpSpan('A1', {
        kind: 2,
        attributes: [
          { key: 'http.request.method', value: { stringValue: 'GET' } },
          { key: 'http.response.status_code', value: { intValue: '503' } },
          { key: 'list', value: { arrayValue: { values: [{ boolValue: true }, { doubleValue: 0.5 }] } } },
          { key: 'map', value: { kvlistValue: { values: [{ key: 'big', value: { intValue: '9007199254740993' } }] } } },
        ],
        status: { code: 2 },
      }),
      otlpSpan('a2', { parentSpanId: 'a1', kind: 'SPAN_KIND_CLIENT', status: { code: 'STATUS_CODE_OK' } }),
    )
    const { trace, detailOf } = opened(value)
    expect(trace).toMatchObject({
      ...{ file: 't.json', isWhole: true, gaps: [], segments: [], submissions: [] },
      summary: { traceId: TRACE, name: 'A1', op: 'http.server', status: 'error', durationUs: 250_000, spanCount: 2 },
      spans: [
        { spanId: 'a1', service: 'shop', httpStatus: 503, status: 'error', startUs: 1_700_000_000_000_000 },
        { spanId: 'a2', parentSpanId: 'a1', status: 'ok', op: null },
      ],
    })
    expect(detailOf('a1')?.span.attributes).toEqual({
      ...{ 'http.request.method': 'GET', 'http.response.status_code': 503, list: [true, 0.5] },
      map: { big: '9007199254740993' },
    })
  })

  it('is OTLP JSON with one request on each line', () => {
    const text = [otlp(otlpSpan('a1')), otlp(otlpSpan('a2', { parentSpanId: 'a1' }))].map((one) => JSON.stringify(one))
    expect(opened(`${text.join('\n')}\n`).trace.spans.map(({ spanId }) => spanId)).toEqual(['a1', 'a2'])
  })

  it('is JSON of Jaeger', () => {
    expect(opened(jaeger).trace).toMatchObject({
      summary: { name: 'GET /', durationUs: 900, services: ['front'], status: 'error' },
      spans: [
        { spanId: 'b1', parentSpanId: null, endUs: 1_700_000_000_000_900, status: null },
        { spanId: 'b2', parentSpanId: 'b1', op: 'db', status: 'error', service: 'front' },
      ],
    })
  })

  it('is the answer of the collector', () => {
    const { trace, detailOf } = opened(own)
    expect(trace.summary).toMatchObject({ name: '/checkout', op: 'pageload', durationUs: 500_000 })
    expect(trace.spans).toMatchObject([{ spanId: 'c1', op: 'pageload', httpStatus: 200, service: 'browser' }])
    expect(detailOf('c1')?.span).toMatchObject({ attributes: { 'http.status_code': 200 }, links: [], seq: 0 })
  })

  it('with several traces shows the one with the most spans', () => {
    const value = otlp(otlpSpan('a0', { traceId: 'b'.repeat(32) }), otlpSpan('a1'), otlpSpan('a2'))
    expect([opened(value).trace.summary.traceId, opened(value).others]).toEqual([TRACE, 1])
  })

  it('keeps received strings as text, and fields within their types', () => {
    const name = `<img src=x onerror=alert(1)>\u202e${'x'.repeat(5000)}`
    const value = otlp(
      otlpSpan('a1', { name, attributes: [{ key: '__proto__', value: { stringValue: 'p' } }, { key: 5 }, null] }),
      otlpSpan('a2', { parentSpanId: 'a2', name: { toString: 1 }, endTimeUnixNano: '0', attributes: 'none' }),
      otlpSpan('a3', { startTimeUnixNano: '9'.repeat(500) }),
      otlpSpan('a4', { startTimeUnixNano: null }),
      { spanId: [], traceId: {} },
    )
    const { trace, detailOf } = opened(value)
    expect(trace.spans.map((span) => [span.spanId, span.name.length, span.endUs - span.startUs])).toEqual([
      ['a1', 2000, 250_000],
      ['a2', '(unnamed)'.length, 0],
    ])
    expect(Object.keys(detailOf('a1')?.span.attributes ?? {})).toEqual(['5', '__proto__'])
    expect(Object.getPrototypeOf(detailOf('a1')?.span.attributes)).toBe(Object.prototype)
  })

  it('shows 100,000 spans and says how many it leaves out', () => {
    const spans = Array.from({ length: MOST_FILE_SPANS + 5 }, (_, at) => ({
      ...{ traceId: 'a', spanId: `${at}`, startTimeUnixNano: '1' },
    }))
    const { trace } = opened(otlp(...spans))
    expect([trace.spans.length, trace.gaps]).toEqual([
      MOST_FILE_SPANS,
      [{ of: 'spans', missing: 5, limit: MOST_FILE_SPANS }],
    ])
  }, 30_000)
})

describe('another file', () => {
  it.each([
    ['cut JSON', JSON.stringify(otlp(otlpSpan('a1'))).slice(0, -9), 'Found no JSON, or a part of it: '],
    [
      'lines of which the last is cut',
      `${JSON.stringify(otlp(otlpSpan('a1')))}\n{"resourceSp`,
      'Found no JSON, or a part',
    ],
    ['nothing', '', 'Found an empty file.'],
    ['a text', '"trace"', 'Found a JSON string.'],
    ['a list', '[1,2]', 'Found a list of 2.'],
    ['other fields', { version: 3, frames: [] }, 'Found an object with version, frames.'],
    ['other lines', '{"a":1}\n{"b":2}', 'Found 2 lines of JSON, of which the first is an object with a.'],
    ['no spans', otlp(), 'Found OTLP JSON with 0 spans, of which none'],
    ['no valid span', otlp({ name: 'x' }), 'Found OTLP JSON with 1 span, of which none'],
    ['depth', `{"spans":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 'Found JSON that is nested deeper than 32 levels.'],
  ])('with %s is refused: what was found, and what is read', (_, value, message) => {
    expect(errorOf(value)).toContain(message)
    expect(errorOf(value)).toContain(FORMATS)
  })

  it('in another encoding is refused', () => {
    const result = readTraceFile('t.json', new Uint8Array([0xff, 0xfe, 0x7b, 0]))
    expect(result).toEqual({ ok: false, error: `Found no text in UTF-8. ${FORMATS}` })
  })

  it('above 64 MiB is not read', async () => {
    const tooLarge = { name: 't', size: 64 * 1024 ** 2 + 1, arrayBuffer: () => Promise.reject(new Error('was read')) }
    expect(await openTraceFile(tooLarge)).toEqual({
      ok: false,
      error: 'The file has 67,108,865 bytes; at most 67,108,864 (64 MiB) are read.',
    })
  })
})
