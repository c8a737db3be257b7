import { parseArgs } from 'node:util'
import { similarName } from '../../lib/config/nearest'
import { isStamp } from '../../lib/protocol/request'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { refuse } from './collector-connection'
import { commandHelp } from './commands.js'
import { USAGE_ERROR } from './exit-codes'
import { type FlagTable, PLACEHOLDERS, type START_FLAGS } from './flags.js'
import { readSince, type Since } from './since'

export const HELP = Symbol('help')

/** Why a command does not run: `HELP` was requested, or a message that names the wrong argument and what is valid. */
export type ArgumentError = string | typeof HELP

/** Prints the help of a command, or what is wrong with its arguments. Returns the exit code. */
export function helpOrRefuse(command: string, error: ArgumentError): number {
  if (error !== HELP) return refuse(USAGE_ERROR, [error])
  console.log(commandHelp(command))
  return 0
}

export interface ParsedArguments<Table extends FlagTable> {
  readonly value: (flag: keyof Table & string) => string | null
  readonly has: (flag: keyof Table & string) => boolean
  /** A message that the value of a flag is wrong. */
  readonly wrong: (flag: keyof Table & string) => string
  /** Every given flag; a switch has an empty value. */
  readonly given: ReadonlyMap<string, string>
  /** Arguments that are no flags. With `runsProgram`: the program and all its arguments. */
  readonly positionals: readonly string[]
}

/**
 * Parses `--flag value`, `--flag=value`, switches and positional arguments. Each flag may occur once.
 * @param options.runsProgram everything after `--`, or from the first positional on, belongs to another program
 * @param options.otherwise messages for flags that belong to another command
 */
export function parseArguments<Table extends FlagTable>(
  args: readonly string[],
  table: Table,
  options: { readonly runsProgram?: boolean; readonly otherwise?: Readonly<Record<string, string>> } = {},
): Result<ParsedArguments<Table>, ArgumentError> {
  const { runsProgram = false, otherwise = {} } = options
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(table).map(([flag, { value }]) => [
        flag.slice(2),
        { type: value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values = new Map<string, string>()
  let positionals: readonly string[] = []
  for (const token of tokens) {
    if (token.kind === 'option-terminator' || (runsProgram && token.kind === 'positional')) {
      const rest = args.slice(token.kind === 'positional' ? token.index : token.index + 1)
      positionals = [...positionals, ...rest]
      break
    }
    if (token.kind === 'positional') {
      positionals = [...positionals, token.value]
      continue
    }
    const flag = token.rawName
    if (flag === '--help' || flag === '-h') return fail(HELP)
    if (!Object.hasOwn(table, flag)) {
      const hint = runsProgram ? '; flags of CMD come after --' : ''
      return fail(otherwise[flag] ?? `${unknownFlag(flag, Object.keys(table))}${hint}`)
    }
    if (values.has(flag)) return fail(`${flag} is given twice`)
    const isSwitch = validValues(table, flag) === null
    if (isSwitch && token.value !== undefined) return fail(`${flag} takes no value, got ${JSON.stringify(token.value)}`)
    if (!isSwitch && (token.value === undefined || token.value === '' || token.value === '--'))
      return fail(`${flag} requires ${validValues(table, flag)}`)
    values.set(flag, token.value ?? '')
  }
  return succeed({
    value: (flag) => values.get(flag) ?? null,
    has: (flag) => values.has(flag),
    wrong: (flag) => `${flag} must be ${validValues(table, flag)}, got ${JSON.stringify(values.get(flag))}`,
    given: values,
    positionals,
  })
}

/** The valid values of a flag in words; null for a switch. */
function validValues(table: FlagTable, flag: string): string | null {
  const found = Object.entries(table).find(([name]) => name === flag)?.[1]
  if (found?.value === undefined) return null
  const byPlaceholder: Readonly<Record<string, string>> = PLACEHOLDERS
  return found.valid ?? byPlaceholder[found.value] ?? found.value
}

function unknownFlag(flag: string, valid: readonly string[]): string {
  // `--chek` is nearer to `--no-check` than to `--help`.
  const withoutNo = (one: string): string => one.replace(/^--no-/, '--')
  const nearest = similarName(withoutNo(flag), valid.map(withoutNo))
  const suggested = valid.find((one) => withoutNo(one) === nearest)
  const suggestion = suggested === undefined ? '' : `; did you mean ${suggested}?`
  return `unknown flag ${flag}${suggestion}; valid flags: ${[...valid, '--help'].join(', ')}`
}

/** Reads seconds, such as `10` or `10s`, as whole ms; null when it is no number, or more than `most`. */
export function readSeconds(text: string, most: number): number | null {
  const digits = text.replace(/(?<=\d)s$/, '')
  const seconds = Number(digits)
  return digits.trim() !== '' && seconds >= 0 && seconds <= most ? Math.round(seconds * 1000) : null
}

export interface QueryArguments {
  readonly url: string | null
  readonly stamp: string | null
  readonly since: Since | null
  readonly json: boolean
}

/** @param now ms since the epoch */
export function readQueryArguments(
  {
    value,
    has,
    wrong,
  }: {
    readonly value: (flag: '--url' | '--stamp' | '--since') => string | null
    readonly has: (flag: '--json') => boolean
    readonly wrong: (flag: '--stamp' | '--since') => string
  },
  now: number,
): Result<QueryArguments, string> {
  const stamp = value('--stamp')
  if (stamp !== null && !isStamp(stamp)) return fail(wrong('--stamp'))
  const given = value('--since')
  const since = given === null ? null : readSince(given, now)
  if (given !== null && since === null) return fail(wrong('--since'))
  return succeed({ url: value('--url'), stamp, since, json: has('--json') })
}

const MOST_PORT = 65_535

/** The value of --port, from 0 to 65535; `null` when it is not given. @returns a message for another value */
export function readPort({
  value,
  wrong,
}: Pick<ParsedArguments<Pick<typeof START_FLAGS, '--port'>>, 'value' | 'wrong'>): Result<number | null, string> {
  const text = value('--port')
  if (text === null) return succeed(null)
  return /^\d{1,5}$/.test(text) && Number(text) <= MOST_PORT ? succeed(Number(text)) : fail(wrong('--port'))
}

/** The only argument of a command that reads one run. @returns a message for none, or several */
export function readRunPath(command: string, positionals: readonly string[]): Result<string, string> {
  const [path, ...others] = positionals
  return path === undefined || others.length > 0
    ? fail(`${command} requires one file of waystation run --save, or one folder, got ${JSON.stringify(positionals)}`)
    : succeed(path)
}
