import { describe, expect, it } from 'vitest'
import {
  accountParts,
  inOrder,
  isBlank,
  LEDGER_COLUMNS,
  sinceText,
  totalOf,
  unexplainedIn,
} from '../../../dashboards/losses/ledger-columns'
import { BY_TEXT, lossReason, lossUnit, lostEnvelopesHref } from '../../../dashboards/losses/loss-reasons'
import { asSentence } from '../../../dashboards/ui/status-text'
import { type LedgerRow, LOST_BY, type Losses, ledgerRowSchema } from '../../../lib/wire/losses'
import { ledgerRowOf, lossesOf } from '../verdict/expectations/sample-losses'

const row = (category: string, more: Partial<LedgerRow> = {}): LedgerRow => ledgerRowOf({ category, ...more })

const losses = lossesOf({
  journal: 1,
  made: 214,
  accepted: 201,
  lost: 13,
  sentence: 'made 214, accepted 201, lost 13: 9 ratelimit_backoff of span, 4 upstream_413 of attachment',
})

const line = (of: Losses): string =>
  accountParts(of)
    .map(({ amount, quantity, sign }) => `${sign ?? ''} ${quantity} ${amount}`.trim())
    .join(' ')

describe('the account', () => {
  it('is an equation', () => {
    expect(line(losses)).toBe('214 made = 201 accepted + 13 lost')
    expect(line({ ...losses, made: 215, kept: 1 })).toBe('215 made = 201 accepted + 1 kept + 13 lost')
    expect(line({ ...losses, made: 5, accepted: 0, kept: 5, lost: 0 })).toBe('5 made = 5 kept + 0 lost')
    expect(line({ ...losses, made: 0, accepted: 0, lost: 0 })).toBe('0 made = 0 accepted + 0 lost')
  })

  it('names what is unexplained, also where it is less than nothing', () => {
    expect(line({ ...losses, made: 212, unexplained: -2 })).toBe('212 made = 201 accepted + 13 lost + -2 unexplained')
  })

  it('does not weigh one mistake against another', () => {
    expect(unexplainedIn([row('a', { unexplained: 2 }), row('b', { unexplained: -2 })])).toBe(4)
    expect(unexplainedIn([row('a')])).toBe(0)
  })

  it('has a sentence that begins large and ends', () => {
    expect(asSentence('made 1, accepted 1, lost 0')).toBe('Made 1, accepted 1, lost 0.')
    expect(asSentence('Done.')).toBe('Done.')
  })

  it('says when counting started', () => {
    expect(sinceText(null)).toMatch(/^Counted since this data folder was created;/)
    expect(sinceText('ci-7')).toMatch(/^Counted since the first record with this stamp;/)
  })

  it('is blank when nothing was made and nothing refused', () => {
    expect(isBlank({ made: 0, losses: [] })).toBe(true)
    expect(isBlank(losses)).toBe(false)
    expect(isBlank({ made: 0, losses: [{ by: 'endpoint', reason: 'full', category: null, quantity: 1 }] })).toBe(false)
  })
})

describe('the ledger', () => {
  it('has a column, a name and a meaning for every amount', () => {
    const amounts = Object.keys(ledgerRowSchema.shape).filter((name) => name !== 'category')
    expect(LEDGER_COLUMNS.map(({ amount }) => amount).sort()).toEqual(amounts.sort())
    for (const { name, meaning } of LEDGER_COLUMNS)
      expect([name, meaning]).toEqual([name, expect.stringMatching(/\w.*\.$/)])
  })

  it('adds up', () => {
    const total = totalOf([row('span', { made: 5, received: 3 }), row('error', { made: 2, received: 2 })])
    expect([total.made, total.received, total.expired]).toEqual([7, 5, 0])
  })

  it('adds up without client reports, except for unexplained amounts', () => {
    const total = totalOf([row('error', { made: 2 }), row('internal', { made: 3, received: 3, unexplained: 1 })])
    expect([total.made, total.received, total.unexplained]).toEqual([2, 0, 1])
  })

  it('adds unexplained amounts as absolute values', () => {
    const total = totalOf([row('a', { unexplained: 2 }), row('b', { unexplained: -2 })])
    expect(total.unexplained).toBe(4)
  })

  it('starts with unexplained categories, then the largest', () => {
    const rows = [
      row('b', { made: 1 }),
      row('a', { made: 1 }),
      row('c', { made: 9 }),
      row('d', { unexplained: 1 }),
      row('e', { unexplained: -2 }),
    ]
    expect(inOrder(rows).map(({ category }) => category)).toEqual(['e', 'd', 'c', 'a', 'b'])
  })
})

describe('a loss', () => {
  it.each(LOST_BY.map((by) => [by] as const))('by %s has a word for who lost it', (by) => {
    expect(BY_TEXT[by].word).not.toBe('')
  })

  it.each([
    ['sdk', 'ratelimit_backoff', /obeyed a rate limit/],
    ['sdk', 'of_tomorrow', /^of tomorrow$/],
    ['waystation', 'limited', /upstream limits/],
    ['waystation', 'backlog_full', /share of the disk/],
    ['upstream', 'upstream_413', /answered 413/],
    ['person', 'dead_letter', /was dropped/],
    ['person', 'cleared', /cleared while pending/],
    ['waystation', 'undelivered_for_24_h', /within 24 hours/],
    ['endpoint', 'unknown_project', /use the local DSN of the home page/],
  ] as const)('by %s for %s has its reason as text', (by, reason, words) => {
    expect(lossReason({ by, reason })).toMatch(words)
  })

  it.each([
    ['waystation', 'limited', 'error', 'delivery=rate_limited&type=event'],
    ['waystation', 'depends_on_limited', 'attachment', 'delivery=rate_limited&type=attachment'],
    ['waystation', 'unscrubbed', 'nobody_knows', 'delivery=filtered&type=nobody_knows'],
    ['waystation', 'backlog_full', 'span', 'delivery=overflow'],
    ['waystation', 'undelivered_for_24_h', 'log_item', 'delivery=expired'],
    ['waystation', 'damaged_record', 'replay', 'delivery=invalid'],
    ['upstream', 'upstream_429', 'error', 'delivery=rate_limited&type=event'],
    ['upstream', 'upstream_200', 'error', 'delivery=rate_limited&type=event'],
    ['upstream', 'upstream_413', 'attachment', 'delivery=invalid&type=attachment'],
    ['person', 'cleared', 'session', 'delivery=dropped'],
  ] as const)('by %s for %s of %s links to its envelopes', (by, reason, category, query) => {
    expect(lostEnvelopesHref({ by, reason, category }, null)).toBe(`/deliveries?${query}`)
    expect(lostEnvelopesHref({ by, reason, category }, 'ci-7')).toBe(`/deliveries?${query}&stamp=ci-7`)
  })

  it.each([
    ['sdk', 'ratelimit_backoff', 'error'],
    ['endpoint', 'unknown_project', null],
    ['waystation', 'of_tomorrow', 'error'],
  ] as const)('by %s for %s has no link, because no record exists', (by, reason, category) => {
    expect(lostEnvelopesHref({ by, reason, category }, null)).toBeNull()
  })

  it('counts envelopes on arrival, and its category elsewhere', () => {
    expect(lossUnit({ category: null, quantity: 1 })).toBe('envelope')
    expect(lossUnit({ category: null, quantity: 2 })).toBe('envelopes')
    expect(lossUnit({ category: 'span', quantity: 2 })).toBe('span')
  })
})
