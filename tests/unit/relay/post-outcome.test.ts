import { describe, expect, it } from 'vitest'
import { decisionOfCut, limitsOfPost, outcomeOfPost } from '../../../collector/relay/post-outcome'
import { EVERY_ITEM } from '../../../collector/spool/submission'
import { parseRateLimits } from '../../../lib/protocol/rate-limits'
import type { LeftOut } from '../../../lib/wire/delivery'

const quantities = [
  { category: 'error', quantity: 1 },
  { category: 'attachment', quantity: 1 },
]

/** A short form: the kind where it is not final, else the outcome of all items, or of each. */
function deliveryStatus(status: number, header = '', of = quantities, leftOut: readonly LeftOut[] = []): string {
  const outcome = outcomeOfPost(status, parseRateLimits(header), of, leftOut)
  if (outcome.kind !== 'decided') return outcome.kind
  return outcome.decision
    .map(
      ({ item, outcome, reason }) =>
        `${item === EVERY_ITEM ? '' : `${item} `}${outcome}${reason === null ? '' : ` (${reason})`}`,
    )
    .join(', ')
}

describe("upstream's answer", () => {
  it.each([
    [200, '', 'accepted'],
    [202, '', 'accepted'],
    [204, '', 'accepted'],
    [200, '60:transaction:key', 'accepted'],
    [200, '0:error:key', 'accepted'],
    [200, '60:error:key', '0 rate_limited (upstream_200), 1 accepted'],
    [200, '60:attachment:key', '0 accepted, 1 rate_limited (upstream_200)'],
    [200, '60:error;attachment:key', 'rate_limited (upstream_200)'],
    [200, '60::organization', 'rate_limited (upstream_200)'],
    [200, '60:attachment_item:key', '0 accepted, 1 rate_limited (upstream_200)'],
    [200, '0::organization', 'accepted'],
    [429, '', 'rate_limited (upstream_429)'],
    [429, '60:transaction:key', 'rate_limited (upstream_429)'],
    [405, '', 'invalid (upstream_405)'],
    [415, '', 'invalid (upstream_415)'],
    [422, '', 'invalid (upstream_422)'],
  ])('%i with limits %j is final: %s', (status, header, expected) => {
    expect(deliveryStatus(status, header)).toBe(expected)
  })

  it.each([
    [400, 'it does not read it'],
    [413, 'it is too large'],
    [500, 'a fault of its own, which may be one over this very envelope'],
    [501, 'as 500'],
    [505, 'as 500'],
  ])('%i makes a dead letter: %s', (status) => {
    expect(deliveryStatus(status)).toBe('envelopeRefused')
    expect(deliveryStatus(status, '60:error:key')).toBe('envelopeRefused')
  })

  it.each([
    [301, 'a redirect is never followed, so the address is wrong'],
    [302, 'as 301'],
    [307, 'as 301'],
    [401, 'the DSN is wrong, the envelope is not'],
    [403, 'as 401'],
    [404, 'the address is wrong, the envelope is not'],
  ])('%i leaves it pending and refuses the DSN: %s', (status) => {
    expect(deliveryStatus(status)).toBe('dsnRefused')
    expect(deliveryStatus(status, '60:error:key')).toBe('dsnRefused')
  })

  it.each([
    [408, 'it came too slowly'],
    [502, 'a proxy has nobody behind it'],
    [503, 'it is overloaded'],
    [504, 'a proxy gave up'],
    [520, 'a CDN has no answer from it'],
    [521, 'a CDN finds it down'],
    [522, 'a CDN does not reach it'],
    [523, 'as 522'],
    [524, 'a CDN waited for it'],
    [525, 'a CDN does not come to terms with it'],
    [526, 'as 525'],
    [527, 'as 525'],
    [529, 'it is overloaded'],
    [530, 'a CDN does not find it'],
    [598, 'a proxy waited for it'],
    [599, 'as 598'],
  ])('%i leaves it pending for a retry: %s', (status) => {
    expect(deliveryStatus(status)).toBe('unavailable')
    expect(deliveryStatus(status, '60:error:key')).toBe('unavailable')
  })

  it('an envelope without items is accepted even if every category is limited', () => {
    expect(deliveryStatus(200, '60::organization', [])).toBe('accepted')
  })

  it('a limit of another category accepts all items', () => {
    expect(deliveryStatus(200, '60:errors;ERROR:key')).toBe('accepted')
  })
})

describe('items that were left out of a post', () => {
  const cut = (item: number, reason = 'limited'): LeftOut => ({
    item,
    type: 'event',
    category: 'error',
    quantity: 1,
    reason,
  })

  it.each([
    [200, '', '0 rate_limited (limited), 1 accepted'],
    [200, '60:attachment:key', '0 rate_limited (limited), 1 rate_limited (upstream_200)'],
    [429, '', '0 rate_limited (limited), 1 rate_limited (upstream_429)'],
    [415, '', '0 rate_limited (limited), 1 invalid (upstream_415)'],
  ])('end as cut, also when the rest is answered %i with limits %j', (status, header, expected) => {
    expect(deliveryStatus(status, header, quantities, [cut(0)])).toBe(expected)
  })

  it('are undecided while the rest of the envelope is undecided', () => {
    expect([400, 403, 503].map((status) => deliveryStatus(status, '', quantities, [cut(0)]))).toEqual([
      'envelopeRefused',
      'dsnRefused',
      'unavailable',
    ])
  })

  it('can be all items: each ends with its own reason', () => {
    expect(decisionOfCut([cut(0), cut(1, 'depends_on_limited')])).toEqual([
      { item: 0, outcome: 'rate_limited', reason: 'limited' },
      { item: 1, outcome: 'rate_limited', reason: 'depends_on_limited' },
    ])
  })
})

describe('the limits in an answer', () => {
  const reported = (status: number, rateLimits: string | null, retryAfter: string | null) =>
    limitsOfPost({ status, rateLimits, retryAfter }, 0).map(
      ({ seconds, categories }) => `${categories.join(';')} ${seconds}`,
    )

  it.each([200, 415, 429])('include Retry-After with %i as a limit of everything', (status) => {
    expect(reported(status, null, '7')).toEqual([' 7'])
  })

  it.each([302, 403, 408, 502, 503, 504, 522])(
    'a Retry-After with %i limits nothing: what stays pending has only to wait',
    (status) => {
      expect(reported(status, null, '7')).toEqual([])
      expect(reported(status, '60:error:key', '7')).toEqual(['error 60'])
    },
  )

  it.each([400, 413, 500, 501])(
    'a Retry-After with %i limits nothing: it speaks of this envelope and no other',
    (status) => {
      expect(reported(status, null, '7')).toEqual([])
      expect(reported(status, '60:error:key', '7')).toEqual(['error 60'])
    },
  )
})
