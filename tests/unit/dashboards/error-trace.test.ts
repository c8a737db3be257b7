import { expect, it } from 'vitest'
import { topFrameText } from '../../../dashboards/errors/group-text'
import { clockText, otherSender, sentAtMs } from '../../../dashboards/errors/sender-clock'
import { lostText } from '../../../dashboards/errors/use-trace-around'
import type { DeliveryStatus } from '../../../lib/wire/delivery-status'
import type { SignalRow } from '../../../lib/wire/signal'
import type { SpanRow } from '../../../lib/wire/trace'
import { errorOf } from './drawn-error'

const span = (name: DeliveryStatus['name'], reason: string | null = null): SpanRow =>
  ({ isSegment: false, deliveryStatus: { name, reason } }) as SpanRow
const log = (name: DeliveryStatus['name']): SignalRow =>
  ({ kind: 'log', deliveryStatus: { name, reason: null } }) as SignalRow

it('counts what a trace lost by kind and outcome, each segment once; nothing lost is not mentioned', () => {
  const fine = [span('accepted'), span('kept'), span('pending', 'dead_letter'), span('copy')]
  expect(lostText({ segments: [], spans: fine, logs: [log('accepted')], errors: [errorOf({})] })).toBe('')
  const spans = [
    ...fine,
    span('rate_limited', 'limited'),
    { ...span('rate_limited'), isSegment: true },
    span('invalid'),
  ]
  const lost = lostText({
    segments: [span('rate_limited') as never],
    spans,
    logs: [log('expired'), log('accepted')],
    errors: [errorOf({ deliveryStatus: { name: 'dropped', reason: null } })],
  })
  expect(lost).toBe('2 spans rate limited, 1 span invalid, 1 log expired, 1 error dropped')
})

const AT = Date.parse('2026-11-01T10:00:00Z')
const sent = (offsetMs: number, keptMs?: number) => ({
  header: { sent_at: new Date(AT + offsetMs).toISOString() },
  receivedAt: AT,
  facts: keptMs === undefined ? {} : { keptMs },
})

it('states a clock that differs by 1 s or more, without the time in the lifeboat', () => {
  expect(clockText('browser', sent(1000))).toBe('The clock of browser is 1.00 s ahead of the collector’s.')
  expect(clockText('server', sent(-5000))).toBe(
    'The clock of server is 5.00 s behind the collector’s, or its envelope took that long to arrive.',
  )
  for (const near of [sent(999), sent(-999), sent(-60_000, 59_500), { ...sent(0), header: {} }, null])
    expect(clockText('browser', near)).toBeNull()
  expect([sentAtMs({ header: { sent_at: 'soon' } }), sentAtMs(sent(5))]).toEqual([null, AT + 5])
})

it('finds the envelope of another service before the error, of a span rather than a log', () => {
  const event = { service: 'browser', timestampUs: 100 }
  const spans = [
    { service: 'browser', seq: 1, startUs: 1 },
    { service: 'server', seq: 2, startUs: 101 },
    { service: 'server', seq: 3, startUs: 100 },
  ]
  const logs = [{ service: 'worker', seq: 4, timestampUs: 1 }]
  expect(otherSender(event, { spans, logs })).toEqual({ service: 'server', seq: 3 })
  expect(otherSender(event, { spans: spans.slice(0, 2), logs })).toEqual({ service: 'worker', seq: 4 })
  expect(otherSender(event, { spans: spans.slice(0, 2), logs: [] })).toBeNull()
})

it('writes a top frame with its place, and why it is not certain', () => {
  const frame = { function: 'pay', file: 'app/cart.ts', line: 12, column: null, note: null }
  expect(topFrameText(frame)).toBe('pay app/cart.ts:12')
  expect(topFrameText({ ...frame, function: '?', column: 3, note: 'not mapped: no file' })).toBe(
    '(anonymous) app/cart.ts:12:3, not mapped: no file',
  )
  expect(topFrameText({ ...frame, function: null, file: null, line: null, note: 'no stack' })).toBe('no stack')
})
