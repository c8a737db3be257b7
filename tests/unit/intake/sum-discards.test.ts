import { describe, expect, it } from 'vitest'
import { parseBody, readContents } from '../../../collector/intake/parse-body'
import { sumReports } from '../../../lib/protocol/items/client-report'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { capturedBytes } from '../protocol/captured'

const report = (content: unknown, type = 'client_report') => ({
  header: { type },
  payload: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
})
const entry = (category: unknown, reason: unknown, quantity: unknown) => ({ category, reason, quantity })
const discarded = (...entries: readonly unknown[]) => report({ discarded_events: entries })

const sumDiscards = (...given: Parameters<typeof sumReports>) => sumReports(...given).discards

describe('sumReports', () => {
  it('sums all lists of all client reports of an envelope', () => {
    const items = [
      discarded(entry('span', 'ratelimit_backoff', 9), entry('error', 'before_send', 1)),
      report({
        rate_limited_events: [entry('span', 'ratelimit_backoff', 1)],
        filtered_events: [entry('error', 'legacy-browsers', 2)],
        filtered_sampling_events: [entry('transaction', 'Sampled:1', 3)],
      }),
      report({ discarded_events: [entry('error', 'before_send', 100)] }, 'event'),
    ]
    expect(sumDiscards(items, SIZE_LIMITS)).toEqual([
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
    ['a negative quantity', entry('error', 'before_send', -5)],
    ['a fraction', entry('error', 'before_send', 1.5)],
    ['a quantity that is too large', entry('error', 'before_send', 1e15)],
    ['bytes', entry('log_byte', 'before_send', 4096)],
  ])('skips an entry with %s and counts the others', (_what, wrong) => {
    expect(sumDiscards([discarded(wrong, entry('error', 'sample_rate', 2))], SIZE_LIMITS)).toEqual([
      { category: 'error', reason: 'sample_rate', quantity: 2 },
    ])
  })

  it('skips unreadable reports', () => {
    for (const payload of ['', 'null', '[]', '{"discarded_events":7}', '{"discarded_events"'])
      expect(sumDiscards([report(payload)], SIZE_LIMITS), payload).toEqual([])
  })

  it('uses the reason "unknown" when none is given, and cuts names at 64 characters', () => {
    const long = 'x'.repeat(100)
    expect(sumDiscards([discarded(entry('error', null, 1), entry(long, long, 1))], SIZE_LIMITS)).toEqual([
      { category: 'error', reason: 'unknown', quantity: 1 },
      { category: 'x'.repeat(64), reason: 'x'.repeat(64), quantity: 1 },
    ])
  })

  it('counts attachments, and counts a byte size as one attachment', () => {
    const sum = (quantity: number) =>
      sumDiscards([discarded(entry('attachment', 'network_error', quantity))], SIZE_LIMITS)
    expect([3, 100, 101, 125_829_120].map((quantity) => sum(quantity)[0]?.quantity)).toEqual([3, 100, 1, 1])
  })

  it('counts metrics in the category of their items', () => {
    expect(sumDiscards([discarded(entry('metric', 'before_send', 4))], SIZE_LIMITS)).toMatchObject([
      { category: 'trace_metric', quantity: 4 },
    ])
  })

  it('stops at the size limit of one client report', () => {
    const one = discarded(entry('error', 'before_send', 1), { note: 'x'.repeat(60 * 1024) })
    expect(sumDiscards([one, one], SIZE_LIMITS)).toMatchObject([{ quantity: 1 }])
    expect(sumDiscards([one, one], { ...SIZE_LIMITS, client_report: 1024 * 1024 })).toMatchObject([{ quantity: 2 }])
  })
})

it('the time of client reports is the latest one, in ms', () => {
  const at = (timestamp: unknown) => report({ timestamp, discarded_events: [] })
  expect(sumReports([at(1795465828.942), at('2026-11-23T20:30:28.943Z'), at(null)], SIZE_LIMITS).countedAt).toBe(
    1795465828943,
  )
  expect(sumReports([at(null), report('x')], SIZE_LIMITS)).toEqual({ discards: [] })
})

describe('readContents', () => {
  const bytes = capturedBytes('envelopes/browser-11.8-client-report')
  const contents = (endpoint: 'tunnel' | 'stream') => {
    const parsed = parseBody(endpoint, bytes)
    return parsed.ok && readContents(endpoint, parsed.value, bytes, SIZE_LIMITS, () => '')
  }

  it('sums the client reports of a tunnelled envelope', () => {
    expect(contents('tunnel')).toMatchObject({
      discards: [{ category: 'span', reason: 'ratelimit_backoff', quantity: 2 }],
    })
  })

  it('ignores the client reports of a copy', () => {
    expect(contents('stream')).toMatchObject({ discards: [] })
  })
})
