import { describe, expect, it } from 'vitest'
import { leaksNothing } from '../../../../lib/kit/matchers/to-leak-nothing'
import { backsOff } from '../../../../lib/verdict/expectations/back-off'
import type { PageLimit } from '../../../../lib/verdict/rules/rule'
import { NO_BOARDS } from '../../../../lib/verdict/verdict'
import { caseFrom, caseOf, drawn, envelopeOf, eventOf, evidenceOf, transactionOf } from '../rules/sample-evidence'

const pageLimit = (given: Partial<PageLimit> = {}): PageLimit => ({
  page: 'p1',
  category: 'error',
  sentAt: 1000,
  until: 61_000,
  violated: null,
  verdict: 'obeyed',
  ...given,
})
const judge = (pages: readonly PageLimit[], category = 'error', page: string | null = 'p1') =>
  backsOff({ evidence: evidenceOf({ body: eventOf(), page }), pageLimits: { pages, unnamed: 5 } }, category, NO_BOARDS)
const LIMIT_ADVICE = 'a page receives a limit with the answer to its next post after the refused one'
const NOT_SENT = `no page was sent a rate limit for error; ${LIMIT_ADVICE}`

describe('a rate limit', () => {
  it('passes if the page obeyed it', () => {
    const { verdict, negatedMessage } = judge([pageLimit()])
    expect(verdict).toEqual({ verdict: 'pass', judged: 1 })
    expect(negatedMessage).toBe('1 page obeyed the rate limit for error; expected a violation')
  })

  it('a limit of all categories is reported with the category that violated it', () => {
    const violated = pageLimit({ category: 'all', violated: { seq: 1, afterMs: 1500 }, verdict: 'violated' })
    const answer = judge([violated], 'transaction')
    expect(answer.message).toContain('1 page sent error while all was limited')
    expect(answer.verdict).toMatchObject({ findings: [{ actual: 'error 1.5 s after the limit was sent' }] })
  })

  it('a limit of all categories includes each category', () => {
    expect(judge([pageLimit({ category: 'all' })]).verdict.verdict).toBe('pass')
  })

  it('is reported with the violating item, or the limited category if the item is missing', () => {
    const LOAD = transactionOf(drawn('pageload /  ='))
    const evidence = evidenceOf(
      { body: eventOf(), page: 'p1' },
      { body: `${LOAD}\n${eventOf().split('\n').slice(1).join('\n')}`, page: 'p1' },
    )
    const verdictOn = (seq: number) =>
      backsOff(
        {
          evidence,
          pageLimits: { pages: [pageLimit({ violated: { seq, afterMs: 1500 }, verdict: 'violated' })], unnamed: 0 },
        },
        'error',
        NO_BOARDS,
      ).verdict
    expect(verdictOn(2)).toMatchObject({
      findings: [{ at: { seq: 2, item: 1 }, actual: 'error 1.5 s after the limit was sent' }],
    })
    expect(verdictOn(9)).toMatchObject({
      findings: [{ at: { seq: 9, item: 0 }, actual: 'error 1.5 s after the limit was sent' }],
    })
  })

  it('a limit of a category that contains the requested one counts too', () => {
    const log = evidenceOf({ body: envelopeOf({}, [{ type: 'log' }, {}]), page: 'p1' })
    const limits = { pages: [pageLimit({ category: 'log_byte' })], unnamed: 0 }
    expect(backsOff({ evidence: log, pageLimits: limits }, 'log_item', NO_BOARDS).verdict.verdict).toBe('pass')
    const violated = pageLimit({ category: 'log_byte', violated: { seq: 1, afterMs: 1500 }, verdict: 'violated' })
    expect(
      backsOff({ evidence: log, pageLimits: { ...limits, pages: [violated] } }, 'log_item', NO_BOARDS).message,
    ).toContain('1 page sent log_item while log_byte was limited')
  })

  it('fails if the page violated it, with category and delay', () => {
    const violated = pageLimit({ violated: { seq: 1, afterMs: 1500 }, verdict: 'violated' })
    const answer = judge([pageLimit({ verdict: 'waiting' }), violated])
    expect(answer.verdict).toMatchObject({ verdict: 'fail', judged: 2, found: 1 })
    expect(answer.message).toBe(
      `1 page sent error while it was limited

page p1 (envelope 1, item 0)
  expected none for 1 min, got error 1.5 s after the limit was sent`,
    )
  })

  it.each<[string, readonly PageLimit[], string]>([
    [
      'is still active',
      [pageLimit({ verdict: 'waiting' })],
      'a rate limit for error is still active and was not violated so far; wait for its end, or use a shorter limit',
    ],
    ['was sent to no page', [], NOT_SENT],
    ['was sent to a page of another test', [pageLimit({ page: 'p2' })], NOT_SENT],
    ['was sent for another category', [pageLimit({ category: 'span' })], NOT_SENT],
  ])('is incomplete if it %s', (_what, pages, why) => {
    expect(judge(pages)).toMatchObject({ verdict: { verdict: 'incomplete', why }, message: why })
  })

  it('is incomplete for a client without a page header, and names the header to set', () => {
    expect(judge([], 'error', null).message).toBe(
      "no page was sent a rate limit for error; 1 of 1 envelope has no page header, so limits cannot be checked; set transportOptions: { headers: { 'x-waystation-page': crypto.randomUUID() } } in its Sentry.init (stampHeaders() of waystation/vitest has it)",
    )
  })

  it('counts only the envelopes of pages, not those of their servers', () => {
    const origin = 'http://localhost:3000'
    const server = { body: eventOf(), page: null }
    const messageOf = (...pages: readonly (string | null)[]) => {
      const evidence = evidenceOf(server, ...pages.map((page) => ({ body: eventOf(), page, origin })), server)
      return backsOff({ evidence, pageLimits: { pages: [], unnamed: 0 } }, 'error', NO_BOARDS).message
    }
    expect(messageOf('p1')).toBe(NOT_SENT)
    expect(messageOf('p1', null)).toContain('1 of 2 envelopes of pages has no page header')
  })

  it('is incomplete without items of the category, and names the categories that arrived', () => {
    expect(judge([], 'transaction').message).toBe(
      'no page was sent a rate limit for transaction; no transaction arrived, only error',
    )
  })

  it('is incomplete if limits were not read', () => {
    expect(backsOff(caseOf(), 'error', NO_BOARDS).message).toBe(
      'the rate limits of pages were not read from the collector',
    )
  })

  it('rejects an unknown category with a suggestion', () => {
    expect(() => judge([], 'errors')).toThrow(
      new TypeError('toBackOff: the category must be a data category, got "errors"; did you mean error?'),
    )
  })
})

it('a leak is reported by rule and path, never by value', () => {
  const secret = 'jane.doe@example.com'
  const { verdict, message } = leaksNothing(caseFrom(eventOf({ message: `mail to ${secret}` })), NO_BOARDS)
  expect(verdict.verdict).toBe('fail')
  expect(message).toContain('message')
  expect(message).not.toContain('jane')
})

it('a leak is not reported without secrets', () => {
  const { verdict, negatedMessage } = leaksNothing(caseFrom(eventOf()), NO_BOARDS)
  expect(verdict.verdict).toBe('pass')
  expect(negatedMessage).toBe('no secrets were sent; expected some')
})
