import { describe, expect, it } from 'vitest'
import { RULES } from '../../../../lib/scrub/rules'
import type { CheckPlan } from '../../../../lib/verdict/expectations/check-plan'
import { type EvaluateOptions, evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { truncateReport } from '../../../../lib/verdict/expectations/report'
import { privacyRule } from '../../../../lib/verdict/rules/privacy'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import type { Verdict } from '../../../../lib/verdict/verdict'
import { BEGIN_S, type Came, caseFrom, caseOf, envelopeOf, eventOf } from '../rules/sample-evidence'
import { lossesOf } from './sample-losses'
import { FAIL, findingOf, NOW, OPEN, PASS, report, ruleOf } from './sample-report'

describe('a report', () => {
  it('tells what was judged in the order of the rules, then errors, losses and budgets', () => {
    const { judged, from } = report(
      [ruleOf('one', PASS), ruleOf('two', PASS)],
      { budgets: { errors: 3 } },
      { losses: lossesOf({ made: 1 }), stamp: 's' },
    )
    expect(judged.map(({ id, group }) => `${group} ${id}`)).toEqual([
      'contract one',
      'contract two',
      'errors errors',
      'losses losses',
      'budget budget-errors',
    ])
    const at = (BEGIN_S + 1) * 1000
    expect(from).toEqual({ submissions: 1, items: 1, stamp: 's', first: at, last: at })
  })

  it('tells which checks are of those who sent nothing, and were not asked for by name', () => {
    const tell = (plan: Partial<CheckPlan>, verdict: Verdict = OPEN, given = caseFrom(envelopeOf({}))) =>
      report([ruleOf('one', verdict, { sentBy: 'pages' })], plan, {}, given).judged[0]?.silent
    expect(tell({})).toBe('pages')
    expect([tell({ rules: { one: 'error' } }), tell({ only: ['one'] })]).toEqual([undefined, undefined])
    expect([tell({}, PASS), tell({}, FAIL)]).toEqual([undefined, undefined])
    expect(tell({}, OPEN, caseFrom({ body: envelopeOf({}), origin: 'http://localhost:3000' }))).toBeUndefined()
  })

  it('tells what leaks by the words of its rule, which are no secret themselves', () => {
    const event = eventOf({ exception: undefined, message: `eyJ${'a1'.repeat(9)}.e30.`, extra: { token: 'hunter2' } })
    const { verdict } = report([privacyRule], {}, {}, caseFrom(event)).judged[0] ?? {}
    expect(verdict).toMatchObject({
      findings: [{ actual: `jwt: ${RULES.jwt}` }, { actual: `key: ${RULES.key}` }],
    })
  })

  it('tells when the first and the last of it came', () => {
    const at = (second: number): Came => ({ body: eventOf({ level: 'info' }), receivedAt: (BEGIN_S + second) * 1000 })
    const { from } = report([ruleOf('one', PASS)], {}, {}, caseFrom(at(5), at(2), at(9), at(7)))
    expect(from).toMatchObject({ submissions: 4, first: (BEGIN_S + 2) * 1000, last: (BEGIN_S + 9) * 1000 })
  })

  it('passes where everything that was judged does', () => {
    expect(report([ruleOf('one', PASS)]).verdict).toBe('pass')
  })

  it('fails where anything of severity error does', () => {
    expect(report([ruleOf('one', PASS), ruleOf('two', FAIL)]).verdict).toBe('fail')
    expect(report([ruleOf('two', FAIL, { severity: 'warning' })]).verdict).toBe('pass')
  })

  it('fails by a warning where that is the least, or the plan says so', () => {
    const warning = ruleOf('two', FAIL, { severity: 'warning' })
    expect(report([warning], { severity: 'warning' }).verdict).toBe('fail')
    expect(report([warning], { rules: { two: 'error' } }).verdict).toBe('fail')
    expect(report([ruleOf('two', FAIL)], { rules: { two: 'warning' } }).verdict).toBe('pass')
  })

  it('has no rule that is off', () => {
    const { judged, verdict } = report([ruleOf('one', PASS), ruleOf('two', FAIL)], { rules: { two: 'off' } })
    expect(judged.map(({ id }) => id)).toEqual(['one', 'errors'])
    expect(verdict).toBe('pass')
  })

  it('passes though a rule that nothing concerns could not be judged, and tells it', () => {
    const { verdict, judged } = report([ruleOf('one', PASS), ruleOf('two', OPEN)])
    expect(verdict).toBe('pass')
    expect(report([ruleOf('one', PASS), ruleOf('two', OPEN)], { rules: { two: 'warning' } }).verdict).toBe('pass')
    expect(judged[1]?.verdict).toEqual(OPEN)
  })

  it.each<[string, Partial<CheckPlan>, Partial<EvaluateOptions>]>([
    ['what was recorded is not whole', {}, { gaps: ['3 submissions made room for newer ones'] }],
    ['a rule that the plan wants to fail could not be judged', { rules: { two: 'error' } }, {}],
    ['a rule that is judged alone could not be', { only: ['one', 'two'] }, {}],
    ['a budget could not be judged', { budgets: { durations: { '/checkout': 1 } } }, {}],
    ['something is under way still', {}, { losses: lossesOf({ made: 2, pending: 1 }) }],
  ])('is incomplete where %s', (_what, plan, beside) => {
    expect(report([ruleOf('one', PASS), ruleOf('two', OPEN)], plan, beside).verdict).toBe('incomplete')
  })

  it('is incomplete where nothing was recorded, or nothing could be judged', () => {
    expect(report([ruleOf('one', PASS)], {}, {}, caseOf())).toMatchObject({
      verdict: 'incomplete',
      from: { submissions: 0, first: null, last: null },
    })
    expect(report([ruleOf('one', OPEN)], { errors: 'ignore' }).verdict).toBe('incomplete')
    expect(report([], { errors: 'ignore' }).verdict).toBe('incomplete')
  })

  it.each<[string, ...Came[]]>([
    ['an envelope without items', '{}'],
    ['copies', { body: eventOf({ level: 'info' }), endpoint: 'stream' }],
    ['an event that could not be read', '{}\n{"type":"event"}\n{"exception":'],
    [
      'what is beside an event that could not be read',
      '{}\n{"type":"event"}\n{"exception":',
      eventOf({ level: 'info' }),
    ],
  ])('is incomplete where only %s could be judged', (_what, ...came) => {
    expect(evaluate(caseFrom(...came), { losses: null, gaps: [], now: NOW }).verdict).toBe('incomplete')
  })

  it('of copies alone passes by no rule, unless that is named', () => {
    const copies = caseFrom({ body: eventOf({ level: 'info' }), endpoint: 'stream' })
    expect(report([ruleOf('one', PASS)], { errors: 'ignore' }, {}, copies).verdict).toBe('incomplete')
    expect(report([ruleOf('one', PASS)], { only: ['one'] }, {}, copies).verdict).toBe('pass')
  })

  it('passes where copies stand beside what came on the path', () => {
    const both = caseFrom({ body: eventOf({ level: 'info' }), endpoint: 'stream' }, eventOf({ level: 'info' }))
    expect(report([ruleOf('one', PASS)], { errors: 'ignore' }, {}, both).verdict).toBe('pass')
  })

  it('says whether copies or empty envelopes were all that came', () => {
    const of = (...came: readonly Came[]) =>
      report([ruleOf('one', PASS)], { errors: 'ignore' }, { stamp: 's' }, caseFrom(...came)).reasons
    const copy: Came = { body: eventOf({ level: 'info' }), endpoint: 'stream' }
    expect(of(copy, '{}')).toEqual(['only copies (Spotlight duplicates) were recorded with the stamp s'])
    expect(of('{}')).toEqual(['only empty envelopes were recorded with the stamp s'])
  })

  it('says what made it incomplete, and nothing of that where it is not', () => {
    const losses = lossesOf({ made: 4, accepted: 1, pending: 3 })
    const beside = { losses, pendingBecause: 'shop: it answers 403', gaps: ['a gap'] }
    const rules = [ruleOf('one', PASS), ruleOf('two', OPEN), ruleOf('three', OPEN), ruleOf('four', OPEN)]
    expect(report(rules, { rules: { two: 'error', three: 'error' } }, beside).reasons).toEqual([
      'the required checks two, three are incomplete: nobody watched the browser',
      'the required check losses is incomplete: 3 of 4 items are still pending: shop: it answers 403',
      'a gap',
    ])
    expect(report([ruleOf('one', OPEN)], { errors: 'ignore' }).reasons).toEqual(['no check had data'])
    expect(report(rules, {}, {}, caseOf()).reasons[0]).toBe('nothing was recorded')
    expect(report([ruleOf('one', FAIL)], {}, { gaps: ['a gap'] }).reasons).toEqual([])
    expect(report([ruleOf('one', PASS)]).reasons).toEqual([])
  })

  it('fails rather than being incomplete', () => {
    expect(report([ruleOf('one', FAIL)], {}, { gaps: ['a gap'] }).verdict).toBe('fail')
  })

  it('judges what is named alone, even where it is off', () => {
    const ids = (only: readonly string[]) =>
      report(
        [ruleOf('one', PASS), ruleOf('two', PASS)],
        { only, rules: { two: 'off' }, budgets: { errors: 3 } },
        { losses: lossesOf() },
      ).judged.map(({ id }) => id)
    expect(ids(['two'])).toEqual(['two'])
    expect(ids(['errors', 'losses', 'budgets'])).toEqual(['errors', 'losses', 'budget-errors'])
  })

  it('judges what is named alone, even where the plan ignores it', () => {
    const ignoring = { errors: 'ignore', losses: 'ignore' } as const
    const judged = report([], { ...ignoring, only: ['errors', 'losses'] }, { losses: lossesOf({ made: 1 }) })
    expect(judged.judged.map(({ id, verdict }) => `${id} ${verdict.verdict}`)).toEqual(['errors pass', 'losses pass'])
  })

  it('says why what is named alone could not be judged', () => {
    const { verdict, judged } = report([], { only: ['losses', 'budgets'] })
    expect(verdict).toBe('incomplete')
    expect(judged.map((one) => [one.id, one.verdict])).toEqual([
      ['losses', { verdict: 'incomplete', why: 'the losses were not read from the collector' }],
      [
        'budgets',
        {
          verdict: 'incomplete',
          why: 'the configuration has no budgets, such as budgets: { items: 40 }',
        },
      ],
    ])
  })

  it('tells nothing secret of what it found', () => {
    const leak = 'password=hunter2 for bob@example.com'
    const findings = [{ ...findingOf(leak), actual: leak }]
    const told = report([
      ruleOf('one', { ...FAIL, findings }),
      ruleOf('two', { verdict: 'incomplete', why: leak }),
      ruleOf('three', { ...FAIL, findings: [findingOf('pageload /home/garden')] }),
    ])
    expect(JSON.stringify(told)).not.toMatch(/hunter2|bob@/)
    expect(JSON.stringify(told)).toContain('pageload /home/garden')
  })

  it('is written with the first fifty findings of each, and told how many there are', () => {
    const crowd = ruleOf('one', { ...FAIL, found: 60, findings: Array.from({ length: 60 }, () => findingOf('x')) })
    const [written] = truncateReport(report([crowd])).judged
    expect(written?.verdict).toMatchObject({ found: 60, findings: { length: 50 } })
  })

  it('fails by a loss for a reason that the plan does not allow', () => {
    const losses = lossesOf({
      made: 2,
      losses: [{ by: 'sdk', reason: 'ratelimit_backoff', category: 'span', quantity: 1 }],
    })
    expect(report([ruleOf('one', PASS)], {}, { losses }).verdict).toBe('fail')
    expect(report([ruleOf('one', PASS)], { losses: { allow: ['ratelimit_backoff'] } }, { losses }).verdict).toBe('pass')
    const chosen = lossesOf({ made: 2, losses: [{ by: 'sdk', reason: 'sample_rate', category: 'span', quantity: 1 }] })
    expect(report([ruleOf('one', PASS)], {}, { losses: chosen }).verdict).toBe('pass')
    expect(report([ruleOf('one', PASS)], { losses: { allow: [] } }, { losses: chosen }).verdict).toBe('fail')
  })

  it('asks nothing of losses that the plan ignores', () => {
    const losses = lossesOf({ made: 2, unexplained: 1 })
    expect(report([ruleOf('one', PASS)], { losses: 'ignore' }, { losses }).verdict).toBe('pass')
  })
})

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
