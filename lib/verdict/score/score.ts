import { incompleteTraces } from '../rules/group-spans'
import type { Case } from '../rules/rule'
import { withoutSecrets } from '../text'
import { truncateFindings, type Verdict } from '../verdict'
import { LOG_RULES } from './log-rules'
import { METRIC_RULES } from './metric-rules'
import { RESOURCE_RULES, SDK_RULES } from './resource-rules'
import type { Impact, ScoreRule } from './score-rule'
import { telemetryByService } from './services'
import { SPAN_RULES } from './span-rules'

/** The rules of the Instrumentation Score, in the order of their ids in the specification. */
export const SCORE_RULES: readonly ScoreRule[] = [
  ...RESOURCE_RULES,
  ...SPAN_RULES,
  ...METRIC_RULES,
  ...LOG_RULES,
  ...SDK_RULES,
]

export const WEIGHTS: Readonly<Record<Impact, number>> = { critical: 40, important: 30, normal: 20, low: 10 }

export type Band = 'excellent' | 'good' | 'needs improvement' | 'poor'

const BANDS: readonly { readonly from: number; readonly band: Band }[] = [
  { from: 90, band: 'excellent' },
  { from: 75, band: 'good' },
  { from: 50, band: 'needs improvement' },
]

export const bandOf = (score: number): Band => BANDS.find(({ from }) => score >= from)?.band ?? 'poor'

/** Of each impact, the number of rules and of those that passed. */
export type Passed = Readonly<Partial<Record<Impact, { readonly passed: number; readonly of: number }>>>

/** 100 × Σ(passed × weight) / Σ(rules × weight), to two decimals; `null` without rules. */
export function scoreOf(counts: Passed): number | null {
  let [reached, possible] = [0, 0]
  for (const [impact, weight] of Object.entries(WEIGHTS) as [Impact, number][]) {
    const { passed, of } = counts[impact] ?? { passed: 0, of: 0 }
    reached += passed * weight
    possible += of * weight
  }
  return possible === 0 ? null : Math.round((10_000 * reached) / possible) / 100
}

interface JudgedScoreRule {
  readonly id: string
  readonly title: string
  readonly impact: Impact
  /** `incomplete`: not judged, which leaves it out of the score. */
  readonly verdict: Verdict
}

/** The Instrumentation Score of one service. */
export interface ServiceScore {
  readonly service: string
  /** 0 to 100; `null` when no rule could be judged. */
  readonly score: number | null
  readonly band: Band | null
  readonly passed: number
  readonly failed: number
  /** More than 0: the score may be incomplete. */
  readonly notJudged: number
  readonly rules: readonly JudgedScoreRule[]
}

/** Printed next to a score, as its specification demands of an implementation that cannot judge each rule. */
export const INCOMPLETE_SCORE_NOTE =
  'A recording cannot judge each rule of the specification, so the score may be incomplete.'

/** Computes the Instrumentation Score of each service in the evidence. Pure. */
export function instrumentationScore(given: Pick<Case, 'evidence' | 'missing'>): readonly ServiceScore[] {
  const { evidence } = given
  const context = { traces: spanIdsByTrace(given), cutTraces: incompleteTraces(given) }
  return telemetryByService(evidence).map((service) => {
    const rules = SCORE_RULES.map(({ id, title, impact, judge }) => ({
      id,
      title,
      impact,
      verdict: scrubbed(truncateFindings(judge(service, context))),
    }))
    const score = scoreOf(countByImpact(rules))
    const count = (word: Verdict['verdict']): number => rules.filter(({ verdict }) => verdict.verdict === word).length
    return {
      service: withoutSecrets(service.name),
      score,
      band: score === null ? null : bandOf(score),
      passed: count('pass'),
      failed: count('fail'),
      notJudged: count('incomplete'),
      rules,
    }
  })
}

function countByImpact(rules: readonly JudgedScoreRule[]): Passed {
  const counts: Partial<Record<Impact, { passed: number; of: number }>> = {}
  for (const { impact, verdict } of rules) {
    if (verdict.verdict === 'incomplete') continue
    const known = counts[impact] ?? { passed: 0, of: 0 }
    counts[impact] = { passed: known.passed + Number(verdict.verdict === 'pass'), of: known.of + 1 }
  }
  return counts
}

function spanIdsByTrace({ evidence }: Pick<Case, 'evidence'>): ReadonlyMap<string, ReadonlySet<string>> {
  const traces = new Map<string, Set<string>>()
  for (const { copy, traceId, spanId } of evidence.spans) {
    if (copy) continue
    const known = traces.get(traceId) ?? new Set()
    traces.set(traceId, known.add(spanId))
  }
  return traces
}

/** The score goes to logs of CI, too. */
function scrubbed(verdict: Verdict): Verdict {
  if (verdict.verdict !== 'fail') return verdict
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    about: withoutSecrets(finding.about),
    actual: withoutSecrets(finding.actual),
  }))
  return { ...verdict, findings }
}
