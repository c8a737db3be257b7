import { describe, expect, it } from 'vitest'
import { linkAttributes, otherTraces } from '../../../dashboards/traces/detail-facts'
import { droppedText, flagsText, inTimeOrder, nanosBetween, sdkOfSpan } from '../../../dashboards/traces/otel-facts'
import { linkName } from '../../../dashboards/traces/span-facts'
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

describe('the SDK of a span', () => {
  const browser = { segmentId: 'page', sdk: 'sentry.javascript.nextjs' }
  const attributes = { 'telemetry.sdk.name': 'opentelemetry', 'telemetry.sdk.language': 'webjs' }
  const otel = { resource: { attributes, droppedAttributes: 0, schemaUrl: null } }

  it('is that of its segment', () => {
    expect(sdkOfSpan({ segmentId: 'page' }, [browser])).toBe('sentry.javascript.nextjs')
  })

  it('is that of its resource, also inside a segment that another SDK recorded', () => {
    expect(sdkOfSpan({ segmentId: 'page', otel }, [browser])).toBe('opentelemetry.webjs')
  })

  it('is null where it is unknown', () => {
    expect(sdkOfSpan({ segmentId: 'page' }, [{ segmentId: 'page', sdk: null }])).toBeNull()
    expect(sdkOfSpan({ segmentId: null }, [browser])).toBeNull()
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
  expect(filterAttributes({ 'exception.stacktrace': 'Error: x\n\tat a.js:1' }, '')).toMatchObject([
    { key: 'exception.stacktrace', text: 'Error: x\n\tat a.js:1' },
  ])
})
