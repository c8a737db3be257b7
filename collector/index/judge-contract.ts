import { CONTRACT } from '../../lib/contract/settings'
import { RULES } from '../../lib/verdict/rules/registry'
import type { Case, Rule } from '../../lib/verdict/rules/rule'
import { STATED } from '../../lib/verdict/rules/stated'
import { toldOf } from '../../lib/verdict/verdict'
import type { Contract, JudgedRule } from '../../lib/wire/contract'

/** Each setting with the rules that check it and what was seen beside it, then the rules that come from none. Pure. */
export function judgeContract(
  given: Case,
  rules: readonly Rule[] = RULES,
  stated: typeof STATED = STATED,
): Pick<Contract, 'settings' | 'beyond'> {
  const judge = (rule: Rule): JudgedRule => {
    const { id, title, why, mend, severity } = rule
    return { id, title, why, mend, severity, verdict: verdictBy(rule, given) }
  }
  return {
    settings: CONTRACT.map((setting) => ({
      ...setting,
      judgedFrom: [...setting.judgedFrom],
      rules: rules.filter((rule) => rule.setting === setting.id).map(judge),
      seen: stated[setting.id]?.(given) ?? null,
    })),
    beyond: rules.filter((rule) => rule.setting === null).map(judge),
  }
}

/** @throws where a rule has a bug, by the name of the rule. */
function verdictBy(rule: Rule, given: Case): JudgedRule['verdict'] {
  try {
    const verdict = toldOf(rule.judge(given))
    if (verdict.verdict !== 'fail') return verdict
    return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) }
  } catch (cause) {
    throw new Error(`the rule ${rule.id} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
