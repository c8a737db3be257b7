import { resolve } from 'node:path'
import { nameHint } from '../../../lib/config/nearest'
import { fail, type Result, succeed } from '../../../lib/protocol/result'
import { isRunName } from '../../../lib/wire/run-text'
import { type ArgumentError, type ParsedArguments, parseArguments, readSeconds } from '../arguments'
import { COMMAND_NAMES, VERB_COMMANDS } from '../commands.js'
import { JUDGING_FLAGS, RUN_FLAGS } from '../flags.js'
import { type JudgingArguments, readJudgingArguments } from '../judge/judging-arguments'

const DEFAULT_SETTLE_MS = 5000
const MOST_SETTLE_S = 3600

export interface RunArguments {
  readonly relay: boolean
  readonly data: string | null
  readonly settleMs: number
  /** Adds this run to the profile if it is green. */
  readonly learn: boolean
  /** The file to which the run is also written. */
  readonly save: string | null
  /** Removes secrets from that file. */
  readonly scrub: boolean
  readonly name: string | null
  /** `null` with --no-check. */
  readonly judging: JudgingArguments | null
  readonly program: string
  readonly args: readonly string[]
}

const OWN_RECORDING = 'run always judges its own recording'
/** Flags of `check` that a person may try here. */
const FLAGS_OF_CHECK = {
  '--url': `run has no flag --url: ${OWN_RECORDING}`,
  '--stamp': `run has no flag --stamp: ${OWN_RECORDING}`,
  '--since': `run has no flag --since: ${OWN_RECORDING}`,
  '--json': 'run has no flag --json: standard output belongs to CMD; use --report FILE',
}

/** `run`, flags, then `--` or the first positional, which is the program. @returns a message for a wrong argument */
export function readRunArguments(words: readonly string[]): Result<RunArguments, ArgumentError> {
  const [command = '', ...rest] = words
  if (command !== 'run')
    return fail(
      `unknown command ${JSON.stringify(command)}; ${nameHint(command, [...COMMAND_NAMES, ...Object.keys(VERB_COMMANDS)])}`,
    )
  const parsed = parseArguments(rest, RUN_FLAGS, { runsProgram: true, otherwise: FLAGS_OF_CHECK })
  if (!parsed.ok) return parsed
  const { value, has, wrong, positionals } = parsed.value
  const seconds = value('--settle')
  const settleMs = seconds === null ? DEFAULT_SETTLE_MS : readSeconds(seconds, MOST_SETTLE_S)
  if (settleMs === null) return fail(wrong('--settle'))
  const judging = readJudging(parsed.value)
  if (!judging.ok) return judging
  const [save, name] = [value('--save'), value('--name')]
  if (has('--scrub') && save === null) return fail('--scrub changes only the file of --save, which is missing')
  if (name !== null && !isRunName(name)) return fail(wrong('--name'))
  const [program, ...args] = positionals
  if (program === undefined || program === '') return fail('CMD is missing, for example: waystation run -- npm test')
  return succeed({
    relay: has('--relay'),
    data: value('--data'),
    settleMs,
    learn: has('--learn'),
    save: save === null ? null : resolve(save),
    scrub: has('--scrub'),
    name,
    judging: judging.value,
    program,
    args,
  })
}

function readJudging(parsed: ParsedArguments<typeof RUN_FLAGS>): Result<JudgingArguments | null, string> {
  if (!parsed.has('--no-check')) return readJudgingArguments(parsed)
  const useless = parsed.has('--learn')
    ? '--learn'
    : Object.keys(JUDGING_FLAGS).find((flag) => isJudgingFlag(flag) && parsed.has(flag))
  return useless === undefined ? succeed(null) : fail(`--no-check judges nothing; remove ${useless}`)
}

const isJudgingFlag = (flag: string): flag is keyof typeof JUDGING_FLAGS => Object.hasOwn(JUDGING_FLAGS, flag)
