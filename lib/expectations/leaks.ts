import { privacyRule } from '../contract/rules/privacy'
import type { Case, Rule } from '../contract/rules/rule'
import type { Answer, Boards } from './answer'
import { findingLines, paragraphs } from './explain'
import { many } from './shown'

/** Has anything that was sent a secret in it? The rule `privacy`, as an expectation: rule and path, never the value. */
export const leaksNothing = (given: Case, boards: Boards): Answer =>
  keepsRule(privacyRule, given, boards, 'secrets were sent')

/**
 * A rule of the contract as an expectation.
 * @param broken what is so where the rule does not hold
 */
export function keepsRule(rule: Rule, given: Case, boards: Boards, broken: string): Answer {
  const verdict = rule.judge(given)
  const toldNot = `${rule.title}: that holds, and was not to hold`
  if (verdict.verdict === 'incomplete') return { verdict, told: `${rule.title}: ${verdict.why}`, toldNot }
  if (verdict.verdict === 'pass') return { verdict, told: '', toldNot }
  const { found, findings } = verdict
  return {
    verdict,
    told: paragraphs([[`${broken}: ${many(found, 'finding')}`], findingLines(findings, found, boards), [rule.mend]]),
    toldNot,
  }
}
