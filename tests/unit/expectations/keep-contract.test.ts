import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../lib/contract/rules/rule'
import { NO_BOARDS } from '../../../lib/expectations/answer'
import { keepsTheContract } from '../../../lib/expectations/keep-contract'
import { caseFrom, caseOf, eventOf } from '../contract/evidence-of'
import { FAIL, OPEN, PASS, RECORDED, ruleOf } from './report-of'

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
