import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import type { ASKING_FLAGS } from './asking-words'
import { JUDGING_FLAGS, type JudgingWords, readJudging } from './check-words'
import { readFlags, readSeconds, type TypedFlags } from './flags'

const DEFAULT_SETTLE_MS = 5000
const MOST_SETTLE_S = 3600
const COMMANDS = ['run', 'check', 'wait', 'tail', 'doctor', 'help'] as const

/** What run takes, and what stands behind it. */
export const RUN_FLAGS = {
  '--relay': null,
  '--data': 'a folder',
  '--settle': `seconds, 0 to ${MOST_SETTLE_S}`,
  '--no-check': null,
  ...JUDGING_FLAGS,
} as const

const ITS_OWN = 'run judges a recording of its own, all of it'
/** What check takes to ask a collector. */
const OF_CHECK = {
  '--url': `There is no flag --url here: ${ITS_OWN}.`,
  '--stamp': `There is no flag --stamp here: ${ITS_OWN}.`,
  '--since': `There is no flag --since here: ${ITS_OWN}.`,
  '--json': 'There is no flag --json here, for stdout is the program’s: --report FILE writes the report as JSON.',
} as const satisfies Record<keyof typeof ASKING_FLAGS, string>

const JUDGING = Object.keys(JUDGING_FLAGS) as readonly (keyof typeof JUDGING_FLAGS)[]

/** What was typed behind `waystation run`. */
export interface RunWords {
  readonly relay: boolean
  /** As typed; `null` for a new folder of ours. */
  readonly data: string | null
  readonly settleMs: number
  /** How what arrived is judged; `null` where it is not. */
  readonly judging: JudgingWords | null
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Reads what was typed: flags, then `--` or the first word that is no flag, then the program and its arguments, whose
 * flags are its own.
 * @returns what was typed; `help`; or a sentence that says what was meant
 */
export function readRunWords(words: readonly string[]): Result<RunWords | 'help', string> {
  const [command = '', ...rest] = words
  if (command !== 'run') return fail(`There is no command ${JSON.stringify(command)}: ${hintAt(command, COMMANDS)}`)
  const withoutValue = { '--relay': '--relay takes no value; which upstream it is says WAYSTATION_UPSTREAM.' }
  const read = readFlags(rest, { table: RUN_FLAGS, runsProgram: true, withoutValue, ofOthers: OF_CHECK })
  if (!read.ok) return read
  const { help, value, has, words: behind } = read.value
  if (help) return succeed('help')
  const seconds = value('--settle')
  const settleMs = seconds === null ? DEFAULT_SETTLE_MS : readSeconds(seconds, MOST_SETTLE_S)
  if (settleMs === null) return fail(`--settle ${seconds}: meant is ${RUN_FLAGS['--settle']}.`)
  const judging = judgingOf(read.value)
  if (!judging.ok) return judging
  const [program, ...args] = behind
  if (program === undefined || program === '')
    return fail('Which program is to be run? waystation run -- CMD, such as waystation run -- npm test')
  return succeed({ relay: has('--relay'), data: value('--data'), settleMs, judging: judging.value, program, args })
}

function judgingOf(typed: TypedFlags<typeof RUN_FLAGS>): Result<JudgingWords | null, string> {
  if (!typed.has('--no-check')) return readJudging(typed)
  const other = JUDGING.find((flag) => typed.has(flag))
  return other === undefined ? succeed(null) : fail(`--no-check judges nothing, so ${other} has nothing to do there.`)
}
