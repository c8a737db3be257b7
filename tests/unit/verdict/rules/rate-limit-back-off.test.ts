import { describe, expect, it } from 'vitest'
import { rateLimitBackOffRule } from '../../../../lib/verdict/rules/rate-limit-back-off'
import type { PageLimit } from '../../../../lib/verdict/rules/rule'
import { BEGIN_S, caseOf, drawn, eventOf, evidenceOf, transactionOf } from './sample-evidence'

const PAGE = '8b1f3c52-aaaa-4bbb-8ccc-ddddeeeeffff'
const toldPage = (given: Partial<PageLimit> = {}): PageLimit => ({
  page: PAGE,
  category: 'transaction',
  sentAt: BEGIN_S * 1000,
  until: BEGIN_S * 1000 + 60_000,
  violated: null,
  verdict: 'obeyed',
  ...given,
})
const LOAD = transactionOf(drawn('pageload /checkout  ====='))
/** A transaction of the page, then an error and another transaction of it in one envelope. */
const evidence = evidenceOf(
  { body: LOAD, page: PAGE },
  { body: `${eventOf()}\n${LOAD.split('\n').slice(1).join('\n')}`, page: PAGE },
)
const judge = (pages: readonly PageLimit[], unnamed = 0) =>
  rateLimitBackOffRule.judge(caseOf({ evidence, limits: { pages, unnamed } }))

describe('the rate-limit back-off', () => {
  it('holds for a page that sent nothing while it was limited', () => {
    expect(judge([toldPage()])).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('does not hold for a page that sent what was limited', () => {
    expect(judge([toldPage({ verdict: 'violated', violated: { seq: 2, afterMs: 1200 } })])).toEqual({
      verdict: 'fail',
      judged: 1,
      found: 1,
      findings: [
        {
          about: 'page 8b1f3c52, told a limit of transaction',
          at: { seq: 2, item: 1, traceId: 'a'.repeat(32), eventId: null },
          path: '',
          actual: 'one came 1.2 s after it was told',
          expected: 'none for 60 s, until the limit ends',
        },
      ],
    })
  })

  it('cannot be judged while the limit runs', () => {
    const why = 'A page was told a limit that still runs: whether it keeps to it shows when it ends.'
    expect(judge([toldPage({ verdict: 'waiting' })])).toEqual({ verdict: 'incomplete', why })
  })

  it('is not judged by the pages of others', () => {
    const other = toldPage({ page: 'other', verdict: 'violated', violated: { seq: 9, afterMs: 1 } })
    expect(judge([other])).toEqual({ verdict: 'incomplete', why: 'No page was told a limit.' })
  })

  it('cannot be judged of clients that name no page', () => {
    const why =
      'No page of these was told a limit. 2 answers told one to clients without the header x-waystation-page, which cannot be judged.'
    expect(judge([], 2)).toEqual({ verdict: 'incomplete', why })
  })

  it('cannot be judged where the collector was not asked', () => {
    const why = 'The collector was not asked what pages it told a limit.'
    expect(rateLimitBackOffRule.judge(caseOf({ evidence }))).toEqual({ verdict: 'incomplete', why })
  })
})
