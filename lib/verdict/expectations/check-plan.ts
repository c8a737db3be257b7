import * as z from 'zod'
import { nameHint } from '../../config/nearest'
import { fail, type Result, succeed } from '../../protocol/result'
import { type AllowedValue, checkAllowedValue } from '../rules/privacy-allowlist'
import { RULE_IDS, type RuleId, type Severity } from '../rules/rule'
import { formatValue } from '../text'
import { type Budgets, QUANTILES } from './budgets'
import {
  type ExpectedTelemetry,
  expectSchema,
  NAMES_EXPECTED,
  type Sampling,
  samplingSchema,
  VALID_EXPECTED,
} from './expected-telemetry'
import { mistypedReason } from './no-loss'
import type { AcknowledgedWarning } from './report'
import { type AllowedError, checkAllowed } from './unexpected-errors'

export type { Budgets } from './budgets'

/** The content of `waystation.config.ts`. Every field is optional. */
export interface CheckConfig {
  /** `contract` also checks the choices of Waystation's own app, such as page loads named by their path. */
  readonly preset?: 'contract' | undefined
  /** Severity by rule id. A rule set to `error` makes the check incomplete if it cannot be checked. */
  readonly rules?: Readonly<Partial<Record<RuleId, 'off' | Severity>>> | undefined
  /**
   * How to report errors that `allow` does not list; `fail` by default. Unhandled errors have a rule of their own:
   * `rules: { 'unhandled-errors': 'off' }`.
   */
  readonly errors?: 'fail' | 'warn' | 'ignore' | undefined
  /** Errors that are expected. */
  readonly allow?: readonly AllowedError[] | undefined
  /** Allowed reasons for losses; by default those of deliberate discards. `ignore` checks no losses. */
  readonly losses?: 'ignore' | { readonly allow: readonly string[] } | undefined
  readonly budgets?: Budgets | undefined
  /** Values that the rule `privacy` does not report, by their path, a pattern for the value, or both. */
  readonly privacy?: { readonly allow?: readonly AllowedValue[] | undefined } | undefined
  /** Telemetry that a run must contain. */
  readonly expect?: ExpectedTelemetry | undefined
  /** The sample rate of traces by service: `{ browser: 1, server: 0.5 }`. */
  readonly sampling?: Sampling | undefined
  /** Warnings that the team accepts. Each states its reason. */
  readonly acknowledge?: readonly AcknowledgedWarning[] | undefined
  /** The lowest severity that fails the check: `warning` makes each warning an error. */
  readonly severity?: Severity | undefined
}

export interface CheckPlan {
  readonly preset: 'contract' | null
  readonly rules: Readonly<Record<string, 'off' | Severity>>
  readonly errors: 'fail' | 'warn' | 'ignore'
  readonly allow: readonly AllowedError[]
  readonly losses: 'ignore' | { readonly allow: readonly string[] }
  readonly budgets: Budgets
  readonly privacy: { readonly allow: readonly AllowedValue[] }
  readonly expect: ExpectedTelemetry
  readonly sampling: Sampling
  readonly acknowledge: readonly AcknowledgedWarning[]
  readonly severity: Severity
  /** The only ids to check, such as `errors`; each must be checkable. `null` checks everything. */
  readonly only: readonly string[] | null
}

export const DEFAULT_PLAN: CheckPlan = {
  preset: null,
  rules: {},
  errors: 'fail',
  allow: [],
  losses: { allow: [] },
  budgets: {},
  privacy: { allow: [] },
  expect: {},
  sampling: {},
  acknowledge: [],
  severity: 'error',
  only: null,
}

export const JUDGED_IDS = [...RULE_IDS, 'errors', 'losses', 'budgets', 'expect'] as const
export type JudgedId = (typeof JUDGED_IDS)[number]

const amount = z.number().min(0)
const count = amount.int()
const quantiles = z
  .strictObject({
    p50: amount.optional(),
    p75: amount.optional(),
    p95: amount.optional(),
    p99: amount.optional(),
    max: amount.optional(),
  } satisfies Record<keyof typeof QUANTILES, unknown>)
  // A budget without limits would always pass.
  .refine((most) => Object.values(most).some((ms) => ms !== undefined))

const budgetsSchema = z.strictObject({
  items: count.optional(),
  bytes: count.optional(),
  spans: count.optional(),
  errors: count.optional(),
  durations: z.record(z.string(), z.union([amount, quantiles])).optional(),
})

/** Reports the TypeError of a check as an issue. */
const checkedBy =
  <Entry>(check: (entry: Entry) => void) =>
  (entry: Entry, context: { addIssue: (issue: { code: 'custom'; message: string }) => void }): void => {
    try {
      check(entry)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  }

const allowedSchema = z
  .strictObject({
    error: z.custom<AllowedError['error']>((value) => value !== undefined && value !== null),
    until: z.string().optional(),
    why: z.string().optional(),
  })
  .superRefine(checkedBy(checkAllowed))

const privacySchema = z.strictObject({
  allow: z
    .array(z.custom<AllowedValue>((value) => value !== undefined).superRefine(checkedBy(checkAllowedValue)))
    .optional(),
})

const words = z.string().regex(/\S/)
const acknowledgedSchema = z.strictObject({ check: words, about: words, why: words })
const ACKNOWLEDGED = "{ check: 'setup', about: 'personal data', why: 'support needs the address' }"

const configSchema = z.strictObject({
  preset: z.literal('contract').optional(),
  rules: z.record(z.string(), z.enum(['off', 'warning', 'error'])).optional(),
  errors: z.enum(['fail', 'warn', 'ignore']).optional(),
  allow: z.array(allowedSchema).optional(),
  losses: z.union([z.literal('ignore'), z.strictObject({ allow: z.array(z.string()) })]).optional(),
  budgets: budgetsSchema.optional(),
  privacy: privacySchema.optional(),
  expect: expectSchema.optional(),
  sampling: samplingSchema.optional(),
  acknowledge: z.array(acknowledgedSchema).optional(),
  severity: z.enum(['warning', 'error']).optional(),
})

/** The valid values by path; `*` stands for a name or an index. */
const VALID: Readonly<Record<string, string>> = {
  '': 'an object for defineConfig',
  preset: "'contract', or left out",
  rules: "an object of rule ids, such as { orphans: 'off' }",
  'rules.*': "'off', 'warning' or 'error'",
  errors: "'fail', 'warn' or 'ignore'",
  allow: "a list such as [{ error: 'a part of its title', until: '2026-12-31', why: '…' }]",
  'allow.*': "an entry such as { error: 'a part of its title', until: '2026-12-31', why: '…' }",
  'allow.*.error': 'a text, a regular expression or a part of the event',
  'allow.*.until': 'a day such as 2026-12-31',
  'allow.*.why': 'a text',
  losses: "'ignore', or reasons such as { allow: ['network_error'] }",
  budgets: 'an object such as { items: 40, spans: 500 }',
  'budgets.durations': "an object of ms by name, such as { '/checkout': 2000 }",
  'budgets.durations.*': 'ms from 0 on, or an object such as { p95: 1500, max: 3000 }',
  privacy: "an object such as { allow: [{ path: 'breadcrumbs.*.message', pattern: /^test_/ }] }",
  'privacy.allow': "a list such as [{ path: 'breadcrumbs.*.message', pattern: /^test_/ }]",
  'privacy.allow.*': "an entry such as { path: 'breadcrumbs.*.message', pattern: /^test_/ }",
  ...VALID_EXPECTED,
  acknowledge: `a list such as [${ACKNOWLEDGED}]`,
  'acknowledge.*': `an entry such as ${ACKNOWLEDGED}`,
  severity: "'warning' or 'error'",
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  'allow.*': ['error', 'until', 'why'],
  losses: ['allow'],
  budgets: Object.keys(budgetsSchema.shape),
  privacy: ['allow'],
  'acknowledge.*': Object.keys(acknowledgedSchema.shape),
  'budgets.durations.*': Object.keys(QUANTILES),
  ...NAMES_EXPECTED,
}

/** Reads a configuration and fills in defaults. @returns the plan, or one message per mistake. */
export function readConfig(config: unknown): Result<CheckPlan, readonly string[]> {
  const parsed = configSchema.safeParse(config ?? {})
  if (!parsed.success) return fail(parsed.error.issues.flatMap((issue) => messagesOf(issue, config, '')))
  const {
    preset,
    rules = {},
    errors,
    allow,
    losses,
    budgets,
    privacy,
    expect,
    sampling,
    acknowledge,
    severity,
  } = parsed.data
  const unknown = Object.keys(rules).filter((id) => !isOneOf(RULE_IDS, id))
  const mistyped =
    losses === undefined || losses === 'ignore' ? [] : losses.allow.flatMap((reason) => mistypedReason(reason) ?? [])
  const wrong = [...unknown.map(noRule), ...mistyped.map((sentence) => `losses.allow: ${sentence}`)]
  if (wrong.length > 0) return fail(wrong)
  return succeed({
    preset: preset ?? DEFAULT_PLAN.preset,
    rules,
    errors: errors ?? DEFAULT_PLAN.errors,
    allow: allow ?? DEFAULT_PLAN.allow,
    losses: losses ?? DEFAULT_PLAN.losses,
    budgets: budgets ?? DEFAULT_PLAN.budgets,
    privacy: { allow: privacy?.allow ?? DEFAULT_PLAN.privacy.allow },
    expect: expect ?? DEFAULT_PLAN.expect,
    sampling: sampling ?? DEFAULT_PLAN.sampling,
    acknowledge: acknowledge ?? DEFAULT_PLAN.acknowledge,
    severity: severity ?? DEFAULT_PLAN.severity,
    only: null,
  })
}

const isOneOf = (ids: readonly string[], id: string): boolean => ids.includes(id)

/** `errors` and `losses` are no rules, but fields next to `rules`. */
const noRule = (id: string): string =>
  id === 'errors' || id === 'losses'
    ? `rules: ${formatValue(id)} is not a rule; write ${id}: 'ignore' next to rules`
    : `rules: ${formatValue(id)} is not a rule; ${nameHint(id, RULE_IDS)}`

/** Reads a file with budgets only, in the format of `budgets` in a configuration. */
export function readBudgets(budgets: unknown): Result<Budgets, readonly string[]> {
  const parsed = budgetsSchema.safeParse(budgets)
  if (parsed.success) return succeed(parsed.data)
  return fail(parsed.error.issues.flatMap((issue) => messagesOf(issue, budgets, 'budgets')))
}

export function readOnly(ids: readonly string[]): Result<readonly string[], readonly string[]> {
  const unknown = ids.filter((id) => !isOneOf(JUDGED_IDS, id))
  return unknown.length === 0
    ? succeed(ids)
    : fail(unknown.map((id) => `${formatValue(id)} is not a rule; ${nameHint(id, JUDGED_IDS)}`))
}

function messagesOf(issue: z.core.$ZodIssue, config: unknown, under: string): readonly string[] {
  const path = issue.path.map(String)
  const full = under === '' ? path : [under, ...path]
  const pattern = patternOf(full)
  const at = full.join('.')
  if (issue.code === 'unrecognized_keys') {
    const names = NAMES[pattern] ?? []
    return issue.keys.map((key) => `${[...full, key].join('.')} is not a configuration field; ${nameHint(key, names)}`)
  }
  if (issue.code === 'custom' && issue.message !== '' && /^(?:privacy\.)?allow\.\*$/.test(pattern))
    return [`${at}: ${issue.message}`]
  const read = path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    config,
  )
  const valid =
    VALID[pattern] ??
    (pattern.startsWith('budgets.')
      ? pattern.includes('durations')
        ? 'ms from 0 on'
        : 'a whole number from 0 on'
      : 'a different value')
  return [`${at === '' ? 'the configuration' : at} must be ${valid}, got ${formatValue(read)}`]
}

/** A path in which rule ids, transaction names and list indexes are `*`. */
function patternOf(path: readonly string[]): string {
  if (path[0] === 'rules' && path.length === 2) return 'rules.*'
  if (path[0] === 'allow' && path.length > 1) return ['allow', '*', ...path.slice(2)].join('.')
  if (path[0] === 'acknowledge' && path.length > 1) return 'acknowledge.*'
  if (path[0] === 'privacy' && path.length > 2) return ['privacy.allow.*', ...path.slice(3)].join('.')
  if (path[0] === 'budgets' && path[1] === 'durations' && path.length > 2)
    return ['budgets.durations.*', ...path.slice(3)].join('.')
  if (path[0] === 'sampling' && path.length > 1) return 'sampling.*'
  if (path[0] === 'expect' && path[1] === 'pages' && path.length > 3) return 'expect.pages.without.*'
  if (path[0] === 'expect' && path[1] !== 'pages' && /^\d+$/.test(path[2] ?? '')) return 'expect.*'
  return path.join('.')
}
