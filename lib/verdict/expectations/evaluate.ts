import { groupBy } from '../../group-by'
import type { Losses } from '../../wire/losses'
import type { Evidence, SeenEvent } from '../evidence/evidence'
import { silentSenders } from '../rules/coverage'
import { privacyRule } from '../rules/privacy'
import { RULES } from '../rules/registry'
import type { Case, Rule, SenderKind, Severity } from '../rules/rule'
import { unhandledErrorsRule } from '../rules/unhandled-errors'
import { listFirst, truncate, withoutSecrets } from '../text'
import { hasOnlyMinorFindings, NO_BOARDS } from '../verdict'
import { acknowledge } from './acknowledge'
import { type Baseline, subtractBaseline } from './baseline'
import { judgeBudgets } from './budgets'
import { type CheckPlan, DEFAULT_PLAN } from './check-plan'
import { discardedErrorsReason, discardedSpansReason } from './gaps'
import { judgeExpected } from './judge-expected'
import { type LimitedTest, limitFailures, withoutLimitDiscards, withoutLimitLosses } from './limited-tests'
import { noLoss, pendingOf } from './no-loss'
import type { Judged, Report } from './report'
import { type TestAllows, testsOf } from './test-allows'
import { type UnexpectedErrors, unexpectedErrors } from './unexpected-errors'

export interface EvaluateOptions {
  /** `null` if they were not read: then losses are not checked. */
  readonly losses: Losses | null
  /** Why envelopes are still pending. */
  readonly pendingBecause?: string | null
  readonly plan?: CheckPlan
  /** Reasons why the record is incomplete: see `gapsOf`. */
  readonly gaps: readonly string[]
  /** ms since the epoch, for entries of the allowlist that end on a day. */
  readonly now: number
  /** The stamp of the telemetry; `null` for all telemetry. */
  readonly stamp?: string | null
  readonly baseline?: Baseline | null
  readonly rules?: readonly Rule[]
  /** Checks of other sources, such as the comparison with a profile; with `only` they are left out. */
  readonly further?: readonly Judged[]
  /** Items that pages posted while they were closed, and that did not arrive, by data category. */
  readonly abandoned?: ReadonlyMap<string, number>
  /** Errors that tests allowed in their own telemetry. */
  readonly tests?: readonly TestAllows[]
  /** Tests that set a rate limit; what they lost to it is not lost for the run. */
  readonly limited?: readonly LimitedTest[]
  /** See `Report`. */
  readonly flaky?: Report['flaky']
}

/**
 * Checks recorded telemetry against a plan. Pure. The report fails if any check of severity `error` fails. Otherwise it is
 * incomplete if one of these holds:
 * - nothing was recorded, or only copies; or parts of the record are missing;
 * - no check had data;
 * - items are still pending;
 * - errors should fail, but client reports show that some were discarded;
 * - spans were created, and none arrived;
 * - a check that was named explicitly (a rule set to `error`, a budget, an id of `only`) had no data.
 *
 * A rule without data that was not named is reported and changes nothing: a server-only test needs no browser telemetry.
 * Text from payloads is scrubbed.
 */
export function evaluate(given: Case, options: EvaluateOptions): Report {
  const { plan = DEFAULT_PLAN, gaps, now, stamp = null, baseline = null, rules = RULES, further = [] } = options
  const { limited = [], flaky = [] } = options
  const losses = options.losses && withoutLimitLosses(options.losses, limited)
  const errors = errorsOf(given, plan, now, options.tests ?? [])
  const silent = silentSenders(given)
  const all = [
    ...rules.flatMap((rule) => judgeRule(rule, caseFor(rule, given, plan, errors.allowed), plan, silent)),
    ...(plan.errors === 'ignore' && !isInOnly(plan, 'errors') ? [] : [errors.judged]),
    ...judgeLosses(losses, plan, options),
    ...judgeBudgets(given.evidence, plan.budgets),
    ...(isInOnly(plan, 'budgets') && Object.keys(plan.budgets).length === 0 ? [NO_BUDGETS] : []),
    ...judgeExpected(given.evidence, plan.expect, plan.sampling),
    ...(isInOnly(plan, 'expect') && !statesAnything(plan) ? [NO_EXPECTATIONS] : []),
    ...further,
  ]
  const ofSdks = withoutLimitDiscards(given.evidence, limited)
  const unseen = discardedErrorsReason(ofSdks, plan.losses)
  const selected = all
    .filter(({ id, group }) => isSelected(plan, id, group))
    .map((one) => scrubbed(isAboutErrors(one) ? unlessDiscarded(one, unseen) : one))
  const { judged: open, acknowledged, unused } = acknowledge(selected, plan.acknowledge)
  const results = open.map((one) => warningIfMinor(withSeverity(one, plan.severity), plan))
  const coversErrors = results.some(isAboutErrors)
  const { known, knownFailures, fixed, ...rest } =
    baseline === null
      ? { judged: results, known: 0, knownFailures: [], fixed: [] }
      : subtractBaseline(results, baseline)
  const judged = rest.judged.map((one) => warningIfMinor(one, plan))
  const lostToLimits = judged.some(({ id }) => id === 'losses') ? limitFailures(limited) : []
  const { envelopes, items } = given.evidence
  const times = envelopes.map(({ receivedAt }) => receivedAt)
  const isEmpty = envelopes.length === 0
  const missing = [
    ...emptyReasons(given.evidence, plan, stamp),
    ...missingChecks(judged, plan, losses !== null && pendingOf(losses).length > 0),
    ...spansUnseen(ofSdks, plan),
    ...gaps,
  ]
  const isFailing = judged.some(({ severity, verdict }) => severity === 'error' && verdict.verdict === 'fail')
  return {
    verdict: isFailing ? 'fail' : missing.length > 0 ? 'incomplete' : 'pass',
    reasons: isFailing ? [] : missing,
    judged,
    from: {
      submissions: envelopes.length,
      items: items.length,
      stamp,
      first: isEmpty ? null : times.reduce((first, at) => Math.min(first, at)),
      last: isEmpty ? null : times.reduce((last, at) => Math.max(last, at)),
    },
    gaps,
    known: known + (coversErrors ? errors.allowed.length : 0) + lostToLimits.length,
    knownFailures: [...(coversErrors ? errors.knownFailures : []), ...lostToLimits, ...knownFailures],
    fixed: missing.length > 0 ? [] : fixed,
    flaky,
    acknowledged,
    unacknowledged:
      missing.length > 0 || plan.only !== null ? [] : unused.map(({ check, about }) => ({ check, about })),
  }
}

/** Copies alone count as nothing, unless the plan names its rules with `only`. */
function emptyReasons({ envelopes, items }: Evidence, { only }: CheckPlan, stamp: string | null): readonly string[] {
  const stamped = stamp === null ? '' : ` with the stamp ${truncate(stamp)}`
  if (envelopes.length === 0) return [`nothing was recorded${stamped}`]
  if (only !== null || !items.every(({ copy }) => copy)) return []
  return [
    `only ${items.some(({ copy }) => copy) ? 'copies (Spotlight duplicates)' : 'empty envelopes'} were recorded${stamped}`,
  ]
}

/** Not relevant with `only`, which names its checks. */
function spansUnseen(evidence: Evidence, { only, losses }: CheckPlan): readonly string[] {
  const why = only === null ? discardedSpansReason(evidence, losses) : null
  return why === null ? [] : [why]
}

const isAboutErrors = ({ id }: Judged): boolean => id === 'errors' || id === unhandledErrorsRule.id

/** A pass about errors is incomplete if errors were discarded before sending. */
const unlessDiscarded = (judged: Judged, why: string | null): Judged =>
  why === null || judged.verdict.verdict === 'fail' ? judged : { ...judged, verdict: { verdict: 'incomplete', why } }

function missingChecks(judged: readonly Judged[], plan: CheckPlan, isPending: boolean): readonly string[] {
  const open = judged.flatMap(({ id, group, verdict }) =>
    verdict.verdict === 'incomplete' ? [{ id, group, why: verdict.why }] : [],
  )
  const named = open.filter(({ id, group }) => (group === 'losses' && isPending) || isNamed(plan, id, group))
  if (named.length === 0 && open.length === judged.length) return ['no check had data']
  return [...groupBy(named, ({ why }) => why)].map(
    ([why, all]) =>
      `the required ${all.length === 1 ? 'check' : 'checks'} ${listFirst(all.map(({ id }) => id))} ${all.length === 1 ? 'is' : 'are'} incomplete: ${why}`,
  )
}

const isSelected = ({ only }: CheckPlan, id: string, group: Judged['group']): boolean =>
  only === null || only.includes(group === 'budget' ? 'budgets' : group === 'expect' ? 'expect' : id)

function isNamed({ only, rules, errors }: CheckPlan, id: string, group: Judged['group']): boolean {
  if (group === 'errors' && errors === 'fail') return true
  return (
    group === 'budget' || group === 'expect' || only !== null || (Object.hasOwn(rules, id) && rules[id] === 'error')
  )
}

/** Is it named in `only`? The command line overrides the configuration. */
const isInOnly = ({ only }: CheckPlan, id: string): boolean => only?.includes(id) === true

const NO_BUDGETS: Judged = {
  id: 'budgets',
  title: 'Budgets are not exceeded',
  group: 'budget',
  severity: 'error',
  why: 'Visitors pay for what a page sends and for how long it takes.',
  fix: 'Add budgets to the configuration: budgets: { items: 40 }.',
  verdict: {
    verdict: 'incomplete',
    why: 'the configuration has no budgets, such as budgets: { items: 40 }',
  },
}

const statesAnything = ({ expect, sampling }: CheckPlan): boolean =>
  Object.keys(expect).length + Object.keys(sampling).length > 0

const NO_EXPECTATIONS: Judged = {
  id: 'expect',
  title: 'Expected telemetry arrived',
  group: 'expect',
  severity: 'error',
  why: 'Missing telemetry looks like a healthy program.',
  fix: 'Add expectations to the configuration: expect: { pageloads: { min: 1 } }.',
  verdict: {
    verdict: 'incomplete',
    why: 'the configuration has no expectations, such as expect: { pageloads: { min: 1 } }',
  },
}

const withSeverity = (judged: Judged, least: Severity): Judged =>
  least === 'warning' ? { ...judged, severity: 'error' } : judged

const warningIfMinor = (judged: Judged, { severity, rules }: CheckPlan): Judged => {
  const isStrict = severity === 'warning' || (Object.hasOwn(rules, judged.id) && rules[judged.id] === 'error')
  return !isStrict && hasOnlyMinorFindings(judged.verdict) ? { ...judged, severity: 'warning' } : judged
}

function judgeRule(rule: Rule, given: Case, plan: CheckPlan, silent: ReadonlySet<SenderKind>): readonly Judged[] {
  const severity = severityOf(rule, plan)
  if (severity === 'off' || (plan.only !== null && !isInOnly(plan, rule.id))) return []
  const { id, title, why, fix, sentBy } = rule
  const judged: Judged = { id, title, group: 'contract', severity, why, fix, verdict: rule.judge(given) }
  const isSilent = sentBy !== undefined && silent.has(sentBy) && !isNamed(plan, id, 'contract')
  return [judged.verdict.verdict === 'incomplete' && isSilent ? { ...judged, silent: sentBy } : judged]
}

/** The plan's own severity comes first. A rule in `only` is checked as strictly as by the preset. */
function severityOf({ id, severity, contractSeverity }: Rule, plan: CheckPlan): 'off' | Severity {
  const set = Object.hasOwn(plan.rules, id) ? plan.rules[id] : undefined
  if (isInOnly(plan, id)) return set === undefined || set === 'off' ? (contractSeverity ?? severity) : set
  return set ?? (plan.preset === 'contract' ? (contractSeverity ?? severity) : severity)
}

function errorsOf(
  given: Case,
  { errors, allow }: CheckPlan,
  now: number,
  tests: readonly TestAllows[],
): { readonly judged: Judged } & Pick<UnexpectedErrors, 'allowed' | 'knownFailures'> {
  const ofEvent = testsOf(given.evidence, tests)
  const allowedBy = (event: SeenEvent) =>
    ofEvent(event).flatMap((test) =>
      test.allow.map((entry) => ({ entry, list: `the test with the stamp ${truncate(test.stamp)}` })),
    )
  const how = { allow, now, allowedBy }
  const { verdict, allowed, knownFailures: forgiven } = unexpectedErrors(given.evidence, how, NO_BOARDS)
  const judged: Judged = {
    id: 'errors',
    title: 'No unexpected errors',
    group: 'errors',
    severity: errors === 'warn' ? 'warning' : 'error',
    why: 'An unexpected error is an unknown defect.',
    fix: 'Fix its cause, or add a known error to allow, with an end date.',
    verdict,
  }
  return { judged, allowed, knownFailures: forgiven }
}

function judgeLosses(
  losses: Losses | null,
  plan: CheckPlan,
  { pendingBecause: because = null, abandoned = new Map() }: Pick<EvaluateOptions, 'pendingBecause' | 'abandoned'>,
): readonly Judged[] {
  const isNamed = isInOnly(plan, 'losses')
  if (!isNamed && (losses === null || plan.losses === 'ignore')) return []
  const allow = plan.losses === 'ignore' ? [] : plan.losses.allow
  const judged: Omit<Judged, 'verdict'> = {
    id: 'losses',
    title: 'Nothing was lost',
    group: 'losses',
    severity: 'error',
    why: 'Lost telemetry is missing in every statistic and alert.',
    fix: 'See the losses board for who lost it and why. Add an accepted reason to losses: { allow: […] }.',
  }
  if (losses === null)
    return [{ ...judged, verdict: { verdict: 'incomplete', why: 'the losses were not read from the collector' } }]
  return [{ ...judged, verdict: noLoss(losses, { allow, because, abandoned }).verdict }]
}

/** Applies the allowlists of the configuration. */
function caseFor({ id }: Rule, given: Case, plan: CheckPlan, allowed: readonly SeenEvent[]): Case {
  if (id === unhandledErrorsRule.id) return withoutAllowed(given, allowed)
  return id === privacyRule.id ? { ...given, harmless: plan.privacy.allow } : given
}

/** The evidence without allowed errors, for the rule on unhandled errors. */
function withoutAllowed(given: Case, allowed: readonly SeenEvent[]): Case {
  if (allowed.length === 0) return given
  const ids = new Set(allowed.map(({ eventId }) => eventId))
  const events = given.evidence.events.filter(({ eventId }) => !ids.has(eventId))
  return { ...given, evidence: { ...given.evidence, events } }
}

/**
 * Scrubs text from payloads, because reports go to logs, files and baselines. Findings of the privacy rule stay: they only
 * contain rule names and masked excerpts such as `jwt: a JSON web token (eyJ***)`, which scrubbing would remove.
 */
function scrubbed(judged: Judged): Judged {
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
