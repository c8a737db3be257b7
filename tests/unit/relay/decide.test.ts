import { describe, expect, it } from 'vitest'
import { decide } from '../../../collector/relay/decide'
import { EVERY_ITEM } from '../../../collector/spool/submission'
import { parseRateLimits } from '../../../lib/protocol/rate-limits'

const quantities = [
  { category: 'error', quantity: 1 },
  { category: 'attachment', quantity: 1 },
]

/** In short: `waits`, or the outcome of all items, or of each. */
function fate(status: number, header = '', of = quantities): string {
  const verdict = decide(status, parseRateLimits(header), of)
  if (!verdict.final) return 'waits'
  return verdict.decision
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
    [200, '60:error;attachment:key', '0 rate_limited (upstream_200), 1 rate_limited (upstream_200)'],
    [200, '60::organization', '0 rate_limited (upstream_200), 1 rate_limited (upstream_200)'],
    [200, '0::organization', 'accepted'],
    [429, '', 'rate_limited (upstream_429)'],
    [429, '60:transaction:key', 'rate_limited (upstream_429)'],
    [400, '', 'invalid (upstream_400)'],
    [413, '', 'invalid (upstream_413)'],
    [413, '60:error:key', 'invalid (upstream_413)'],
    [415, '', 'invalid (upstream_415)'],
    [422, '', 'invalid (upstream_422)'],
  ])('%i with limits %j settles it: %s', (status, header, expected) => {
    expect(fate(status, header)).toBe(expected)
  })

  it.each([
    [301, 'a redirect is never followed, so the address is wrong'],
    [302, 'as 301'],
    [307, 'as 301'],
    [401, 'the DSN is wrong, the envelope is not'],
    [403, 'as 401'],
    [404, 'the address is wrong, the envelope is not'],
    [408, 'it came too slowly'],
    [502, 'a proxy has nobody behind it'],
    [503, 'it is overloaded'],
    [504, 'a proxy gave up'],
  ])('%i leaves it owed: %s', (status) => {
    expect(fate(status)).toBe('waits')
    expect(fate(status, '60:error:key')).toBe('waits')
  })

  it('to an envelope without items is accepted, whatever is limited', () => {
    expect(fate(200, '60::organization', [])).toBe('accepted')
  })

  it('that limits a category of no item here accepts all', () => {
    expect(fate(200, '60:errors;ERROR:key')).toBe('accepted')
  })
})
