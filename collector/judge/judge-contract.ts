import type { Database } from 'better-sqlite3'
import { CONTRACT } from '../../lib/contract/settings'
import { readEvidence } from '../../lib/verdict/evidence/read-evidence'
import { OBSERVATIONS, RULES } from '../../lib/verdict/rules/registry'
import type { Case, Rule } from '../../lib/verdict/rules/rule'
import { hasOnlyMinorFindings, truncateFindings, type Verdict } from '../../lib/verdict/verdict'
import type { Contract, JudgedRule } from '../../lib/wire/contract'
import { newestSubmissions } from '../spool/local'

export interface JudgeQuery {
  readonly stamp: string | null
  /** A journal number: only later submissions are judged. */
  readonly after: number
}

/** Judges the newest submissions on record by the runtime contract. */
export function judgeRecord(
  spool: Database,
  query: JudgeQuery,
  pageLimits: NonNullable<Case['pageLimits']>,
  collectorUrl: string,
): Contract {
  const { submissions, damaged, isPart, missing } = newestSubmissions(spool, query)
  const evidence = readEvidence(submissions)
  const pages = new Set(submissions.map(({ page }) => page))
  const isAll = query.stamp === null && query.after === 0
  const given: Case = {
    evidence,
    missing,
    requests: null,
    fallbacks: null,
    // Limits that were sent to other pages say nothing about these.
    pageLimits: isAll ? pageLimits : { pages: pageLimits.pages.filter(({ page }) => pages.has(page)), unnamed: 0 },
    collectorUrl,
  }
  const from = {
    submissions: submissions.length,
    items: evidence.items.length,
    first: submissions[0]?.receivedAt ?? null,
    last: submissions.at(-1)?.receivedAt ?? null,
    isPart,
    damaged: [...damaged],
  }
  return { ...query, from, ...judgeContract(given) }
}

/** Each setting with the verdicts of its rules and the observed value, then the rules without a setting. Pure. */
export function judgeContract(
  given: Case,
  rules: readonly Rule[] = RULES,
  observations: typeof OBSERVATIONS = OBSERVATIONS,
): Pick<Contract, 'settings' | 'beyond'> {
  const judge = (rule: Rule): JudgedRule => {
    const { id, title, why, fix } = rule
    const verdict = verdictOf(rule, given)
    const severity = rule.severity === 'error' && hasOnlyMinorFindings(verdict) ? 'warning' : rule.severity
    return { id, title, why, fix, severity, verdict }
  }
  return {
    settings: CONTRACT.map((setting) => ({
      ...setting,
      judgedFrom: [...setting.judgedFrom],
      rules: rules.filter((rule) => rule.setting === setting.id).map(judge),
      observed: observations[setting.id]?.(given) ?? null,
    })),
    beyond: rules.filter((rule) => rule.setting === null).map(judge),
  }
}

/** @throws with the name of the rule when the rule has a bug. */
function verdictOf(rule: Rule, given: Case): JudgedRule['verdict'] {
  try {
    const verdict = truncateFindings(rule.judge(given))
    if (verdict.verdict !== 'fail') return verdict
    // The schema of the answer has writable lists.
    return { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) }
  } catch (cause) {
    throw new Error(`the rule ${rule.id} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The schema of the answer has writable lists. */
const _writable = (verdict: Verdict): JudgedRule['verdict'] =>
  verdict.verdict === 'fail' ? { ...verdict, findings: verdict.findings.map((finding) => ({ ...finding })) } : verdict
