import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { type Baseline, readBaseline } from '../../../lib/verdict/expectations/baseline'
import { type CheckPlan, readBudgets, readConfig, readOnly } from '../../../lib/verdict/expectations/check-plan'
import { explainSystemError } from '../../launch/explain-failure.js'
import { hasCode } from '../../launch/processes.js'
import type { ParsedArguments } from '../arguments'
import type { JUDGING_FLAGS } from '../flags.js'
import { findConfig, loadConfig, namedConfig, shownFile } from './config-file'

/** How a recording is judged and where reports go: arguments of `check` and `run`. File names are as typed. */
export interface JudgingArguments {
  readonly rules: readonly string[] | null
  readonly severity: 'warning' | 'error' | null
  readonly baseline: string | null
  readonly writeBaseline: string | null
  readonly budget: string | null
  readonly junit: string | null
  readonly report: string | null
  readonly github: boolean
  /** Prints only failures, reasons and the last line. */
  readonly quiet: boolean
  readonly config: string | null
}

type JudgingFlags = ParsedArguments<typeof JUDGING_FLAGS>

export function readJudgingArguments({
  value,
  has,
  wrong,
}: Pick<JudgingFlags, 'value' | 'has' | 'wrong'>): Result<JudgingArguments, string> {
  const severity = value('--severity')
  if (severity !== null && severity !== 'warning' && severity !== 'error') return fail(wrong('--severity'))
  if (has('--write-baseline') && has('--baseline'))
    return fail('--write-baseline writes all failures; use it without --baseline')
  return succeed(judgingArguments({ value, has }, severity))
}

const judgingArguments = (
  { value, has }: Pick<JudgingFlags, 'value' | 'has'>,
  severity: JudgingArguments['severity'],
): JudgingArguments => ({
  rules:
    value('--rules')
      ?.split(',')
      .map((id) => id.trim()) ?? null,
  severity,
  baseline: value('--baseline'),
  writeBaseline: value('--write-baseline'),
  budget: value('--budget'),
  junit: value('--junit'),
  report: value('--report'),
  github: has('--github'),
  quiet: has('--quiet'),
  config: value('--config'),
})

/** The arguments without any flag: only the configuration counts. */
export const AS_CONFIGURED = judgingArguments({ value: () => null, has: () => false }, null)

export interface PlanWithBaseline {
  readonly plan: CheckPlan
  readonly baseline: Baseline | null
}

/** Combines flags, configuration and files; flags override files. @returns messages with file, position and value */
export async function readPlan(
  given: JudgingArguments,
  folder: string,
): Promise<Result<PlanWithBaseline, readonly string[]>> {
  const configured = await readConfiguredPlan(given, folder)
  if (!configured.ok) return configured
  const only = given.rules === null ? succeed(null) : readOnly(given.rules)
  if (!only.ok) return fail(only.error.map((message) => `--rules: ${message}`))
  const budgets = given.budget === null ? succeed(configured.value.budgets) : readBudgetFile(given.budget)
  if (!budgets.ok) return budgets
  const baseline = readBaselineFile(given)
  if (!baseline.ok) return fail([baseline.error])
  const { severity } = configured.value
  return succeed({
    plan: { ...configured.value, severity: given.severity ?? severity, budgets: budgets.value, only: only.value },
    baseline: baseline.value,
  })
}

async function readConfiguredPlan(
  { config }: JudgingArguments,
  folder: string,
): Promise<Result<CheckPlan, readonly string[]>> {
  const named = config === null ? succeed(findConfig(folder)) : namedConfig(config)
  if (!named.ok) return fail([named.error])
  if (named.value === null) return readConfig({})
  const file = named.value
  const loaded = await loadConfig(file)
  if (!loaded.ok) return fail([loaded.error])
  const read = readConfig(loaded.value)
  return read.ok ? read : fail(read.error.map((message) => `${shownFile(file)}: ${withStop(message)}`))
}

function readBudgetFile(name: string): Result<CheckPlan['budgets'], readonly string[]> {
  const text = readText(name)
  if (!text.ok) return fail([`--budget ${name}: ${text.error}.`])
  const json = parseJson(text.value)
  if (!json.ok) return fail([`--budget ${name}: ${json.error}.`])
  const read = readBudgets(json.value)
  return read.ok ? read : fail(read.error.map((message) => `${name}: ${withStop(message)}`))
}

function readBaselineFile({ baseline }: JudgingArguments): Result<Baseline | null, string> {
  if (baseline === null) return succeed(null)
  if (!existsSync(resolve(baseline)))
    return fail(`--baseline ${baseline}: there is no such file; create it with --write-baseline ${baseline}.`)
  const text = readText(baseline)
  if (!text.ok) return fail(`--baseline ${baseline}: ${text.error}.`)
  const read = readBaseline(text.value)
  return read.ok ? read : fail(`${baseline}: ${read.error}.`)
}

const withStop = (sentence: string): string => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`)

function readText(name: string): Result<string, string> {
  try {
    return succeed(readFileSync(resolve(name), 'utf8'))
  } catch (cause) {
    return fail(hasCode(cause, 'ENOENT') ? 'there is no such file' : explainSystemError(cause))
  }
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return succeed(JSON.parse(text))
  } catch (cause) {
    return fail(`it is not valid JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}
