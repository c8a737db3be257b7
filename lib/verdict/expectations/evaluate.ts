import type { Losses } from '../../wire/losses'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { silentSenders } from '../rules/coverage'
import { privacyRule } from '../rules/privacy'
import { RULES } from '../rules/registry'
import type { Case, Rule, Sender, Severity } from '../rules/rule'
import { unhandledErrorsRule } from '../rules/unhandled-errors'
import { listFirst, truncate, withoutSecrets } from '../text'
import { NO_BOARDS } from '../verdict'
import { type Baseline, subtractBaseline } from './baseline'
import { judgeBudgets } from './budgets'
import { type CheckPlan, DEFAULT_PLAN } from './check-plan'
import { discardedErrorsReason, discardedSpansReason } from './gaps'
import { DELIBERATE_DISCARD_REASONS, noLoss, pendingOf } from './no-loss'
import type { Judged, Report } from './report'
import { type UnexpectedErrors, unexpectedErrors } from './unexpected-errors'

/** What is judged beside what was recorded. */
export interface EvaluateOptions {
  /** `null` where nobody asked for them: then they are not judged. */
  readonly losses: Losses | null
  /** Why upstream has not taken what it is pending. */
  readonly pendingBecause?: string | null
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
 * The report fails where anything of severity `error` fails. Else it is incomplete where nothing was recorded, or copies
 * alone, nothing could be judged, what was recorded is not whole, it is not known yet what becomes of what was made, errors
 * are to fail and could not be seen, spans were made and none arrived, or something that was asked for by name (a rule of the
 * plan that fails, a budget, all of `only`) could not be judged. A rule that nothing recorded concerns, and that nobody
 * named, is told and makes nothing incomplete: who watched a server alone is not red for want of a browser. What came from a
 * payload is told without secrets.
 */
export function evaluate(given: Case, beside: EvaluateOptions): Report {
  const { losses, plan = DEFAULT_PLAN, gaps, now, stamp = null, baseline = null, rules = RULES } = beside
  const errors = errorsOf(given, plan, now)
  const silent = silentSenders(given)
  const all = [
    ...rules.flatMap((rule) =>
      judgeRule(rule, rule.id === unhandledErrorsRule.id ? unknownOnly(given, errors.allowed) : given, plan, silent),
    ),
    ...(plan.errors === 'ignore' && !isNamedAlone(plan, 'errors') ? [] : [errors.judged]),
    ...judgeLosses(losses, plan, beside.pendingBecause ?? null),
    ...judgeBudgets(given.evidence, plan.budgets),
    ...(isNamedAlone(plan, 'budgets') && Object.keys(plan.budgets).length === 0 ? [NO_BUDGETS] : []),
  ]
  const unseen = discardedErrorsReason(given.evidence, plan.losses)
  const asked = all
    .filter(({ id, group }) => isAsked(plan, id, group))
    .map((one) => toldSafely(strictly(isAboutErrors(one) ? unlessUnseen(one, unseen) : one, plan.severity)))
  const tellsErrors = asked.some(isAboutErrors)
  const { judged, known, forgiven, mended } =
    baseline === null ? { judged: asked, known: 0, forgiven: [], mended: [] } : subtractBaseline(asked, baseline)
  const { envelopes, items } = given.evidence
  const times = envelopes.map(({ receivedAt }) => receivedAt)
  const isEmpty = envelopes.length === 0
  const open = [
    ...nothingOf(given.evidence, plan, stamp),
    ...openOf(judged, plan, losses !== null && pendingOf(losses) > 0),
    ...spansUnseen(given.evidence, plan),
    ...gaps,
  ]
  const isFailing = judged.some(({ severity, verdict }) => severity === 'error' && verdict.verdict === 'fail')
  return {
    verdict: isFailing ? 'fail' : open.length > 0 ? 'incomplete' : 'pass',
    reasons: isFailing ? [] : open,
    judged,
    from: {
      submissions: envelopes.length,
      items: items.length,
      stamp,
      first: isEmpty ? null : times.reduce((first, at) => Math.min(first, at)),
      last: isEmpty ? null : times.reduce((last, at) => Math.max(last, at)),
    },
    gaps,
    known: known + (tellsErrors ? errors.allowed.length : 0),
    knownFailures: [...(tellsErrors ? errors.forgiven : []), ...forgiven],
    fixed: open.length > 0 ? [] : mended,
  }
}

/** Copies say that the path was another; whoever names a rule may judge it by them. */
function nothingOf({ envelopes, items }: Evidence, { only }: CheckPlan, stamp: string | null): readonly string[] {
  const stamped = stamp === null ? '' : ` with the stamp ${truncate(stamp)}`
  if (envelopes.length === 0) return [`nothing was recorded${stamped}`]
  if (only !== null || !items.every(({ copy }) => copy)) return []
  return [
    `nothing was recorded${stamped} but ${items.some(({ copy }) => copy) ? 'copies beside the path' : 'empty envelopes'}`,
  ]
}

/** Of what is named alone nobody asked for spans. */
function spansUnseen(evidence: Evidence, { only, losses }: CheckPlan): readonly string[] {
  const why = only === null ? discardedSpansReason(evidence, losses) : null
  return why === null ? [] : [why]
}

const isAboutErrors = ({ id }: Judged): boolean => id === 'errors' || id === unhandledErrorsRule.id

/** That no error was seen says nothing where some were made and not sent. */
const unlessUnseen = (judged: Judged, why: string | null): Judged =>
  why === null || judged.verdict.verdict === 'fail' ? judged : { ...judged, verdict: { verdict: 'incomplete', why } }

/** What had to be judged and was not, and why. */
function openOf(judged: readonly Judged[], plan: CheckPlan, isPending: boolean): readonly string[] {
  const open = judged.flatMap(({ id, group, verdict }) =>
    verdict.verdict === 'incomplete' ? [{ id, group, why: verdict.why }] : [],
  )
  const named = open.filter(({ id, group }) => (group === 'losses' && isPending) || isNamed(plan, id, group))
  if (named.length === 0 && open.length === judged.length) return ['nothing of what was to be judged could be']
  const byWhy = new Map<string, string[]>()
  for (const { id, why } of named) byWhy.set(why, [...(byWhy.get(why) ?? []), id])
  return [...byWhy].map(
    ([why, ids]) => `${listFirst(ids)} had to be judged and ${ids.length === 1 ? 'was' : 'were'} not: ${why}`,
  )
}

const isAsked = ({ only }: CheckPlan, id: string, group: Judged['group']): boolean =>
  only === null || only.includes(group === 'budget' ? 'budgets' : id)

function isNamed({ only, rules, errors }: CheckPlan, id: string, group: Judged['group']): boolean {
  if (group === 'errors' && errors === 'fail') return true
  return group === 'budget' || only !== null || (Object.hasOwn(rules, id) && rules[id] === 'error')
}

/** What is asked for at the command line goes before what is written down. */
const isNamedAlone = ({ only }: CheckPlan, id: string): boolean => only?.includes(id) === true

const NO_BUDGETS: Judged = {
  id: 'budgets',
  title: 'Budgets are kept',
  group: 'budget',
  severity: 'error',
  why: 'What a page sends, and how long it takes, its visitors pay for.',
  fix: 'Write budgets into the configuration, such as { items: 40 }.',
  verdict: {
    verdict: 'incomplete',
    why: 'no budgets are written down: a configuration has them as budgets: { items: 40 }',
  },
}

const strictly = (judged: Judged, least: Severity): Judged =>
  least === 'warning' ? { ...judged, severity: 'error' } : judged

function judgeRule(rule: Rule, given: Case, plan: CheckPlan, silent: ReadonlySet<Sender>): readonly Judged[] {
  const { rules, only } = plan
  const set = Object.hasOwn(rules, rule.id) ? rules[rule.id] : undefined
  if (set === 'off' && only?.includes(rule.id) !== true) return []
  if (only !== null && !only.includes(rule.id)) return []
  const { id, title, why, fix: mend, severity, sentBy } = rule
  const strict = set === undefined || set === 'off' ? severity : set
  const judged: Judged = { id, title, group: 'contract', severity: strict, why, fix: mend, verdict: rule.judge(given) }
  const isSilent = sentBy !== undefined && silent.has(sentBy) && !isNamed(plan, id, 'contract')
  return [judged.verdict.verdict === 'incomplete' && isSilent ? { ...judged, silent: sentBy } : judged]
}

function errorsOf(
  given: Case,
  { errors, allow }: CheckPlan,
  now: number,
): { readonly judged: Judged } & Pick<UnexpectedErrors, 'allowed' | 'forgiven'> {
  const { verdict, allowed, forgiven } = unexpectedErrors(given.evidence, { allow, now }, NO_BOARDS)
  const judged: Judged = {
    id: 'errors',
    title: 'No unexpected errors',
    group: 'errors',
    severity: errors === 'warn' ? 'warning' : 'error',
    why: 'An error that nobody expected is a defect that nobody knows.',
    fix: 'Mend its cause; one that is known goes into the list of allowed errors, with a day on which that ends.',
    verdict,
  }
  return { judged, allowed, forgiven }
}

function judgeLosses(losses: Losses | null, plan: CheckPlan, because: string | null): readonly Judged[] {
  const isNamed = isNamedAlone(plan, 'losses')
  if (!isNamed && (losses === null || plan.losses === 'ignore')) return []
  const allow = plan.losses === 'ignore' ? DELIBERATE_DISCARD_REASONS : plan.losses.allow
  const judged: Omit<Judged, 'verdict'> = {
    id: 'losses',
    title: 'Nothing was lost',
    group: 'losses',
    severity: 'error',
    why: 'What never reached upstream is missing from everything that is decided by it.',
    fix: 'The board of losses says who lost it and why; a reason that is meant to be goes into the allowed ones.',
  }
  if (losses === null)
    return [{ ...judged, verdict: { verdict: 'incomplete', why: 'nobody asked the collector what was lost' } }]
  return [{ ...judged, verdict: noLoss(losses, { allow, because }).verdict }]
}

/** An error that the list allows is none of those that nobody handled, either. */
function unknownOnly(given: Case, allowed: readonly SeenEvent[]): Case {
  if (allowed.length === 0) return given
  const ids = new Set(allowed.map(({ eventId }) => eventId))
  const events = given.evidence.events.filter(({ eventId }) => !ids.has(eventId))
  return { ...given, evidence: { ...given.evidence, events } }
}

/**
 * A title is somebody's words: it goes to logs, into files and into a baseline. What leaks is told by the name of a rule,
 * `jwt: a JSON web token`, which reads as a secret.
 */
function toldSafely(judged: Judged): Judged {
  const { id, verdict } = judged
  if (verdict.verdict === 'pass') return judged
  if (verdict.verdict === 'incomplete') return { ...judged, verdict: { ...verdict, why: withoutSecrets(verdict.why) } }
  const findings = verdict.findings.map((finding) => ({
    ...finding,
    about: withoutSecrets(finding.about),
    actual: id === privacyRule.id ? finding.actual : withoutSecrets(finding.actual),
  }))
  return { ...judged, verdict: { ...verdict, findings } }
}
