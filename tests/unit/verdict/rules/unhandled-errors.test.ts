import { describe, expect, it } from 'vitest'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import { type Came, caseFrom, clientReportOf, drawn, eventOf, failing, TRACE, transactionOf } from './sample-evidence'

const judge = (...came: readonly Came[]) => unhandledErrorsRule.judge(caseFrom(...came))
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

describe('the unhandled-errors rule', () => {
  it('passes if every error was handled', () => {
    expect(judge(thrown(true))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes for an error without the field handled', () => {
    expect(judge(thrown(null))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes if telemetry without errors was recorded', () => {
    const pageload = transactionOf(drawn('pageload /cart  ===='))
    expect(judge(pageload)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails for an unhandled error', () => {
    expect(judge(thrown(true), thrown(false))).toEqual(
      failing(2, {
        about: 'TypeError: x is not a function',
        at: { seq: 2, item: 0, traceId: TRACE, eventId: 'e'.repeat(32), spanId: 'b'.repeat(16) },
        path: 'exception.values.mechanism.handled',
        actual: 'false, by onerror in browser',
        expected: 'true, or no error',
      }),
    )
  })

  it('fails for an unhandled error with an unnamed mechanism', () => {
    const values = [{ type: 'Error', value: 'boom', mechanism: { handled: false } }]
    expect(judge(eventOf({ exception: { values } }))).toMatchObject({
      findings: [{ actual: 'false, by an unnamed mechanism in browser' }],
    })
  })

  it('ignores copies', () => {
    expect(judge(thrown(true), { body: thrown(false), endpoint: 'stream' })).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is incomplete if an event cannot be parsed, unless another event is unhandled', () => {
    const broken = '{}\n{"type":"event"}\n{"exception":'
    expect(judge(thrown(true), broken)).toEqual({
      verdict: 'incomplete',
      why: 'The event in envelope 2 could not be parsed: the payload is not JSON.',
    })
    expect(judge(thrown(false), broken)).toMatchObject({ verdict: 'fail', found: 1 })
  })

  it.each([
    ['nothing was recorded', 'Nothing was recorded, so errors cannot be ruled out.', []],
    [
      'only a client report arrived',
      'Only copies and client reports were recorded, so errors cannot be ruled out.',
      [clientReportOf(['ratelimit_backoff', 'error', 3])],
    ],
  ])('is incomplete if %s', (_, why, bodies) => {
    expect(judge(...bodies)).toEqual({ verdict: 'incomplete', why })
  })
})
