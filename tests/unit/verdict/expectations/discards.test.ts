import { describe, expect, it } from 'vitest'
import type { CheckPlan } from '../../../../lib/verdict/expectations/check-plan'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import { type Came, caseFrom, clientReportOf, drawn, envelopeOf, eventOf, transactionOf } from '../rules/evidence-of'
import { report } from './report-of'

/** Something that could have told of an error, and of no span. */
const SESSION = envelopeOf({}, [{ type: 'session' }, { sid: 'a'.repeat(32), status: 'ok' }])
const PAGE = transactionOf(drawn('pageload /  ==='))

const judge = (plan: Partial<CheckPlan>, ...came: readonly Came[]) => {
  const { verdict, because, judged } = report([unhandledErrorsRule], plan, {}, caseFrom(...came))
  return { verdict, because, judged: judged.map((one) => `${one.id} ${one.verdict.verdict}`) }
}

describe('errors that were discarded', () => {
  const HOOKED = clientReportOf(['before_send', 'error', 1])

  it('leave open whether there was one that nobody expected, or nobody handled', () => {
    expect(judge({}, PAGE, HOOKED)).toEqual({
      verdict: 'incomplete',
      because: [
        "errors had to be judged and was not: 1 error was discarded by the SDK (before_send), and nobody saw it; losses: { allow: ['before_send', …] } in the configuration accepts that",
      ],
      judged: ['unhandled-errors incomplete', 'errors incomplete'],
    })
  })

  it('are told by how many they are, and by every reason', () => {
    const { because } = judge({}, PAGE, HOOKED, clientReportOf(['sample_rate', 'error', 3]))
    expect(because[0]).toContain('4 errors were discarded by the SDK (before_send, sample_rate), and nobody saw them')
    expect(because[0]).toContain("losses: { allow: ['before_send', 'sample_rate', …] }")
  })

  it.each<[string, Partial<CheckPlan>, readonly Came[]]>([
    ['the plan names their reason', { losses: { allow: ['before_send'] } }, [PAGE, HOOKED]],
    ['the plan asks nothing of losses', { losses: 'ignore' }, [PAGE, HOOKED]],
    ['the SDK knew them already', {}, [PAGE, clientReportOf(['event_processor', 'error', 2])]],
    ['other things were discarded', {}, [PAGE, clientReportOf(['before_send', 'log_item', 2])]],
  ])('leave nothing open where %s', (_where, plan, came) => {
    expect(judge(plan, ...came).verdict).toBe('pass')
  })

  it('of a page that was left count only where no error arrived', () => {
    const left = clientReportOf(['network_error', 'error', 1])
    const known = { allow: [{ error: 'boom' }] }
    expect(judge(known, eventOf(), left).verdict).toBe('pass')
    expect(judge(known, PAGE, left).verdict).toBe('incomplete')
  })

  it('do not hide one that arrived', () => {
    expect(judge({}, eventOf(), HOOKED)).toMatchObject({ verdict: 'fail', judged: [expect.anything(), 'errors fail'] })
  })
})

describe('spans that were discarded', () => {
  const SAMPLED = clientReportOf(['sample_rate', 'transaction', 4], ['sample_rate', 'span', 20])

  it('make a report incomplete where none arrived', () => {
    expect(judge({}, SESSION, SAMPLED)).toMatchObject({
      verdict: 'incomplete',
      because: [
        "20 spans were made, and none arrived: sample_rate; losses: { allow: ['sample_rate', …] } in the configuration accepts that",
      ],
    })
    expect(judge({}, SESSION, clientReportOf(['sample_rate', 'transaction', 1])).because[0]).toMatch(
      /^1 transaction was made, and none arrived: sample_rate; /,
    )
  })

  it.each<[string, Partial<CheckPlan>, readonly Came[]]>([
    ['some arrived', {}, [PAGE, SAMPLED]],
    ['the plan names their reason', { losses: { allow: ['sample_rate'] } }, [SESSION, SAMPLED]],
    ['something else is judged alone', { only: ['errors'] }, [SESSION, SAMPLED]],
    ['they had no parent', {}, [SESSION, clientReportOf(['no_parent_span', 'span', 2])]],
    ['they were to be ignored', {}, [SESSION, clientReportOf(['ignored', 'span', 2])]],
  ])('make no report incomplete where %s', (_where, plan, came) => {
    expect(judge(plan, ...came).verdict).toBe('pass')
  })
})
