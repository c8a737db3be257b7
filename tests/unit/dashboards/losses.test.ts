import { describe, expect, it } from 'vitest'
import {
  chosenRow,
  inOrder,
  isBlank,
  LEDGER_COLUMNS,
  sinceText,
  unexplainedText,
} from '../../../dashboards/losses/ledger-columns'
import { lostEnvelopesHref } from '../../../dashboards/losses/lost-envelopes'
import { BY_TEXT, lossReason, lossUnit } from '../../../lib/wire/loss-text'
import { type LedgerRow, LOST_BY, ledgerRowSchema } from '../../../lib/wire/losses'
import { asSentence } from '../../../lib/wire/status-text'
import { ledgerRowOf } from '../verdict/expectations/sample-losses'

const row = (category: string, more: Partial<LedgerRow> = {}): LedgerRow => ledgerRowOf({ category, ...more })

describe('the account', () => {
  it('shows the category of the address, else the first one with losses, else the first', () => {
    const rows = [row('error', { made: 2 }), row('span', { made: 14, lost: 9 }), row('log_item', { made: 4, lost: 4 })]
    expect(chosenRow(rows, 'log_item')?.category).toBe('log_item')
    expect(chosenRow(rows, null)?.category).toBe('span')
    expect(chosenRow(rows, 'nothing_of_it')?.category).toBe('span')
    expect(chosenRow(rows.slice(0, 1), null)?.category).toBe('error')
    expect(chosenRow([], 'error')).toBeNull()
  })

  it('names each category that does not balance', () => {
    expect(unexplainedText([row('error', { unexplained: 2 }), row('span', { unexplained: -2 })])).toBe(
      '2 error, -2 span',
    )
    expect(unexplainedText([row('error')])).toBe('')
  })

  it('has a sentence that begins large and ends', () => {
    expect(asSentence('made 1, accepted 1, lost 0')).toBe('Made 1, accepted 1, lost 0.')
    expect(asSentence('Done.')).toBe('Done.')
  })

  it('says when counting started', () => {
    expect(sinceText(null)).toMatch(/^Counted since the record began;/)
    expect(sinceText('ci-7')).toMatch(/^Counted since the first record with this stamp;/)
  })

  it('is blank when nothing was made and nothing refused', () => {
    expect(isBlank({ categories: [], losses: [] })).toBe(true)
    expect(isBlank({ categories: [row('internal', { made: 2 })], losses: [] })).toBe(true)
    expect(isBlank({ categories: [row('error', { made: 1 })], losses: [] })).toBe(false)
    expect(isBlank({ categories: [row('internal', { made: 2, unexplained: 1 })], losses: [] })).toBe(false)
    const refusal = { by: 'endpoint', reason: 'full', category: null, quantity: 1 } as const
    expect(isBlank({ categories: [], losses: [refusal] })).toBe(false)
  })
})

it('the ledger has a column, a name and a meaning for every amount', () => {
  const amounts = Object.keys(ledgerRowSchema.shape).filter((name) => name !== 'category')
  expect(LEDGER_COLUMNS.map(({ amount }) => amount).sort()).toEqual(amounts.sort())
  for (const { name, meaning } of LEDGER_COLUMNS)
    expect([name, meaning]).toEqual([name, expect.stringMatching(/\w.*\.$/)])
})

it('the ledger starts with unexplained categories, then the largest', () => {
  const rows = [
    row('b', { made: 1 }),
    row('a', { made: 1 }),
    row('c', { made: 9 }),
    row('d', { unexplained: 1 }),
    row('e', { unexplained: -2 }),
  ]
  expect(inOrder(rows).map(({ category }) => category)).toEqual(['e', 'd', 'c', 'a', 'b'])
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
    ['endpoint', 'unknown_project', /use the local DSN of the board Live/],
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
