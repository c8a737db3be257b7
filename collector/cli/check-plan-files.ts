import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { type Baseline, readBaseline } from '../../lib/verdict/expectations/baseline'
import { type CheckPlan, readBudgets, readConfig, readOnly } from '../../lib/verdict/expectations/check-plan'
import { explainSystemError } from '../launch/explain-failure.js'
import { hasCode } from '../launch/processes.js'
import type { JudgingWords } from './check-words'
import { findConfig, loadConfig, namedConfig, shownFile } from './config-file'

/** How it is judged, as files and flags say it together: flags go before files. */
export interface PlanWithBaseline {
  readonly plan: CheckPlan
  readonly baseline: Baseline | null
}

/** @returns sentences, each with the file, where in it, what was read and what was meant */
export async function readPlan(
  words: JudgingWords,
  folder: string,
): Promise<Result<PlanWithBaseline, readonly string[]>> {
  const written = await readWritten(words, folder)
  if (!written.ok) return written
  const only = words.rules === null ? succeed(null) : readOnly(words.rules)
  if (!only.ok) return fail(only.error.map((sentence) => `--rules: ${sentence}`))
  const budgets = words.budget === null ? succeed(written.value.budgets) : readBudgetFile(words.budget)
  if (!budgets.ok) return budgets
  const baseline = readBaselineFile(words)
  if (!baseline.ok) return fail([baseline.error])
  const { severity } = written.value
  return succeed({
    plan: { ...written.value, severity: words.severity ?? severity, budgets: budgets.value, only: only.value },
    baseline: baseline.value,
  })
}

/** What the configuration says, and defaults where it says nothing or there is none. */
async function readWritten({ config }: JudgingWords, folder: string): Promise<Result<CheckPlan, readonly string[]>> {
  const named = config === null ? succeed(findConfig(folder)) : namedConfig(config)
  if (!named.ok) return fail([named.error])
  if (named.value === null) return readConfig({})
  const file = named.value
  const loaded = await loadConfig(file)
  if (!loaded.ok) return fail([loaded.error])
  const read = readConfig(loaded.value)
  return read.ok ? read : fail(read.error.map((sentence) => `${shownFile(file)}: ${ended(sentence)}`))
}

function readBudgetFile(given: string): Result<CheckPlan['budgets'], readonly string[]> {
  const json = readJson(given)
  if (!json.ok) return fail([`--budget ${given}: ${json.error}.`])
  const read = readBudgets(json.value)
  return read.ok ? read : fail(read.error.map((sentence) => `${given}: ${ended(sentence)}`))
}

function readBaselineFile({ baseline }: JudgingWords): Result<Baseline | null, string> {
  if (baseline === null) return succeed(null)
  if (!existsSync(resolve(baseline)))
    return fail(`--baseline ${baseline}: there is no such file; --write-baseline ${baseline} makes it.`)
  const text = readText(baseline)
  if (!text.ok) return fail(`--baseline ${baseline}: ${text.error}.`)
  const read = readBaseline(text.value)
  return read.ok ? read : fail(`${baseline}: ${read.error}.`)
}

const ended = (sentence: string): string => (/[.?!]$/.test(sentence) ? sentence : `${sentence}.`)

function readText(given: string): Result<string, string> {
  try {
    return succeed(readFileSync(resolve(given), 'utf8'))
  } catch (cause) {
    return fail(hasCode(cause, 'ENOENT') ? 'there is no such file' : explainSystemError(cause))
  }
}

function readJson(given: string): Result<unknown, string> {
  const text = readText(given)
  if (!text.ok) return text
  try {
    return succeed(JSON.parse(text.value))
  } catch (cause) {
    return fail(`it is no JSON (${cause instanceof Error ? cause.message : String(cause)})`)
  }
}
