import { describe, expect, it } from 'vitest'
import { admit } from '../../../collector/http/admit'
import { discardsOf } from '../../../collector/http/discards'
import { LIMITS } from '../../../lib/protocol/limits'
import { capturedBytes } from '../protocol/captured'

const report = (told: unknown, type = 'client_report') => ({
  header: { type },
  payload: Buffer.from(typeof told === 'string' ? told : JSON.stringify(told)),
})
const entry = (category: unknown, reason: unknown, quantity: unknown) => ({ category, reason, quantity })
const discarded = (...entries: readonly unknown[]) => report({ discarded_events: entries })

describe('what SDKs discarded', () => {
  it('is summed over all lists of all client reports of an envelope', () => {
    const told = [
      discarded(entry('span', 'ratelimit_backoff', 9), entry('error', 'before_send', 1)),
      report({
        rate_limited_events: [entry('span', 'ratelimit_backoff', 1)],
        filtered_events: [entry('error', 'legacy-browsers', 2)],
        filtered_sampling_events: [entry('transaction', 'Sampled:1', 3)],
      }),
      report({ discarded_events: [entry('error', 'before_send', 100)] }, 'event'),
    ]
    expect(discardsOf(told, LIMITS)).toEqual([
      { category: 'span', reason: 'ratelimit_backoff', quantity: 10 },
      { category: 'error', reason: 'before_send', quantity: 1 },
      { category: 'error', reason: 'legacy-browsers', quantity: 2 },
      { category: 'transaction', reason: 'Sampled:1', quantity: 3 },
    ])
  })

  it.each([
    ['no category', entry(null, 'before_send', 1)],
    ['no quantity', entry('error', 'before_send', undefined)],
    ['a quantity of zero', entry('error', 'before_send', 0)],
    ['less than nothing', entry('error', 'before_send', -5)],
    ['half a thing', entry('error', 'before_send', 1.5)],
    ['more than can be', entry('error', 'before_send', 1e15)],
    ['bytes', entry('log_byte', 'before_send', 4096)],
  ])('counts nothing for an entry with %s, and the others all the same', (_what, wrong) => {
    expect(discardsOf([discarded(wrong, entry('error', 'sample_rate', 2))], LIMITS)).toEqual([
      { category: 'error', reason: 'sample_rate', quantity: 2 },
    ])
  })

  it('counts nothing for what cannot be read', () => {
    for (const payload of ['', 'null', '[]', '{"discarded_events":7}', '{"discarded_events"'])
      expect(discardsOf([report(payload)], LIMITS), payload).toEqual([])
  })

  it('has a reason also where none is said, and names of 64 signs at most', () => {
    const long = 'x'.repeat(100)
    expect(discardsOf([discarded(entry('error', null, 1), entry(long, long, 1))], LIMITS)).toEqual([
      { category: 'error', reason: 'unknown', quantity: 1 },
      { category: 'x'.repeat(64), reason: 'x'.repeat(64), quantity: 1 },
    ])
  })

  it('counts attachments, and as one what can only be their bytes', () => {
    const told = (quantity: number) => discardsOf([discarded(entry('attachment', 'network_error', quantity))], LIMITS)
    expect([3, 100, 101, 125_829_120].map((quantity) => told(quantity)[0]?.quantity)).toEqual([3, 100, 1, 1])
  })

  it('counts metrics under the name that their items have', () => {
    expect(discardsOf([discarded(entry('metric', 'before_send', 4))], LIMITS)).toMatchObject([
      { category: 'trace_metric', quantity: 4 },
    ])
  })

  it('is read up to the size of one client report, however many there are', () => {
    const one = discarded(entry('error', 'before_send', 1), { note: 'x'.repeat(60 * 1024) })
    expect(discardsOf([one, one], LIMITS)).toMatchObject([{ quantity: 1 }])
    expect(discardsOf([one, one], { ...LIMITS, client_report: 1024 * 1024 })).toMatchObject([{ quantity: 2 }])
  })
})

describe('the endpoint', () => {
  const bytes = capturedBytes('envelopes/browser-11.8-client-report')
  const admitted = (endpoint: 'tunnel' | 'stream') => admit(endpoint, bytes, { project: null, key: null }, () => true)

  it('reads what a client report on the path says', () => {
    expect(admitted('tunnel')).toMatchObject({
      value: { discards: [{ category: 'span', reason: 'ratelimit_backoff', quantity: 2 }] },
    })
  })

  it('reads none of a copy: the same report comes on the path', () => {
    expect(admitted('stream')).toMatchObject({ value: { discards: [] } })
  })
})
