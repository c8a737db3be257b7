import { describe, expect, it } from 'vitest'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import { caseFrom, eventOf } from '../rules/evidence-of'
import { PASS, report, ruleOf } from './report-of'

describe('an unexpected error', () => {
  const given = caseFrom(
    eventOf({
      exception: { values: [{ type: 'Error', value: 'boom', mechanism: { type: 'onerror', handled: false } }] },
    }),
  )

  it('fails, warns or is ignored, as the plan says', () => {
    expect(report([], {}, {}, given).verdict).toBe('fail')
    expect(report([], { errors: 'warn' }, {}, given).verdict).toBe('pass')
    expect(report([ruleOf('one', PASS)], { errors: 'ignore' }, {}, given).judged.map(({ id }) => id)).toEqual(['one'])
  })

  it('that is allowed passes however often it came', () => {
    const came = Array.from({ length: 60 }, (_, index) =>
      eventOf({
        event_id: index.toString(16).padStart(32, '0'),
        exception: { values: [{ type: 'Error', value: 'boom', mechanism: { type: 'onerror', handled: false } }] },
      }),
    )
    expect(report([unhandledErrorsRule], { allow: [{ error: 'boom' }] }, {}, caseFrom(...came))).toMatchObject({
      verdict: 'pass',
      known: 60,
    })
  })

  it('that is allowed is none that nobody handled, either, and is counted as known', () => {
    const rules = [unhandledErrorsRule]
    expect(report(rules, { errors: 'warn' }, {}, given).verdict).toBe('fail')
    const allow = [{ error: 'boom', until: '2999-01-01', why: '#12' }]
    const knownFailures = [{ id: 'errors', count: 1, by: 'the allowlist: #12, until 2999-01-01' }]
    expect(report(rules, { allow }, {}, given)).toMatchObject({ verdict: 'pass', known: 1, knownFailures })
    const beside = [...rules, ruleOf('one', PASS)]
    expect(report(beside, { allow, errors: 'ignore' }, {}, given)).toMatchObject({
      verdict: 'pass',
      known: 1,
      knownFailures,
    })
    expect(report([ruleOf('one', PASS)], { allow: [{ error: 'boom' }], errors: 'ignore' }, {}, given).known).toBe(0)
    expect(report(rules, { allow: [{ error: 'boom', until: '2026-11-20' }] }, {}, given)).toMatchObject({
      verdict: 'fail',
      known: 0,
    })
  })
})
