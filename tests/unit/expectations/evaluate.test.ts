import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../lib/contract/rules/rule'
import { unhandledErrorsRule } from '../../../lib/contract/rules/unhandled-errors'
import type { Verdict } from '../../../lib/contract/verdict'
import { NO_BOARDS } from '../../../lib/expectations/answer'
import { baselineOf, baselineText, readBaseline, subtractBaseline } from '../../../lib/expectations/baseline'
import { type CheckPlan, DEFAULT_PLAN } from '../../../lib/expectations/check-plan'
import { type Beside, evaluate } from '../../../lib/expectations/evaluate'
import { keepsTheContract } from '../../../lib/expectations/keep-contract'
import { BEGIN_S, caseFrom, caseOf, eventOf } from '../contract/evidence-of'
import { lossesOf } from './losses-of'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const findingOf = (about: string) => ({ about, at: { seq: 1, item: 0 }, path: 'a.0', seen: 'x', wanted: 'y' })
const PASS: Verdict = { verdict: 'pass', judged: 1 }
const OPEN: Verdict = { verdict: 'incomplete', why: 'nobody watched the browser' }
const FAIL: Verdict = { verdict: 'fail', judged: 2, found: 1, findings: [findingOf('order 4711')] }

const ruleOf = (id: string, verdict: Verdict, given: Partial<Rule> = {}): Rule => ({
  id,
  title: `The title of ${id}`,
  why: 'It matters.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  mend: 'Mend it.',
  judge: () => verdict,
  ...given,
})

/** One error that was caught and is allowed, so that something was recorded. */
const RECORDED = caseFrom(eventOf({ level: 'info' }))
const report = (
  rules: readonly Rule[],
  plan: Partial<CheckPlan> = {},
  beside: Partial<Beside> = {},
  given = RECORDED,
) => evaluate(given, { losses: null, gaps: [], now: NOW, rules, plan: { ...DEFAULT_PLAN, ...plan }, ...beside })

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
    expect(judged[1]?.verdict).toEqual(OPEN)
  })

  it.each<[string, Partial<CheckPlan>, Partial<Beside>]>([
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

  it('that is allowed is none that nobody handled, either, and is counted as known', () => {
    const rules = [unhandledErrorsRule]
    expect(report(rules, { errors: 'warn' }, {}, given).verdict).toBe('fail')
    expect(report(rules, { allow: [{ error: 'boom' }] }, {}, given)).toMatchObject({ verdict: 'pass', known: 1 })
    expect(report(rules, { allow: [{ error: 'boom', until: '2026-11-20' }] }, {}, given)).toMatchObject({
      verdict: 'fail',
      known: 0,
    })
  })
})

describe('a baseline', () => {
  const failing = report([ruleOf('one', FAIL), ruleOf('two', PASS)])
  const baseline = baselineOf(failing, NOW)

  it('is a text with a line for each failure, without what was seen', () => {
    expect(baselineText(baseline)).toBe(`{
  "waystation": "baseline",
  "version": 1,
  "made": "2026-11-21T12:00:00.000Z",
  "known": [
    {
      "id": "one",
      "about": "order #",
      "path": "a.#"
    }
  ],
  "beyond": {}
}
`)
    expect(readBaseline(baselineText(baseline))).toEqual({ ok: true, value: baseline })
  })

  it('lets pass what it knows, whatever its number, and counts it', () => {
    const other = ruleOf('one', { ...FAIL, findings: [findingOf('order 12')] })
    expect(report([other], {}, { baseline })).toMatchObject({ verdict: 'pass', known: 1 })
  })

  it('lets nothing else pass', () => {
    const more = ruleOf('one', { ...FAIL, found: 2, findings: [findingOf('order 12'), findingOf('customer 12')] })
    const { verdict, known, judged } = report([more], {}, { baseline })
    expect({ verdict, known }).toEqual({ verdict: 'fail', known: 1 })
    expect(judged[0]?.verdict).toMatchObject({ found: 1, findings: [{ about: 'customer 12' }] })
    expect(report([ruleOf('two', FAIL)], {}, { baseline }).verdict).toBe('fail')
  })

  it('knows as many findings beyond those that are told one by one as there were', () => {
    const crowd = (found: number) => ruleOf('one', { ...FAIL, found })
    const large = baselineOf(report([crowd(60)]), NOW)
    expect(large.beyond).toEqual({ one: 59 })
    expect(report([crowd(60)], {}, { baseline: large })).toMatchObject({ verdict: 'pass', known: 60 })
    expect(report([crowd(61)], {}, { baseline: large })).toMatchObject({ verdict: 'fail', known: 60 })
  })

  it('tells what it knows and is found no more, where it could have been', () => {
    expect(subtractBaseline(report([ruleOf('one', PASS)]).judged, baseline).stale).toHaveLength(1)
    expect(subtractBaseline(report([ruleOf('one', OPEN)]).judged, baseline).stale).toHaveLength(0)
  })

  it.each([
    ['no JSON', 'hello', 'it is no JSON, but "hello": a baseline is written by waystation check --write-baseline'],
    ['another JSON', '{}', /^waystation: .*; a baseline is written by waystation check --write-baseline$/],
  ])('that is %s is told as such', (_what, text, words) => {
    const read = readBaseline(text)
    expect(read.ok ? '' : read.error).toEqual(typeof words === 'string' ? words : expect.stringMatching(words))
  })
})

describe('the contract as an expectation', () => {
  const keeps = (rules: readonly Rule[], options: Parameters<typeof keepsTheContract>[1] = {}, given = RECORDED) =>
    keepsTheContract(given, options, { appUrl: 'http://localhost:3000' }, rules)

  it('is kept where nothing of severity error fails', () => {
    const { verdict, toldNot } = keeps([
      ruleOf('one', PASS),
      ruleOf('two', OPEN),
      ruleOf('three', FAIL, { severity: 'warning' }),
    ])
    expect(verdict).toEqual({ verdict: 'pass', judged: 2 })
    expect(toldNot).toBe('the contract is kept, by 2 rules, and was to be broken')
  })

  it('that is broken is told rule by rule', () => {
    const { verdict, told } = keeps([
      ruleOf('one', FAIL),
      ruleOf('two', OPEN),
      ruleOf('three', FAIL, { severity: 'warning' }),
    ])
    expect(verdict).toMatchObject({ verdict: 'fail', judged: 2, found: 2 })
    expect(told).toBe(
      `the contract is broken: one, three

The title of one (one)
  order 4711 (envelope 1, item 0)
    a.0: seen x, wanted y
    http://localhost:3000/envelopes/1
  Mend it.

The title of three (three, a warning)
  order 4711 (envelope 1, item 0)
    a.0: seen x, wanted y
    http://localhost:3000/envelopes/1
  Mend it.

not judged: two`,
    )
  })

  it('is incomplete where nothing was recorded, or a rule that was named could not be judged', () => {
    expect(keeps([ruleOf('one', PASS)], {}, caseOf()).told).toBe(
      'the contract could not be judged: nothing was recorded',
    )
    expect(keeps([ruleOf('one', PASS), ruleOf('two', OPEN)], { only: ['two'] }).told).toBe(
      'the contract could not be judged: two: nobody watched the browser\n\nnot judged: two',
    )
  })

  it('of a rule that there is none of is a TypeError', () => {
    expect(() => keeps([ruleOf('orphans', PASS)], { only: ['orphan'] })).toThrow(
      new TypeError('"orphan" is no rule: did you mean orphans?'),
    )
  })

  it('is of all rules where none are handed to it', () => {
    expect(keepsTheContract(caseFrom(eventOf()), {}, NO_BOARDS).verdict.verdict).toBe('pass')
  })
})
