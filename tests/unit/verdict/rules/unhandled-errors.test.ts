import { describe, expect, it } from 'vitest'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import { caseFrom, clientReportOf, drawn, eventOf, TRACE, transactionOf } from './sample-evidence'

const thrown = (handled: boolean | null): string =>
  eventOf({
    exception: {
      values: [
        {
          type: 'TypeError',
          value: 'x is not a function',
          mechanism: { type: 'onerror', ...(handled !== null && { handled }) },
        },
      ],
    },
  })

describe('unhandled errors', () => {
  it('pass where every error was caught', () => {
    expect(unhandledErrorsRule.judge(caseFrom(thrown(true)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('pass where an error does not say whether it was caught', () => {
    expect(unhandledErrorsRule.judge(caseFrom(thrown(null)))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('pass where something was recorded, and no error is in it', () => {
    const pageload = transactionOf(drawn('pageload /cart  ===='))
    expect(unhandledErrorsRule.judge(caseFrom(pageload))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fail by the one that nobody caught', () => {
    expect(unhandledErrorsRule.judge(caseFrom(thrown(true), thrown(false)))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: 'TypeError: x is not a function',
          at: { seq: 2, item: 0, traceId: TRACE, eventId: 'e'.repeat(32), spanId: 'b'.repeat(16) },
          path: 'exception.values.mechanism.handled',
          actual: 'false, by onerror in browser',
          expected: 'true, or no such error',
        },
      ],
    })
  })

  it('are told also where nobody says what caught them not', () => {
    const values = [{ type: 'Error', value: 'boom', mechanism: { handled: false } }]
    expect(unhandledErrorsRule.judge(caseFrom(eventOf({ exception: { values } })))).toMatchObject({
      findings: [{ actual: 'false, by a mechanism without a name in browser' }],
    })
  })

  it('of a copy are those of another path', () => {
    const given = caseFrom(thrown(true), { body: thrown(false), endpoint: 'stream' })
    expect(unhandledErrorsRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('are incomplete where an event could not be read, unless another was unhandled', () => {
    const broken = '{}\n{"type":"event"}\n{"exception":'
    expect(unhandledErrorsRule.judge(caseFrom(thrown(true), broken))).toEqual({
      verdict: 'incomplete',
      why: 'The event of envelope 2 could not be read: the payload is not JSON.',
    })
    expect(unhandledErrorsRule.judge(caseFrom(thrown(false), broken))).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it.each([
    ['nothing was recorded', 'Nothing was recorded, so that no error could be seen.', []],
    [
      'all that came is a report of what was not sent',
      'Of what was recorded nothing could have told of an error: copies and client reports cannot.',
      [clientReportOf(['ratelimit_backoff', 'error', 3])],
    ],
  ])('are incomplete where %s', (_, why, bodies) => {
    expect(unhandledErrorsRule.judge(caseFrom(...bodies))).toEqual({ verdict: 'incomplete', why })
  })
})
