import { describe, expect, it } from 'vitest'
import { finalTimeoutRule } from '../../../../lib/verdict/rules/final-timeout'
import { caseFrom, containerOf, drawn, transactionOf } from './sample-evidence'

/** A column is a second. */
const SECOND = 1000
const judge = (...bodies: string[]) => finalTimeoutRule.judge(caseFrom(...bodies))

describe('the final time-out', () => {
  it('holds for a pageload of 30 s, and of one more that SDK 7 grants its last child', () => {
    const exact = transactionOf(drawn('pageload /poll  ==============================', SECOND))
    const margin = containerOf(drawn('navigation /poll  ===============================', SECOND), { ids: '7' })
    expect(judge(exact, margin)).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('does not hold for one that lasted longer', () => {
    expect(judge(containerOf(drawn('pageload /poll  ===================================', SECOND)))).toEqual({
      verdict: 'fail',
      judged: 1,
      found: 1,
      findings: [
        {
          about: 'pageload /poll',
          at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
          path: 'end_timestamp',
          actual: 'it lasted 35 s',
          expected: 'at most 30 s',
        },
      ],
    })
  })

  it('cannot be judged without a pageload or navigation', () => {
    const request = transactionOf(drawn('http.server GET  =================================', SECOND), {
      service: 'server',
    })
    expect(judge(request)).toEqual({ verdict: 'incomplete', why: 'No pageload or navigation was recorded.' })
  })
})
