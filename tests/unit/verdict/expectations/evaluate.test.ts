import { describe, expect, it } from 'vitest'
import { RULES } from '../../../../lib/scrub/rules'
import { baselineOf } from '../../../../lib/verdict/expectations/baseline'
import type { CheckPlan } from '../../../../lib/verdict/expectations/check-plan'
import { type EvaluateOptions, evaluate } from '../../../../lib/verdict/expectations/evaluate'
import { truncateReport } from '../../../../lib/verdict/expectations/report'
import { privacyRule } from '../../../../lib/verdict/rules/privacy'
import { unhandledErrorsRule } from '../../../../lib/verdict/rules/unhandled-errors'
import type { Finding, Verdict } from '../../../../lib/verdict/verdict'
import { BEGIN_S, type Came, caseFrom, caseOf, envelopeOf, eventOf } from '../rules/sample-evidence'
import { lossesOf } from './sample-losses'
import { FAIL, findingOf, NOW, OPEN, PASS, report, ruleOf } from './sample-report'

describe('a report', () => {
  it('lists rules in order, then errors, losses and budgets', () => {
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

  it('marks an incomplete check whose sender sent nothing, unless the plan names the check', () => {
    const silentSender = (plan: Partial<CheckPlan>, verdict: Verdict = OPEN, given = caseFrom(envelopeOf({}))) =>
      report([ruleOf('one', verdict, { sentBy: 'pages' })], plan, {}, given).judged[0]?.silent
    expect(silentSender({})).toBe('pages')
    expect([silentSender({ rules: { one: 'error' } }), silentSender({ only: ['one'] })]).toEqual([undefined, undefined])
    expect([silentSender({}, PASS), silentSender({}, FAIL)]).toEqual([undefined, undefined])
    expect(silentSender({}, OPEN, caseFrom({ body: envelopeOf({}), origin: 'http://localhost:3000' }))).toBeUndefined()
  })

  it('does not scrub the names of scrubbing rules in its findings', () => {
    const jwt = `${btoa('{"alg":"HS256"}')}.${'a1'.repeat(9)}.${'b2'.repeat(9)}`
    const event = eventOf({ exception: undefined, message: jwt, extra: { token: 'hunter2-hunter2' } })
    const { verdict } = report([privacyRule], {}, {}, caseFrom(event)).judged[0] ?? {}
    expect(verdict).toMatchObject({
      findings: [{ actual: `jwt: ${RULES.jwt} (eyJ***)` }, { actual: `key: ${RULES.key} (token=***)` }],
    })
  })

  it('does not report values that the configuration allows', () => {
    const event = eventOf({ exception: undefined, extra: { token: 'hunter2-hunter2' } })
    const verdictWith = (allow: CheckPlan['privacy']['allow']) =>
      report([privacyRule], { privacy: { allow } }, {}, caseFrom(event)).judged[0]?.verdict.verdict
    expect(verdictWith([{ path: 'extra.token' }])).toBe('pass')
    expect(verdictWith([{ path: 'extra.*', pattern: /^hunter2-/ }])).toBe('pass')
    expect(verdictWith([{ path: 'extra.*', pattern: /^fisher/ }])).toBe('fail')
  })

  it('has the time of the first and last submission', () => {
    const at = (second: number): Came => ({ body: eventOf({ level: 'info' }), receivedAt: (BEGIN_S + second) * 1000 })
    const { from } = report([ruleOf('one', PASS)], {}, {}, caseFrom(at(5), at(2), at(9), at(7)))
    expect(from).toMatchObject({ submissions: 4, first: (BEGIN_S + 2) * 1000, last: (BEGIN_S + 9) * 1000 })
  })

  it('judges choices of our own app only with the preset, or if they are named', () => {
    const rules = [
      ruleOf('one', FAIL, { severity: 'off', contractSeverity: 'error' }),
      ruleOf('two', FAIL, { severity: 'warning', contractSeverity: 'error' }),
      ruleOf('three', PASS),
    ]
    const severities = (plan: Partial<CheckPlan>) =>
      report(rules, plan)
        .judged.filter(({ group }) => group === 'contract')
        .map(({ id, severity }) => `${id} ${severity}`)
    expect(severities({})).toEqual(['two warning', 'three error'])
    expect(severities({ preset: 'contract' })).toEqual(['one error', 'two error', 'three error'])
    expect(severities({ preset: 'contract', rules: { one: 'off', two: 'warning' } })).toEqual([
      'two warning',
      'three error',
    ])
    expect(severities({ rules: { one: 'warning' } })).toEqual(['one warning', 'two warning', 'three error'])
    expect(severities({ only: ['one', 'two'] })).toEqual(['one error', 'two error'])
    expect(severities({ only: ['one'], rules: { one: 'off' } })).toEqual(['one error'])
    expect(report(rules).verdict).toBe('pass')
    expect(report(rules, { preset: 'contract' }).verdict).toBe('fail')
  })

  it('only warns about minor findings, unless the plan says error or the baseline leaves others', () => {
    const minor = { ...findingOf('a little late'), isMinor: true } as const
    const verdictOf = (...findings: readonly Finding[]): Verdict => ({
      verdict: 'fail',
      judged: 2,
      found: findings.length,
      findings,
    })
    const severityOf = (verdict: Verdict, plan: Partial<CheckPlan> = {}, options: Partial<EvaluateOptions> = {}) =>
      report([ruleOf('one', verdict)], plan, options).judged[0]?.severity
    expect(severityOf(verdictOf(minor))).toBe('warning')
    expect(severityOf(verdictOf(minor, findingOf('hours late')))).toBe('error')
    expect(severityOf(verdictOf(minor), { rules: { one: 'error' } })).toBe('error')
    expect(severityOf(verdictOf(minor), { severity: 'warning' })).toBe('error')
    const known = verdictOf(findingOf('hours late'))
    const baseline = baselineOf(report([ruleOf('one', known)]), NOW)
    expect(severityOf(verdictOf(findingOf('hours late'), minor), {}, { baseline })).toBe('warning')
  })

  it('passes if every check with data passes', () => {
    expect(report([ruleOf('one', PASS)]).verdict).toBe('pass')
  })

  it('fails if a check of severity error fails', () => {
    expect(report([ruleOf('one', PASS), ruleOf('two', FAIL)]).verdict).toBe('fail')
    expect(report([ruleOf('two', FAIL, { severity: 'warning' })]).verdict).toBe('pass')
  })

  it('fails for a warning if the plan says so', () => {
    const warning = ruleOf('two', FAIL, { severity: 'warning' })
    expect(report([warning], { severity: 'warning' }).verdict).toBe('fail')
    expect(report([warning], { rules: { two: 'error' } }).verdict).toBe('fail')
    expect(report([ruleOf('two', FAIL)], { rules: { two: 'warning' } }).verdict).toBe('pass')
  })

  it('leaves out rules that are off', () => {
    const { judged, verdict } = report([ruleOf('one', PASS), ruleOf('two', FAIL)], { rules: { two: 'off' } })
    expect(judged.map(({ id }) => id)).toEqual(['one', 'errors'])
    expect(verdict).toBe('pass')
  })

  it('passes if a rule without an error severity in the plan is incomplete, and lists that rule', () => {
    const { verdict, judged } = report([ruleOf('one', PASS), ruleOf('two', OPEN)])
    expect(verdict).toBe('pass')
    expect(report([ruleOf('one', PASS), ruleOf('two', OPEN)], { rules: { two: 'warning' } }).verdict).toBe('pass')
    expect(judged[1]?.verdict).toEqual(OPEN)
  })

  it.each<[string, Partial<CheckPlan>, Partial<EvaluateOptions>]>([
    ['the record has a gap', {}, { gaps: ['3 submissions made room for newer ones'] }],
    ['a rule with severity error in the plan is incomplete', { rules: { two: 'error' } }, {}],
    ['a rule named by only is incomplete', { only: ['one', 'two'] }, {}],
    ['a budget is incomplete', { budgets: { durations: { '/checkout': 1 } } }, {}],
    ['items are still pending', {}, { losses: lossesOf({ made: 2, pending: 1 }) }],
  ])('is incomplete if %s', (_what, plan, options) => {
    expect(report([ruleOf('one', PASS), ruleOf('two', OPEN)], plan, options).verdict).toBe('incomplete')
  })

  it('is incomplete without telemetry, or if no check had data', () => {
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
    ['an event that cannot be parsed', '{}\n{"type":"event"}\n{"exception":'],
    ['an event that cannot be parsed and a message', '{}\n{"type":"event"}\n{"exception":', eventOf({ level: 'info' })],
  ])('is incomplete if only %s arrived', (_what, ...came) => {
    expect(evaluate(caseFrom(...came), { losses: null, gaps: [], now: NOW }).verdict).toBe('incomplete')
  })

  it('is incomplete with copies only, unless the plan names a rule', () => {
    const copies = caseFrom({ body: eventOf({ level: 'info' }), endpoint: 'stream' })
    expect(report([ruleOf('one', PASS)], { errors: 'ignore' }, {}, copies).verdict).toBe('incomplete')
    expect(report([ruleOf('one', PASS)], { only: ['one'] }, {}, copies).verdict).toBe('pass')
  })

  it('passes with copies next to originals', () => {
    const both = caseFrom({ body: eventOf({ level: 'info' }), endpoint: 'stream' }, eventOf({ level: 'info' }))
    expect(report([ruleOf('one', PASS)], { errors: 'ignore' }, {}, both).verdict).toBe('pass')
  })

  it('gives copies or empty envelopes as the reason if nothing else arrived', () => {
    const of = (...came: readonly Came[]) =>
      report([ruleOf('one', PASS)], { errors: 'ignore' }, { stamp: 's' }, caseFrom(...came)).reasons
    const copy: Came = { body: eventOf({ level: 'info' }), endpoint: 'stream' }
    expect(of(copy, '{}')).toEqual(['only copies (Spotlight duplicates) were recorded with the stamp s'])
    expect(of('{}')).toEqual(['only empty envelopes were recorded with the stamp s'])
  })

  it('gives reasons only if it is incomplete', () => {
    const losses = lossesOf({ made: 4, accepted: 1, pending: 3 })
    const options = { losses, pendingBecause: 'shop: it answers 403', gaps: ['a gap'] }
    const rules = [ruleOf('one', PASS), ruleOf('two', OPEN), ruleOf('three', OPEN), ruleOf('four', OPEN)]
    expect(report(rules, { rules: { two: 'error', three: 'error' } }, options).reasons).toEqual([
      'the required checks two, three are incomplete: nobody watched the browser',
      'the required check losses is incomplete: still pending: 3 error; shop: it answers 403',
      'a gap',
    ])
    expect(report([ruleOf('one', OPEN)], { errors: 'ignore' }).reasons).toEqual(['no check had data'])
    expect(report(rules, {}, {}, caseOf()).reasons[0]).toBe('nothing was recorded')
    expect(report([ruleOf('one', FAIL)], {}, { gaps: ['a gap'] }).reasons).toEqual([])
    expect(report([ruleOf('one', PASS)]).reasons).toEqual([])
  })

  it('prefers fail over incomplete', () => {
    expect(report([ruleOf('one', FAIL)], {}, { gaps: ['a gap'] }).verdict).toBe('fail')
  })

  it('contains only the checks named by only, even if they are off', () => {
    const ids = (only: readonly string[]) =>
      report(
        [ruleOf('one', PASS), ruleOf('two', PASS)],
        { only, rules: { two: 'off' }, budgets: { errors: 3 } },
        { losses: lossesOf() },
      ).judged.map(({ id }) => id)
    expect(ids(['two'])).toEqual(['two'])
    expect(ids(['errors', 'losses', 'budgets'])).toEqual(['errors', 'losses', 'budget-errors'])
  })

  it('contains only the checks named by only, even if the plan ignores them', () => {
    const ignoring = { errors: 'ignore', losses: 'ignore' } as const
    const judged = report([], { ...ignoring, only: ['errors', 'losses'] }, { losses: lossesOf({ made: 1 }) })
    expect(judged.judged.map(({ id, verdict }) => `${id} ${verdict.verdict}`)).toEqual(['errors pass', 'losses pass'])
  })

  it('gives the reason why a check named by only is incomplete', () => {
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

  it('scrubs its findings', () => {
    const leak = 'password=hunter2 for bob@example.com'
    const findings = [{ ...findingOf(leak), actual: leak }]
    const scrubbed = report([
      ruleOf('one', { ...FAIL, findings }),
      ruleOf('two', { verdict: 'incomplete', why: leak }),
      ruleOf('three', { ...FAIL, findings: [findingOf('pageload /home/garden')] }),
    ])
    expect(JSON.stringify(scrubbed)).not.toMatch(/hunter2|bob@/)
    expect(JSON.stringify(scrubbed)).toContain('pageload /home/garden')
  })

  it('is stored with the first 50 findings per check and the total number', () => {
    const crowd = ruleOf('one', { ...FAIL, found: 60, findings: Array.from({ length: 60 }, () => findingOf('x')) })
    const [written] = truncateReport(report([crowd])).judged
    expect(written?.verdict).toMatchObject({ found: 60, findings: { length: 50 } })
  })

  it('fails for a loss with a reason that is not allowed', () => {
    const losses = lossesOf({
      made: 2,
      losses: [{ by: 'sdk', reason: 'ratelimit_backoff', category: 'span', quantity: 1 }],
    })
    expect(report([ruleOf('one', PASS)], {}, { losses }).verdict).toBe('fail')
    expect(report([ruleOf('one', PASS)], { losses: { allow: ['ratelimit_backoff'] } }, { losses }).verdict).toBe('pass')
    const chosen = lossesOf({ made: 2, notSent: [{ reason: 'sample_rate', category: 'error', quantity: 1 }] })
    expect(report([ruleOf('one', PASS)], {}, { losses: chosen }).verdict).toBe('pass')
    expect(report([ruleOf('one', PASS)], { losses: { allow: [] } }, { losses: chosen }).verdict).toBe('pass')
  })

  it('ignores losses if the plan ignores them', () => {
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

  it('passes if it is allowed, any number of times', () => {
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

  it('is ignored by the unhandled-errors rule if it is allowed, and counts as known', () => {
    const rules = [unhandledErrorsRule]
    expect(report(rules, { errors: 'warn' }, {}, given).verdict).toBe('fail')
    const allow = [{ error: 'boom', until: '2999-01-01', why: '#12' }]
    const knownFailures = [{ id: 'errors', count: 1, by: 'the allowlist: #12, until 2999-01-01' }]
    expect(report(rules, { allow }, {}, given)).toMatchObject({ verdict: 'pass', known: 1, knownFailures })
    const withPass = [...rules, ruleOf('one', PASS)]
    expect(report(withPass, { allow, errors: 'ignore' }, {}, given)).toMatchObject({
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
