import { describe, expect, it } from 'vitest'
import type { LimitedTest } from '../../../../lib/verdict/expectations/limited-tests'
import type { Loss } from '../../../../lib/wire/losses'
import { caseFrom, clientReportOf, eventOf } from '../rules/sample-evidence'
import { lossesOf } from './sample-losses'
import { PASS, report, ruleOf } from './sample-report'

const lost = (by: Loss['by'], reason: string, quantity: number): Loss => ({ by, reason, category: 'error', quantity })
const test = (...losses: readonly Loss[]): LimitedTest => ({
  test: 'the test backs off (cart.spec.ts:11)',
  stamp: 'cart-11',
  losses: lossesOf({ stamp: 'cart-11', losses: [...losses] }),
})
const LIMITED = [lost('sdk', 'ratelimit_backoff', 2), lost('upstream', 'upstream_429', 1)]
const RULES = [ruleOf('orphans', PASS)]

describe('losses of a test that set a rate limit', () => {
  it('are not lost for the run, and the report names the test', () => {
    const losses = lossesOf({ made: 9, accepted: 6, losses: LIMITED })
    const { verdict, known, knownFailures } = report(RULES, {}, { losses, limited: [test(...LIMITED)] })
    expect(verdict).toBe('pass')
    expect({ known, knownFailures }).toEqual({
      known: 1,
      knownFailures: [
        {
          id: 'losses',
          about: '3 error lost to a rate limit',
          count: 1,
          by: 'set by the test backs off (cart.spec.ts:11)',
        },
      ],
    })
    expect(report(RULES, {}, { losses }).verdict).toBe('fail')
  })

  it('fail the run if other telemetry was limited too, or for another reason', () => {
    const other = lost('sdk', 'queue_overflow', 4)
    const losses = lossesOf({ made: 9, losses: [lost('sdk', 'ratelimit_backoff', 5), other] })
    const { judged } = report(RULES, {}, { losses, limited: [test(lost('sdk', 'ratelimit_backoff', 2), other)] })
    expect(judged.find(({ id }) => id === 'losses')?.verdict).toMatchObject({
      findings: [{ actual: '3 discarded by the SDK' }, { actual: expect.stringMatching(/^4 discarded by the SDK: /) }],
    })
  })

  it('do not hide errors from the checks of errors, unlike those of other tests', () => {
    const reported = { body: clientReportOf(['ratelimit_backoff', 'error', 1]), stamp: 'cart-11' }
    const given = caseFrom(eventOf({ level: 'info' }), reported)
    expect(report(RULES, {}, { limited: [test(...LIMITED)] }, given).verdict).toBe('pass')
    const others = caseFrom(eventOf({ level: 'info' }), { ...reported, stamp: 'cart-12' })
    expect(report(RULES, {}, { limited: [test(...LIMITED)] }, others).reasons.join()).toContain(
      '1 error was discarded by the SDK (ratelimit_backoff)',
    )
    const hooked = caseFrom(eventOf({ level: 'info' }), {
      ...reported,
      body: clientReportOf(['before_send', 'error', 1]),
    })
    expect(report(RULES, {}, { limited: [test(...LIMITED)] }, hooked).verdict).toBe('incomplete')
  })
})
