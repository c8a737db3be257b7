import * as z from 'zod'
import { nameHint } from '../../config/nearest'
import { fail, type Result, succeed } from '../../protocol/result'
import { RULE_IDS, type RuleId, type Severity } from '../rules/rule'
import { formatValue } from '../text'
import { type Budgets, QUANTILES } from './budgets'
import { DELIBERATE_DISCARD_REASONS, mistypedReason } from './no-loss'
import { type AllowedError, checkAllowed } from './unexpected-errors'

export type { Budgets } from './budgets'
export type { AllowedError } from './unexpected-errors'

/** What a team writes down: `waystation.config.ts`. All of it may be left out. */
export interface CheckConfig {
  /** By a rule's id: not judged, told, or failing. A rule that is named here as failing has to be judged. */
  readonly rules?: Readonly<Partial<Record<RuleId, 'off' | Severity>>> | undefined
  /**
   * What an error that the list does not know is worth; `fail` where it is left out. What nobody handled is a rule of its
   * own: `rules: { 'unhandled-errors': 'off' }`.
   */
  readonly errors?: 'fail' | 'warn' | 'ignore' | undefined
  /** Errors that are known. */
  readonly allow?: readonly AllowedError[] | undefined
  /** Reasons for which something may be lost; what programs choose not to send, where it is left out. `ignore` asks nothing. */
  readonly losses?: 'ignore' | { readonly allow: readonly string[] } | undefined
  readonly budgets?: Budgets | undefined
  /** The least that fails: `warning` makes each warning an error. */
  readonly severity?: Severity | undefined
}

/** What is judged, and how strictly. */
export interface CheckPlan {
  readonly rules: Readonly<Record<string, 'off' | Severity>>
  readonly errors: 'fail' | 'warn' | 'ignore'
  readonly allow: readonly AllowedError[]
  readonly losses: 'ignore' | { readonly allow: readonly string[] }
  readonly budgets: Budgets
  readonly severity: Severity
  /** Ids of what is judged alone, `errors` and `losses` among them: they have to be judged. `null` judges everything. */
  readonly only: readonly string[] | null
}

export const DEFAULT_PLAN: CheckPlan = {
  rules: {},
  errors: 'fail',
  allow: [],
  losses: { allow: DELIBERATE_DISCARD_REASONS },
  budgets: {},
  severity: 'error',
  only: null,
}

/** What `only` may name. */
export const JUDGED_IDS = [...RULE_IDS, 'errors', 'losses', 'budgets'] as const
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
  // One that limits nothing would hold for whatever it took.
  .refine((most) => Object.values(most).some((ms) => ms !== undefined))

const budgetsSchema = z.strictObject({
  items: count.optional(),
  bytes: count.optional(),
  spans: count.optional(),
  errors: count.optional(),
  durations: z.record(z.string(), z.union([amount, quantiles])).optional(),
})

const allowedSchema = z
  .strictObject({
    error: z.custom<AllowedError['error']>((value) => value !== undefined && value !== null),
    until: z.string().optional(),
    why: z.string().optional(),
  })
  .superRefine((entry, context) => {
    try {
      checkAllowed(entry)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      context.addIssue({ code: 'custom', message: error.message })
    }
  })

const configSchema = z.strictObject({
  rules: z.record(z.string(), z.enum(['off', 'warning', 'error'])).optional(),
  errors: z.enum(['fail', 'warn', 'ignore']).optional(),
  allow: z.array(allowedSchema).optional(),
  losses: z.union([z.literal('ignore'), z.strictObject({ allow: z.array(z.string()) })]).optional(),
  budgets: budgetsSchema.optional(),
  severity: z.enum(['warning', 'error']).optional(),
})

/** What is meant at a place, by the names that lead there; a number is any. */
const MEANT: Readonly<Record<string, string>> = {
  '': 'an object, as defineConfig takes it',
  rules: "an object of rule ids, such as { orphans: 'off' }",
  'rules.*': "'off', 'warning' or 'error'",
  errors: "'fail', 'warn' or 'ignore'",
  allow: "a list such as [{ error: 'a part of its title', until: '2026-12-31', why: '…' }]",
  'allow.*': "an entry such as { error: 'a part of its title', until: '2026-12-31', why: '…' }",
  'allow.*.error': 'a text, a regular expression or a part of the event',
  'allow.*.until': 'a day such as 2026-12-31',
  'allow.*.why': 'a text',
  losses: "'ignore', or reasons such as { allow: ['sample_rate'] }",
  budgets: 'an object such as { items: 40, spans: 500 }',
  'budgets.durations': "an object of ms by name, such as { '/checkout': 2000 }",
  'budgets.durations.*': 'ms from 0 on, or an object such as { p95: 1500, max: 3000 }',
  severity: "'warning' or 'error'",
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  'allow.*': ['error', 'until', 'why'],
  losses: ['allow'],
  budgets: Object.keys(budgetsSchema.shape),
  'budgets.durations.*': Object.keys(QUANTILES),
}

/**
 * A plan of what a configuration says, and of defaults where it says nothing.
 * @returns else one sentence for each thing that is wrong: where it is, what was read and what was meant.
 */
export function readConfig(config: unknown): Result<CheckPlan, readonly string[]> {
  const parsed = configSchema.safeParse(config ?? {})
  if (!parsed.success) return fail(parsed.error.issues.flatMap((issue) => sentencesOf(issue, config, '')))
  const { rules = {}, errors, allow, losses, budgets, severity } = parsed.data
  const strangers = Object.keys(rules).filter((id) => !isOneOf(RULE_IDS, id))
  const mistyped =
    losses === undefined || losses === 'ignore' ? [] : losses.allow.flatMap((reason) => mistypedReason(reason) ?? [])
  const wrong = [...strangers.map(noRule), ...mistyped.map((sentence) => `losses.allow names ${sentence}`)]
  if (wrong.length > 0) return fail(wrong)
  return succeed({
    rules,
    errors: errors ?? DEFAULT_PLAN.errors,
    allow: allow ?? DEFAULT_PLAN.allow,
    losses: losses ?? DEFAULT_PLAN.losses,
    budgets: budgets ?? DEFAULT_PLAN.budgets,
    severity: severity ?? DEFAULT_PLAN.severity,
    only: null,
  })
}

const isOneOf = (ids: readonly string[], id: string): boolean => ids.includes(id)

/** What is judged beside the rules has a place of its own. */
const noRule = (id: string): string =>
  id === 'errors' || id === 'losses'
    ? `rules.${formatValue(id)} is no rule: ${id}: 'ignore' beside rules leaves it out`
    : `rules.${formatValue(id)} is no rule: ${nameHint(id, RULE_IDS)}`

/** Budgets alone, as a file of them has them: the same names as `budgets` of a configuration. */
export function readBudgets(budgets: unknown): Result<Budgets, readonly string[]> {
  const parsed = budgetsSchema.safeParse(budgets)
  if (parsed.success) return succeed(parsed.data)
  return fail(parsed.error.issues.flatMap((issue) => sentencesOf(issue, budgets, 'budgets')))
}

/** Ids that somebody typed, as `only` takes them. @returns else a sentence for each that is none. */
export function readOnly(ids: readonly string[]): Result<readonly string[], readonly string[]> {
  const strangers = ids.filter((id) => !isOneOf(JUDGED_IDS, id))
  return strangers.length === 0
    ? succeed(ids)
    : fail(strangers.map((id) => `${formatValue(id)} is no rule: ${nameHint(id, JUDGED_IDS)}`))
}

function sentencesOf(issue: z.core.$ZodIssue, config: unknown, under: string): readonly string[] {
  const path = issue.path.map(String)
  const full = under === '' ? path : [under, ...path]
  const place = placeOf(full)
  const at = full.join('.')
  if (issue.code === 'unrecognized_keys') {
    const names = NAMES[place] ?? []
    return issue.keys.map((key) => `${[...full, key].join('.')} is no name of a configuration: ${nameHint(key, names)}`)
  }
  if (issue.code === 'custom' && issue.message !== '' && place === 'allow.*') return [`${at}: ${issue.message}`]
  const read = path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined),
    config,
  )
  const meant =
    MEANT[place] ??
    (place.startsWith('budgets.')
      ? place.includes('durations')
        ? 'ms from 0 on'
        : 'a whole number from 0 on'
      : 'something else')
  return [`${at === '' ? 'the configuration' : at} is ${formatValue(read)}: ${meant} was meant`]
}

/** Names of a person's own are `*`: a rule's, a transaction's, the place in a list. */
function placeOf(path: readonly string[]): string {
  if (path[0] === 'rules' && path.length === 2) return 'rules.*'
  if (path[0] === 'allow' && path.length > 1) return ['allow', '*', ...path.slice(2)].join('.')
  if (path[0] === 'budgets' && path[1] === 'durations' && path.length > 2)
    return ['budgets.durations.*', ...path.slice(3)].join('.')
  return path.join('.')
}
