import { hintAt } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'

const DEFAULT_SETTLE_S = 5
const MOST_SETTLE_S = 3600
const COMMANDS = ['run', 'help'] as const
const FLAGS = ['--relay', '--data', '--settle', '--help'] as const

/** What was typed behind `waystation`. */
export type Words = { readonly do: 'help' } | ({ readonly do: 'run' } & RunWords)

export interface RunWords {
  readonly relay: boolean
  /** As typed; `null` for a new folder of ours. */
  readonly data: string | null
  readonly settleMs: number
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Reads what was typed: flags, then `--` or the first word that is no flag, then the program and its arguments, whose
 * flags are its own.
 * @returns what to do, or a sentence that says what was meant
 */
export function readWords(words: readonly string[]): Result<Words, string> {
  const [command = '', ...rest] = words
  if (command !== 'run') return fail(`There is no command ${JSON.stringify(command)}: ${hintAt(command, COMMANDS)}`)
  let read: Omit<RunWords, 'program' | 'args'> = { relay: false, data: null, settleMs: DEFAULT_SETTLE_S * 1000 }
  const seen = new Set<string>()
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    if (word === '--' || !word.startsWith('-')) return programOf(rest.slice(word === '--' ? at + 1 : at), read)
    const [flag = '', ...given] = word.split('=')
    if (flag === '--help' || flag === '-h') return succeed({ do: 'help' })
    if (seen.has(flag)) return fail(`${flag} stands there twice: which of them is meant?`)
    seen.add(flag)
    if (flag === '--relay') {
      if (given.length > 0) return fail('--relay takes no value; which upstream it is says WAYSTATION_UPSTREAM.')
      read = { ...read, relay: true }
    } else if (flag === '--data' || flag === '--settle') {
      const value = given.length > 0 ? given.join('=') : rest[++at]
      const set = value === undefined || value === '' || value === '--' ? null : setting(flag, value)
      if (set === null) return fail(`${flag} wants ${MEANT[flag]} behind it.`)
      if (!set.ok) return set
      read = { ...read, ...set.value }
    } else return fail(`There is no flag ${flag} (what belongs to CMD stands behind --): ${hintAt(flag, FLAGS)}`)
  }
  return programOf([], read)
}

const MEANT = {
  '--data': 'a folder',
  '--settle': `seconds, 0 to ${MOST_SETTLE_S}`,
} as const

function setting(flag: keyof typeof MEANT, value: string): Result<Partial<RunWords>, string> {
  if (flag === '--data') return succeed({ data: value })
  const seconds = Number(value)
  if (!(seconds >= 0 && seconds <= MOST_SETTLE_S)) return fail(`--settle ${value}: meant is ${MEANT[flag]}.`)
  return succeed({ settleMs: Math.round(seconds * 1000) })
}

function programOf(
  [program, ...args]: readonly string[],
  read: Omit<RunWords, 'program' | 'args'>,
): Result<Words, string> {
  if (program === undefined || program === '')
    return fail('Which program is to be run? waystation run -- CMD, such as waystation run -- npm test')
  return succeed({ do: 'run', ...read, program, args })
}
