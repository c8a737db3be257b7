import { describe, expect, it } from 'vitest'
import {
  accountParts,
  asSentence,
  BOOK_COLUMNS,
  inOrder,
  isBlank,
  sinceText,
  totalOf,
  unexplainedIn,
} from '../../../dashboards/losses/ledger-columns'
import { BY_TEXT, lossReason, lossUnit, lostEnvelopesHref } from '../../../dashboards/losses/loss-reasons'
import { type LedgerRow, LOST_BY, type Losses, ledgerRowSchema } from '../../../lib/wire/losses'
import { bookOf, lossesOf } from '../verdict/expectations/sample-losses'

const book = (category: string, more: Partial<LedgerRow> = {}): LedgerRow => bookOf({ category, ...more })

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
    expect(unexplainedIn([book('a', { unexplained: 2 }), book('b', { unexplained: -2 })])).toBe(4)
    expect(unexplainedIn([book('a')])).toBe(0)
  })

  it('has a sentence that begins large and ends', () => {
    expect(asSentence('made 1, accepted 1, lost 0')).toBe('Made 1, accepted 1, lost 0.')
    expect(asSentence('Done.')).toBe('Done.')
  })

  it('says since when it counts', () => {
    expect(sinceText(null)).toMatch(/^Counted since this data folder was made;/)
    expect(sinceText('ci-7')).toMatch(/^Counted since the first record with this stamp came;/)
  })

  it('is blank where nothing was made and nothing refused', () => {
    expect(isBlank({ made: 0, losses: [] })).toBe(true)
    expect(isBlank(losses)).toBe(false)
    expect(isBlank({ made: 0, losses: [{ by: 'endpoint', reason: 'full', category: null, quantity: 1 }] })).toBe(false)
  })
})

describe('the books', () => {
  it('have a column, a name and a meaning for every amount of a book', () => {
    const amounts = Object.keys(ledgerRowSchema.shape).filter((name) => name !== 'category')
    expect(BOOK_COLUMNS.map(({ amount }) => amount).sort()).toEqual(amounts.sort())
    for (const { name, meaning } of BOOK_COLUMNS) expect([name, means]).toEqual([name, expect.stringMatching(/\w.*\.$/)])
  })

  it('add up', () => {
    const total = totalOf([book('span', { made: 5, received: 3 }), book('error', { made: 2, received: 2 })])
    expect([total.made, total.received, total.expired]).toEqual([7, 5, 0])
  })

  it('add up without client reports, as the account does, but for what is unexplained', () => {
    const total = totalOf([book('error', { made: 2 }), book('internal', { made: 3, received: 3, unexplained: 1 })])
    expect([total.made, total.received, total.unexplained]).toEqual([2, 0, 1])
  })

  it('sum up by how much they are wrong, whichever way', () => {
    const total = totalOf([book('a', { unexplained: 2 }), book('b', { unexplained: -2 })])
    expect(total.unexplained).toBe(4)
  })

  it('begin with what is unexplained, then with what most was made of', () => {
    const books = [
      book('b', { made: 1 }),
      book('a', { made: 1 }),
      book('c', { made: 9 }),
      book('d', { unexplained: 1 }),
      book('e', { unexplained: -2 }),
    ]
    expect(inOrder(books).map(({ category }) => category)).toEqual(['e', 'd', 'c', 'a', 'b'])
  })
})

describe('a loss', () => {
  it.each(LOST_BY.map((by) => [by] as const))('by %s says who that is', (by) => {
    expect(BY_TEXT[by].word).not.toBe('')
  })

  it.each([
    ['sdk', 'ratelimit_backoff', /told of a limit/],
    ['sdk', 'of_tomorrow', /^of tomorrow$/],
    ['waystation', 'limited', /upstream limits/],
    ['waystation', 'backlog_full', /share of the disk/],
    ['upstream', 'upstream_413', /answered 413/],
    ['person', 'dead_letter', /dropped instead/],
    ['person', 'cleared', /while it was still pending/],
    ['waystation', 'undelivered_for_24_h', /within 24 hours/],
    ['endpoint', 'unknown_project', /use the local DSN of the home page/],
  ] as const)('by %s for %s has its reason in words', (by, reason, words) => {
    expect(lossReason({ by, reason })).toMatch(words)
  })

  it.each([
    ['waystation', 'limited', 'error', 'delivery=rate_limited&type=event'],
    ['waystation', 'depends_on_limited', 'attachment', 'delivery=rate_limited&type=attachment'],
    ['waystation', 'unscrubbed', 'nobody_knows', 'delivery=filtered&type=nobody_knows'],
    ['waystation', 'backlog_full', 'span', 'delivery=overflow&type=span'],
    ['waystation', 'undelivered_for_24_h', 'log_item', 'delivery=expired&type=log'],
    ['waystation', 'damaged_record', 'replay', 'delivery=invalid'],
    ['upstream', 'upstream_429', 'error', 'delivery=rate_limited&type=event'],
    ['upstream', 'upstream_200', 'error', 'delivery=rate_limited&type=event'],
    ['upstream', 'upstream_413', 'attachment', 'delivery=invalid&type=attachment'],
    ['person', 'cleared', 'session', 'delivery=dropped'],
  ] as const)('by %s for %s of %s leads to the envelopes it was in', (by, reason, category, query) => {
    expect(lostEnvelopesHref({ by, reason, category }, null)).toBe(`/deliveries?${query}`)
    expect(lostEnvelopesHref({ by, reason, category }, 'ci-7')).toBe(`/deliveries?${query}&stamp=ci-7`)
  })

  it.each([
    ['sdk', 'ratelimit_backoff', 'error'],
    ['endpoint', 'unknown_project', null],
    ['waystation', 'of_tomorrow', 'error'],
  ] as const)('by %s for %s leads nowhere: no record tells of it', (by, reason, category) => {
    expect(lostEnvelopesHref({ by, reason, category }, null)).toBeNull()
  })

  it('at the endpoint counts envelopes, elsewhere its category', () => {
    expect(lossUnit({ category: null, quantity: 1 })).toBe('envelope')
    expect(lossUnit({ category: null, quantity: 2 })).toBe('envelopes')
    expect(lossUnit({ category: 'span', quantity: 2 })).toBe('span')
  })
})
