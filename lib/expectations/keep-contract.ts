import { RULES } from '../contract/rules/registry'
import type { Case, Rule, Severity } from '../contract/rules/rule'
import type { Answer, Boards } from './answer'
import { type CheckPlan, DEFAULT_PLAN, readOnly } from './check-plan'
import { evaluate } from './evaluate'
import { findingLines, paragraphs } from './explain'
import type { Judged } from './report'
import { firstFew, many } from './shown'

/** Which rules, and how strictly. */
export interface ContractOptions {
  /** Ids of those that are judged alone, and have to be; all where it is left out. */
  readonly only?: readonly string[]
  /** By id: not judged, told, or failing. */
  readonly rules?: CheckPlan['rules']
  /** The least that fails. */
  readonly severity?: Severity
}

/** Findings of one rule that are told; the board has the others. */
const MOST_FINDINGS = 3

/**
 * Does what was recorded keep the contract? Warnings are told beside a failure, and fail nothing themselves.
 * @throws TypeError where a rule is named that there is none of.
 */
export function keepsTheContract(
  given: Case,
  { only, rules = {}, severity = 'error' }: ContractOptions,
  boards: Boards,
  registry: readonly Rule[] = RULES,
): Answer {
  const named = readOnly(
    [...(only ?? []), ...Object.keys(rules)],
    registry.map(({ id }) => id),
  )
  if (!named.ok) throw new TypeError(named.error.join('; '))
  const plan: CheckPlan = { ...DEFAULT_PLAN, rules, severity, errors: 'ignore', losses: 'ignore', only: only ?? null }
  const report = evaluate(given, { losses: null, plan, gaps: [], now: 0, rules: registry })
  const failing = report.judged.filter(({ verdict }) => verdict.verdict === 'fail')
  const [worst] = failing.filter((one) => one.severity === 'error')
  const judged = report.judged.filter(({ verdict }) => verdict.verdict !== 'incomplete')
  const open = report.judged.filter(({ verdict }) => verdict.verdict === 'incomplete')
  const openIds =
    open.length === 0
      ? []
      : [
          `not judged: ${firstFew(
            open.map(({ id }) => id),
            8,
          )}`,
        ]
  if (report.verdict === 'fail' && worst?.verdict.verdict === 'fail') {
    const findings = failing.flatMap(({ verdict }) => (verdict.verdict === 'fail' ? verdict.findings : []))
    const found = failing.reduce((sum, { verdict }) => sum + (verdict.verdict === 'fail' ? verdict.found : 0), 0)
    return {
      verdict: { verdict: 'fail', judged: judged.length, found, findings: findings.slice(0, 50) },
      told: paragraphs([
        [`the contract is broken: ${failing.map(({ id }) => id).join(', ')}`],
        ...failing.map((one) => ruleLines(one, boards)),
        openIds,
      ]),
      toldNot: '',
    }
  }
  if (report.verdict === 'incomplete') {
    const why = whyOpen(given, open)
    return {
      verdict: { verdict: 'incomplete', why },
      told: paragraphs([[`the contract could not be judged: ${why}`], openIds]),
      toldNot: '',
    }
  }
  return {
    verdict: { verdict: 'pass', judged: judged.length },
    told: '',
    toldNot: `the contract is kept, by ${many(judged.length, 'rule')}, and was to be broken`,
  }
}

function ruleLines({ id, title, severity, mend, verdict }: Judged, boards: Boards): readonly string[] {
  if (verdict.verdict !== 'fail') return []
  const findings = findingLines(verdict.findings, verdict.found, boards, MOST_FINDINGS)
  return [
    `${title} (${id}${severity === 'warning' ? ', a warning' : ''})`,
    ...findings.map((line) => `  ${line}`),
    `  ${mend}`,
  ]
}

function whyOpen({ evidence }: Case, open: readonly Judged[]): string {
  if (evidence.envelopes.length === 0) return 'nothing was recorded'
  const [first] = open
  return first?.verdict.verdict === 'incomplete' ? `${first.id}: ${first.verdict.why}` : 'no rule was asked for'
}
