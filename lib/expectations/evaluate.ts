import { RULES } from '../contract/rules/registry'
import type { Case, Rule, Severity } from '../contract/rules/rule'
import { unhandledErrorsRule } from '../contract/rules/unhandled-errors'
import type { SeenEvent } from '../evidence/evidence'
import type { Losses } from '../wire/losses'
import { NO_BOARDS } from './answer'
import { type Baseline, subtractBaseline, without } from './baseline'
import { judgeBudgets } from './budgets'
import { type CheckPlan, DEFAULT_PLAN } from './check-plan'
import { noLoss } from './no-loss'
import type { Judged, Report } from './report'
import { unexpectedErrors } from './unexpected-errors'

/** What is judged beside what was recorded. */
export interface Beside {
  /** `null` where nobody asked for them: then they are not judged. */
  readonly losses: Losses | null
  /** What is judged, and how strictly; `DEFAULT_PLAN` where it is left out. */
  readonly plan?: CheckPlan
  /** Why what was recorded is not whole: see `gapsOf`. */
  readonly gaps: readonly string[]
  /** ms since the epoch: what the allowlist allows ends at a day. */
  readonly now: number
  /** Whose telemetry it is; `null` for everybody's. */
  readonly stamp?: string | null
  /** Failures that were there before. */
  readonly baseline?: Baseline | null
  readonly rules?: readonly Rule[]
}

/**
 * Judges what was recorded by everything that the plan asks for. Pure.
 *
 * The report fails where anything of severity `error` fails. Else it is incomplete where nothing was recorded, nothing
 * could be judged, what was recorded is not whole, it is not known yet what becomes of what was made, or something that
 * was asked for by name (a rule of the plan that fails, a budget, all of `only`) could not be judged. A rule that nothing
 * recorded concerns, and that nobody named, is told and makes nothing incomplete: who watched a server alone is not red
 * for want of a browser.
 */
export function evaluate(given: Case, beside: Beside): Report {
  const { losses, plan = DEFAULT_PLAN, gaps, now, stamp = null, baseline = null, rules = RULES } = beside
  const errors = errorsOf(given, plan, now)
  const all = [
    ...rules.flatMap((rule) => judgeRule(rule, given, plan)),
    ...(plan.errors === 'ignore' ? [] : [errors.judged]),
    ...(losses === null || plan.losses === 'ignore' ? [] : [judgeLosses(losses, plan.losses.allow)]),
    ...judgeBudgets(given.evidence, plan.budgets),
  ]
  const asked = all.filter(({ id, group }) => isAsked(plan, id, group)).map((one) => strictly(one, plan.severity))
  const isAboutErrors = asked.some(({ id }) => id === 'errors' || id === unhandledErrorsRule.id)
  const allowed = allowedAway(asked, isAboutErrors ? errors.allowed : [])
  const { judged, known } =
    baseline === null ? { judged: allowed.judged, known: 0 } : subtractBaseline(allowed.judged, baseline)
  const { envelopes, items } = given.evidence
  const times = envelopes.map(({ receivedAt }) => receivedAt)
  const isEmpty = envelopes.length === 0
  return {
    verdict: verdictOfAll(judged, plan, gaps, isEmpty, (losses?.pending ?? 0) > 0),
    judged,
    from: {
      submissions: envelopes.length,
      items: items.length,
      stamp,
      first: isEmpty ? null : times.reduce((first, at) => Math.min(first, at)),
      last: isEmpty ? null : times.reduce((last, at) => Math.max(last, at)),
    },
    gaps,
    known: known + allowed.known,
  }
}

function verdictOfAll(
  judged: readonly Judged[],
  plan: CheckPlan,
  gaps: readonly string[],
  isEmpty: boolean,
  isPending: boolean,
): Report['verdict'] {
  if (judged.some(({ severity, verdict }) => severity === 'error' && verdict.verdict === 'fail')) return 'fail'
  const open = judged.filter(({ verdict }) => verdict.verdict === 'incomplete')
  const isNamedOpen = open.some(({ id, group }) => (group === 'losses' && isPending) || isNamed(plan, id, group))
  return isEmpty || open.length === judged.length || gaps.length > 0 || isNamedOpen ? 'incomplete' : 'pass'
}

const isAsked = ({ only }: CheckPlan, id: string, group: Judged['group']): boolean =>
  only === null || only.includes(group === 'budget' ? 'budgets' : id)

function isNamed({ only, rules }: CheckPlan, id: string, group: Judged['group']): boolean {
  return group === 'budget' || only !== null || (Object.hasOwn(rules, id) && rules[id] === 'error')
}

const strictly = (judged: Judged, least: Severity): Judged =>
  least === 'warning' ? { ...judged, severity: 'error' } : judged

function judgeRule(rule: Rule, given: Case, { rules, only }: CheckPlan): readonly Judged[] {
  const set = Object.hasOwn(rules, rule.id) ? rules[rule.id] : undefined
  // What is asked for at the command line goes before what is written down.
  if (set === 'off' && only?.includes(rule.id) !== true) return []
  if (only !== null && !only.includes(rule.id)) return []
  const { id, title, why, mend, severity } = rule
  const strict = set === undefined || set === 'off' ? severity : set
  return [{ id, title, group: 'contract', severity: strict, why, mend, verdict: rule.judge(given) }]
}

function errorsOf(
  given: Case,
  { errors, allow }: CheckPlan,
  now: number,
): { readonly judged: Judged; readonly allowed: readonly SeenEvent[] } {
  const { verdict, allowed } = unexpectedErrors(given.evidence, { allow, now }, NO_BOARDS)
  const judged: Judged = {
    id: 'errors',
    title: 'No unexpected errors',
    group: 'errors',
    severity: errors === 'warn' ? 'warning' : 'error',
    why: 'An error that nobody expected is a defect that nobody knows.',
    mend: 'Mend its cause; one that is known goes into the list of allowed errors, with a day on which that ends.',
    verdict,
  }
  return { judged, allowed }
}

function judgeLosses(losses: Losses, allow: readonly string[]): Judged {
  return {
    id: 'losses',
    title: 'Nothing was lost',
    group: 'losses',
    severity: 'error',
    why: 'What never reached upstream is missing from everything that is decided by it.',
    mend: 'The board of losses says who lost it and why; a reason that is meant to be goes into the allowed ones.',
    verdict: noLoss(losses, { allow }).verdict,
  }
}

/** An error that the list allows is none of those that nobody handled, either. */
function allowedAway(
  judged: readonly Judged[],
  allowed: readonly SeenEvent[],
): { readonly judged: readonly Judged[]; readonly known: number } {
  const ids = new Set(allowed.map(({ eventId }) => eventId))
  if (ids.size === 0) return { judged, known: 0 }
  const rest = judged.map((one): Judged => {
    if (one.id !== unhandledErrorsRule.id || one.verdict.verdict !== 'fail') return one
    const { verdict } = one
    const left = verdict.findings.filter(
      ({ at }) => at?.eventId === undefined || at.eventId === null || !ids.has(at.eventId),
    )
    return { ...one, verdict: without(verdict, left, verdict.found - verdict.findings.length + left.length) }
  })
  return { judged: rest, known: ids.size }
}
