import { expect, it } from 'vitest'
import { capturedSignals, envelopeOf, signalsIn } from './read-signals'

it('a client report becomes one signal per reason and category', () => {
  expect(capturedSignals('browser-11.8-client-report')).toMatchObject([
    {
      kind: 'client_report',
      timestampUs: 1_795_172_383_826_000,
      name: 'ratelimit_backoff span',
      fields: { reason: 'ratelimit_backoff', category: 'span', quantity: 2, list: 'discarded_events' },
    },
  ])
})

it('a client report separates counts of relays from those of the sender', () => {
  const entry = (reason: string) => ({ reason, category: 'error', quantity: 1 })
  const signals = signalsIn(
    envelopeOf('client_report', {
      discarded_events: [entry('before_send')],
      rate_limited_events: [entry('quota')],
      filtered_events: [entry('legacy-browsers')],
      filtered_sampling_events: [entry('Sampled:1')],
    }),
  )
  expect(signals.map(({ fields }) => [fields.list, fields.reason])).toEqual([
    ['discarded_events', 'before_send'],
    ['rate_limited_events', 'quota'],
    ['filtered_events', 'legacy-browsers'],
    ['filtered_sampling_events', 'Sampled:1'],
  ])
})

it('a client report may be empty or have entries with missing fields', () => {
  expect(signalsIn(envelopeOf('client_report', {}))).toEqual([])
  expect(signalsIn(envelopeOf('client_report', { discarded_events: [{}] }))[0]).toMatchObject({
    name: '(no reason) (no category)',
    fields: { quantity: null },
  })
})
