import { fail, type Result, succeed } from '../../lib/protocol/result'
import { ASKING_FLAGS, type AskingWords, readAsking } from './asking-words'
import { readFlags, type TypedFlags } from './flags'
import type { Since } from './since'

/** How what was recorded is judged, and where that is told: of `check` and of `run` alike. */
export const JUDGING_FLAGS = {
  '--rules': 'ids of rules, separated by commas',
  '--severity': 'warning or error',
  '--baseline': 'a file of failures that are known',
  '--write-baseline': 'a file for the failures of this recording',
  '--budget': 'a file of budgets',
  '--junit': 'a file',
  '--report': 'a file',
  '--github': null,
  '--config': 'a file such as waystation.config.ts',
} as const

/** What was typed of them; files as they were typed. */
export interface JudgingWords {
  readonly rules: readonly string[] | null
  readonly severity: 'warning' | 'error' | null
  readonly baseline: string | null
  /** The file to write; then no other is read. */
  readonly writeBaseline: string | null
  readonly budget: string | null
  readonly junit: string | null
  readonly report: string | null
  readonly github: boolean
  readonly config: string | null
}

export function readJudging({ value, has }: TypedFlags<typeof JUDGING_FLAGS>): Result<JudgingWords, string> {
  const severity = value('--severity')
  if (severity !== null && severity !== 'warning' && severity !== 'error')
    return fail(`--severity ${severity}: meant is ${JUDGING_FLAGS['--severity']}.`)
  if (has('--write-baseline') && has('--baseline'))
    return fail('--write-baseline FILE writes what fails, all of it: leave --baseline out.')
  const rules = value('--rules')
  return succeed({
    rules: rules === null ? null : rules.split(',').map((id) => id.trim()),
    severity,
    baseline: value('--baseline'),
    writeBaseline: value('--write-baseline'),
    budget: value('--budget'),
    junit: value('--junit'),
    report: value('--report'),
    github: has('--github'),
    config: value('--config'),
  })
}

/** What check takes, and what stands behind it. */
export const CHECK_FLAGS = {
  ...ASKING_FLAGS,
  ...JUDGING_FLAGS,
} as const

/** What `waystation check` is to judge. */
export interface CheckWords extends JudgingWords, AskingWords {
  /** `null`: from the beginning. */
  readonly since: Since | null
}

/** @param now ms since the epoch. @returns what was typed; `help`; or a sentence that says what was meant */
export function readCheckWords(typed: readonly string[], now: number): Result<CheckWords | 'help', string> {
  const read = readFlags(typed, { table: CHECK_FLAGS })
  if (!read.ok) return read
  const { help, words } = read.value
  if (help) return succeed('help')
  if (words.length > 0)
    return fail(`${JSON.stringify(words[0])} is not understood: all that check takes are flags, see --help.`)
  const asking = readAsking(read.value, now)
  if (!asking.ok) return asking
  const judging = readJudging(read.value)
  return judging.ok ? succeed({ ...asking.value, ...judging.value }) : judging
}
