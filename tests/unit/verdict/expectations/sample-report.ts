import { type CheckPlan, DEFAULT_PLAN } from '../../../../lib/verdict/expectations/check-plan'
import { type EvaluateOptions, evaluate } from '../../../../lib/verdict/expectations/evaluate'
import type { Rule } from '../../../../lib/verdict/rules/rule'
import type { Verdict } from '../../../../lib/verdict/verdict'
import { caseFrom, eventOf } from '../rules/sample-evidence'

export const NOW = Date.parse('2026-11-21T12:00:00Z')
export const findingOf = (about: string) => ({
  about,
  at: { seq: 1, item: 0 },
  path: 'a.0',
  actual: 'x',
  expected: 'y',
})
export const PASS: Verdict = { verdict: 'pass', judged: 1 }
export const OPEN: Verdict = { verdict: 'incomplete', why: 'nobody watched the browser' }
export const FAIL: Extract<Verdict, { readonly verdict: 'fail' }> = {
  verdict: 'fail',
  judged: 2,
  found: 1,
  findings: [findingOf('order 4711')],
}

/** A rule with a fixed verdict. */
export const ruleOf = (id: string, verdict: Verdict, given: Partial<Rule> = {}): Rule => ({
  id: id as Rule['id'],
  title: `The title of ${id}`,
  why: 'It matters.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'error',
  fix: 'Mend it.',
  judge: () => verdict,
  ...given,
})

/** One handled and allowed error, so that the record is not empty. */
const RECORDED = caseFrom(eventOf({ level: 'info' }))
/** The report of these rules on a record. */
export const report = (
  rules: readonly Rule[],
  plan: Partial<CheckPlan> = {},
  options: Partial<EvaluateOptions> = {},
  given = RECORDED,
) => evaluate(given, { losses: null, gaps: [], now: NOW, rules, plan: { ...DEFAULT_PLAN, ...plan }, ...options })
