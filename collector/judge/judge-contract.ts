import { RULES } from '../../lib/contract/rules/registry'
import type { Case, Rule } from '../../lib/contract/rules/rule'
import { CONTRACT } from '../../lib/contract/settings'
import type { Contract, JudgedRule } from '../../lib/wire/contract'

/** Each setting with the rules that check it, then the rules that come from none. Pure. */
export function judgeContract(
  given: Case,
  rules: readonly Rule[] = RULES,
  seenBeside: (setting: string, given: Case) => string | null = () => null,
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
      seen: seenBeside(setting.id, given),
    })),
    beyond: rules.filter((rule) => rule.setting === null).map(judge),
  }
}

/** @throws where a rule has a bug, by the name of the rule. */
function verdictBy(rule: Rule, given: Case): JudgedRule['verdict'] {
  try {
    const verdict = rule.judge(given)
    if (verdict.verdict !== 'fail') return verdict
    return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) }
  } catch (cause) {
    throw new Error(`the rule ${rule.id} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
