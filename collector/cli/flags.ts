import { meantBy } from '../../lib/config/nearest'
import { fail, type Result, succeed } from '../../lib/protocol/result'

/** Flags of a command: of each what has to stand behind it, or `null` where nothing does. */
export type FlagTable = Readonly<Record<`--${string}`, string | null>>

/** What was typed behind a command. */
export interface TypedFlags<Table extends FlagTable> {
  readonly help: boolean
  /** What stands behind a flag; `null` where it was not typed. */
  readonly value: (flag: keyof Table) => string | null
  /** Was it typed? */
  readonly has: (flag: keyof Table) => boolean
  /** Words that are no flags; of a command that runs another what stands behind `--`, or from the first such word on. */
  readonly words: readonly string[]
}

export interface FlagReading<Table extends FlagTable> {
  readonly table: Table
  /** The first word that is no flag begins another program, whose flags are its own. */
  readonly runsProgram?: boolean
  /** Why a flag takes no value, in place of the plain sentence. */
  readonly withoutValue?: Readonly<Record<string, string>>
  /** Of flags that another command takes and this one does not: what is meant here. */
  readonly ofOthers?: Readonly<Record<string, string>>
}

/**
 * Reads `--flag value`, `--flag=value` and `--switch`; each stands there once.
 * @returns what was typed, or a sentence that says what was meant
 */
export function readFlags<Table extends FlagTable>(
  typed: readonly string[],
  { table, runsProgram = false, withoutValue = {}, ofOthers = {} }: FlagReading<Table>,
): Result<TypedFlags<Table>, string> {
  const values = new Map<string, string>()
  const words: string[] = []
  const read = (help: boolean): TypedFlags<Table> => ({
    help,
    value: (flag) => values.get(String(flag)) ?? null,
    has: (flag) => values.has(String(flag)),
    words,
  })
  for (let at = 0; at < typed.length; at += 1) {
    const word = typed[at] ?? ''
    if (word === '--' || (runsProgram && !word.startsWith('-'))) {
      words.push(...typed.slice(word === '--' ? at + 1 : at))
      return succeed(read(false))
    }
    if (!word.startsWith('-') || word === '-') {
      words.push(word)
      continue
    }
    const [flag = '', ...given] = word.split('=')
    if (flag === '--help' || flag === '-h') return succeed(read(true))
    if (!isIn(table, flag)) {
      const instead = ofOthers[flag]
      if (instead !== undefined) return fail(instead)
      const where = runsProgram ? ' (what belongs to CMD stands behind --)' : ''
      return fail(`There is no flag ${flag}${where}: ${hintAtFlag(flag, [...Object.keys(table), '--help'])}`)
    }
    if (values.has(flag)) return fail(`${flag} stands there twice: which of them is meant?`)
    const meant = table[flag]
    if (meant === null) {
      if (given.length > 0) return fail(withoutValue[flag] ?? `${flag} takes no value.`)
      values.set(flag, '')
      continue
    }
    const value = given.length > 0 ? given.join('=') : typed[++at]
    if (value === undefined || value === '' || value === '--') return fail(`${flag} wants ${meant} behind it.`)
    values.set(flag, value)
  }
  return succeed(read(false))
}

/** One that says no is known by what it says no to: `--chek` is nearer to `--no-check` than to `--help`. */
function hintAtFlag(flag: string, flags: readonly string[]): string {
  const wordOf = (one: string): string => one.replace(/^--no-/, '--')
  const word = meantBy(wordOf(flag), flags.map(wordOf))
  const meant = flags.find((one) => wordOf(one) === word)
  return meant === undefined ? `known are ${flags.join(', ')}` : `did you mean ${meant}?`
}

const isIn = <Table extends FlagTable>(table: Table, flag: string): flag is keyof Table & `--${string}` =>
  Object.hasOwn(table, flag)

/** Seconds as they are typed, as whole ms; `null` where they are none, or more than `most`. */
export function readSeconds(text: string, most: number): number | null {
  const seconds = Number(text)
  return text.trim() !== '' && seconds >= 0 && seconds <= most ? Math.round(seconds * 1000) : null
}
