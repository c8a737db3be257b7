import { describe, expect, it } from 'vitest'
import { parseSpanContainer, valuesOf } from '../../../../lib/protocol/items/span'
import { capturedPayload } from '../captured'

const good = { trace_id: 'a'.repeat(32), span_id: '1'.repeat(16), start_timestamp: 1.5, end_timestamp: 2 }

const read = (payload: unknown) => parseSpanContainer(Buffer.from(JSON.stringify(payload)))

describe('a span container', () => {
  it('the parser reads a container of SDK 11.8 completely', () => {
    const parsed = parseSpanContainer(capturedPayload('envelopes/browser-11.8-navigation-spans', 'span'))
    expect(parsed.ok && parsed.value.unreadable).toBe(0)
    expect(parsed.ok && parsed.value.spans).toHaveLength(6)
    expect(parsed.ok && parsed.value.spans[0]).toMatchObject({
      traceId: '4e6397ea847e4c12a675d0d77205712a',
      spanId: 'a26c4a07837cd3c8',
      parentSpanId: 'a48564a47a271546',
      name: 'GET 127.0.0.1',
      status: 'ok',
      isSegment: false,
      startUs: 1795172294664400,
      endUs: 1795172294685200,
    })
  })

  it('may be empty', () => {
    expect(read({ version: 2, items: [] })).toEqual({ ok: true, value: { spans: [], unreadable: 0, beyond: 0 } })
  })

  it('counts entries without ids or start as unreadable', () => {
    const items = [
      good,
      null,
      7,
      'x',
      {},
      { ...good, trace_id: 'x' },
      { ...good, span_id: null },
      { ...good, start_timestamp: 'x' },
    ]
    const parsed = read({ items })
    expect(parsed.ok && [parsed.value.spans.length, parsed.value.unreadable]).toEqual([1, 7])
  })

  it.each([
    ['of entries without ids', { items: [{}, null] }, /no entry of the span container has a trace_id/],
    ['that is no container and no span', { version: 2 }, /no entry/],
    ['that is a list', [good], /not an object/],
  ])('%s is refused with an error message', (_name, payload, sentence) => {
    const parsed = read(payload)
    expect(!parsed.ok && parsed.error).toMatch(sentence)
  })

  it('a span without an end has no duration', () => {
    const parsed = read({ items: [{ ...good, end_timestamp: undefined }] })
    expect(parsed.ok && parsed.value.spans[0]?.endUs).toBe(1_500_000)
  })
})

it('an old stand-alone span is one entry, with its operation and data as attributes', () => {
  const parsed = read({
    trace_id: good.trace_id,
    span_id: good.span_id,
    start_timestamp: 1,
    timestamp: 2,
    op: 'ui.webvital.cls',
    description: 'Layout shift',
    data: { 'sentry.origin': 'auto' },
  })
  expect(parsed).toMatchObject({
    ok: true,
    value: {
      spans: [
        {
          name: 'Layout shift',
          endUs: 2_000_000,
          attributes: { 'sentry.op': 'ui.webvital.cls', 'sentry.origin': 'auto' },
        },
      ],
    },
  })
})

it('attributes are read as their values', () => {
  const typed = {
    'sentry.op': { value: 'pageload', type: 'string' },
    zero: { value: 0, type: 'integer' },
    plain: 3,
    none: null,
  }
  expect(valuesOf(typed)).toEqual({ 'sentry.op': 'pageload', zero: 0, plain: 3, none: null })
})

it('attributes named like a prototype are attributes', () => {
  const values = valuesOf(JSON.parse('{"__proto__":{"value":1}}'))
  expect(Object.hasOwn(values, '__proto__')).toBe(true)
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
})
