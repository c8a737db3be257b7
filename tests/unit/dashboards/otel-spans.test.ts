import { describe, expect, it } from 'vitest'
import { droppedText, flagsText, inTimeOrder, nanosBetween, shownSdks } from '../../../dashboards/traces/otel-facts'
import { linkAttributes, linkName, otherTraces } from '../../../dashboards/traces/span-facts'
import { filterAttributes } from '../../../dashboards/ui/attribute-table'
import { spanHref } from '../../../dashboards/ui/links'
import { scopeName } from '../../../dashboards/ui/otel-source'
import type { Span } from '../../../lib/wire/trace'

const TRACE = 'aaaabbbbccccddddaaaabbbbccccdddd'
const OTHER = '11112222333344441111222233334444'
const SPAN = 'aaaabbbbccccdddd'

it.each([
  [0, '0x00'],
  [1, '0x01 sampled'],
  [3, '0x03 sampled, random trace id'],
  [0x101, '0x101 sampled, parent in the same process'],
  [0x301, '0x301 sampled, parent in another process'],
  [0x8000_0000, '0x80000000'],
])('the flags %i are %s', (flags, text) => {
  expect(flagsText(flags)).toBe(text)
})

it('the flags of a link name the linked span', () => {
  expect(flagsText(0x300, 'span')).toBe('0x300 span in another process')
})

it.each([
  ['1544712660000000123', '1544712660000000123', '+0 ms', '+0 ns'],
  ['1544712660000000123', '1544712660000000456', '+333 ns', '+333 ns'],
  ['1544712660000000123', '1544712660001234690', '+1.23 ms', '+1,234,567 ns'],
  ['1544712660000000123', '1544712659999999123', '-1 µs', '-1,000 ns'],
  ['1544712660000000123', '1544712660000000121', '-2 ns', '-2 ns'],
])('the time between nanoseconds from %s to %s is %s, exactly %s', (from, to, text, exact) => {
  expect(nanosBetween(from, to)).toEqual({ text, exact })
})

it('the events of a span are in order of time, even a nanosecond apart', () => {
  const event = (name: string, timeNanos: string) => ({ name, timeNanos, attributes: {}, droppedAttributes: 0 })
  const events = [
    event('b', '1544712660000000002'),
    event('c', '1544712660000000003'),
    event('a', '1544712660000000001'),
  ]
  expect(inTimeOrder(events).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
})

it('the entries that an SDK left out are counted by what they are', () => {
  expect(droppedText({ attributes: 0, events: 0, links: 0 })).toBeNull()
  expect(droppedText({ attributes: 2, events: 1, links: 0 })).toBe('2 attributes, 1 event')
  expect(droppedText({ attributes: 0, events: 0, links: 3 })).toBe('3 links')
})

it('the name of a scope has the version, if there is one', () => {
  expect(scopeName({ name: 'http', version: '0.223.0' })).toBe('http 0.223.0')
  expect(scopeName({ name: null, version: null })).toBe('(unnamed)')
})

describe('the SDKs in a waterfall', () => {
  type SdkSpan = Parameters<typeof shownSdks>[0][number]

  const sentry = (spanId: string, parentSpanId: string | null, segmentId: string): SdkSpan => ({
    spanId,
    parentSpanId,
    segmentId,
  })
  const otel = (spanId: string, parentSpanId: string | null, language: string): SdkSpan => {
    const attributes = { 'telemetry.sdk.name': 'opentelemetry', 'telemetry.sdk.language': language }
    const resource = { attributes, droppedAttributes: 0, schemaUrl: null }
    return { spanId, parentSpanId, segmentId: null, otel: { resource } }
  }
  const browser = { segmentId: 'page', sdk: 'sentry.javascript.nextjs' }

  it('are those of segments', () => {
    const spans = [sentry('page', null, 'page'), sentry('call', 'page', 'page'), otel('api', 'call', 'nodejs')]
    expect([...shownSdks(spans, [browser, { segmentId: 'api', sdk: 'opentelemetry.nodejs' }])]).toEqual([
      ['page', 'sentry.javascript.nextjs'],
      ['api', 'opentelemetry.nodejs'],
    ])
  })

  it('are those of spans inside a segment that another SDK recorded', () => {
    const spans = [sentry('page', null, 'page'), otel('cart', 'page', 'webjs'), otel('price', 'cart', 'webjs')]
    expect([...shownSdks(spans, [browser])]).toEqual([
      ['page', 'sentry.javascript.nextjs'],
      ['cart', 'opentelemetry.webjs'],
    ])
  })

  it('repeat for a segment that the SDK of its parent recorded', () => {
    const spans = [otel('a', null, 'nodejs'), otel('b', 'a', 'nodejs')]
    const segments = ['a', 'b'].map((segmentId) => ({ segmentId, sdk: 'opentelemetry.nodejs' }))
    expect([...shownSdks(spans, segments).keys()]).toEqual(['a', 'b'])
  })

  it('are left out where they are unknown', () => {
    expect([...shownSdks([sentry('page', null, 'page')], [{ segmentId: 'page', sdk: null }])]).toEqual([])
  })
})

describe('a link of a span', () => {
  const link = (given: Partial<Span['links'][number]>): Span['links'][number] => ({
    traceId: OTHER,
    spanId: SPAN,
    type: null,
    ...given,
  })

  it('is named by its type, or by the trace that it leads to', () => {
    expect(linkName(link({ type: 'previous_trace' }), TRACE)).toBe('Previous trace')
    expect(linkName(link({ type: 'retry_of' }), TRACE)).toBe('retry of')
    expect(linkName(link({}), TRACE)).toBe('Linked trace')
    expect(linkName(link({ traceId: TRACE }), TRACE)).toBe('Span of this trace')
  })

  it('lists the attributes that its name does not show', () => {
    const attributes = { 'sentry.link.type': 'previous_trace', queue: 'orders' }
    expect(linkAttributes(link({ attributes }))).toEqual({ queue: 'orders' })
    expect(linkAttributes(link({}))).toEqual({})
  })

  it('leads to the span in its trace, unless an id is malformed', () => {
    expect(spanHref(OTHER, SPAN)).toBe(`/traces/${OTHER}?span=${SPAN}`)
    expect(spanHref(OTHER, 'x')).toBe(`/traces/${OTHER}`)
    expect(spanHref(OTHER, null)).toBe(`/traces/${OTHER}`)
    expect(spanHref('javascript:alert(1)', SPAN)).toBeNull()
  })

  it('is checked once per other trace, for at most 20 traces', () => {
    const links = [link({}), link({ traceId: TRACE }), link({}), link({ traceId: 'short' })]
    expect(otherTraces(links, TRACE)).toEqual([OTHER])
    const many = Array.from({ length: 30 }, (_, at) => link({ traceId: at.toString(16).padStart(32, 'a') }))
    expect(otherTraces(many, TRACE)).toHaveLength(20)
  })
})

it('an attribute with several lines keeps them', () => {
  expect(filterAttributes({ 'exception.stacktrace': 'Error: x\n\tat a.js:1' }, '')).toEqual([
    { key: 'exception.stacktrace', text: 'Error: x\n\tat a.js:1' },
  ])
})
