import { describe, expect, it } from 'vitest'
import { rateLimitBackOffRule } from '../../../../lib/verdict/rules/rate-limit-back-off'
import type { PageLimit } from '../../../../lib/verdict/rules/rule'
import { BEGIN_S, caseOf, drawn, eventOf, evidenceOf, failing, transactionOf } from './sample-evidence'

const PAGE = '8b1f3c52-aaaa-4bbb-8ccc-ddddeeeeffff'
const limitedPage = (given: Partial<PageLimit> = {}): PageLimit => ({
  page: PAGE,
  category: 'transaction',
  sentAt: BEGIN_S * 1000,
  until: BEGIN_S * 1000 + 60_000,
  violated: null,
  verdict: 'obeyed',
  ...given,
})
const LOAD = transactionOf(drawn('pageload /checkout  ====='))
/** A transaction of the page, then an envelope with an error and a transaction. */
const evidence = evidenceOf(
  { body: LOAD, page: PAGE },
  { body: `${eventOf()}\n${LOAD.split('\n').slice(1).join('\n')}`, page: PAGE },
)
const judge = (pages: readonly PageLimit[], unnamed = 0) =>
  rateLimitBackOffRule.judge(caseOf({ evidence, pageLimits: { pages, unnamed } }))

describe('the rate-limit-back-off rule', () => {
  it('passes for a page that sent nothing during its limit', () => {
    expect(judge([limitedPage()])).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails for a page that sent a limited category', () => {
    expect(judge([limitedPage({ verdict: 'violated', violated: { seq: 2, afterMs: 1200 } })])).toEqual(
      failing(1, {
        about: 'page 8b1f3c52, limited for transaction',
        at: { seq: 2, item: 1, traceId: 'a'.repeat(32), eventId: null },
        path: '',
        actual: 'an envelope 1.2 s after the limit was sent',
        expected: 'none for 1 min, until the limit ends',
      }),
    )
  })

  it('is incomplete while the limit is active', () => {
    const why = 'The rate limit of a page is still active and was not violated so far.'
    expect(judge([limitedPage({ verdict: 'waiting' })])).toEqual({ verdict: 'incomplete', why })
  })

  it('ignores pages without evidence', () => {
    const other = limitedPage({ page: 'other', verdict: 'violated', violated: { seq: 9, afterMs: 1 } })
    expect(judge([other])).toEqual({ verdict: 'incomplete', why: 'No page was sent a rate limit.' })
  })

  it('is incomplete for clients without a page header', () => {
    const why =
      'No page was sent a rate limit. 2 limits went to clients without the header x-waystation-page, which cannot be checked.'
    expect(judge([], 2)).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete without limits from the collector', () => {
    const why = 'The rate limits of pages were not read from the collector.'
    expect(rateLimitBackOffRule.judge(caseOf({ evidence }))).toEqual({ verdict: 'incomplete', why })
  })
})
