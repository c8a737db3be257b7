import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import { type ArgumentError, HELP, parseArguments } from '../../collector/cli/arguments'
import { describeFlags, type FlagTable } from '../../collector/cli/flags.js'
import { fail, type Result, succeed } from '../../lib/protocol/result'
import { profileSummary } from './profile-summary'
import { emptyFolder } from './resources'

export interface Folders {
  /** Kept for later runs. */
  readonly shared: string
  /** Removed at the end of this run. */
  readonly own: string
}

interface Machine {
  readonly cores: number
  readonly model: string
  readonly node: string
  readonly system: string
  readonly loadBefore: readonly number[]
  readonly loadAfter: readonly number[]
}

export interface Measured {
  /** Mismatches in the counts, which make the figures invalid. */
  readonly wrong: readonly string[]
  /** Folder of the CPU profiles with `--profile`. */
  readonly profiles?: string | undefined
}

/** Everything that a run writes to its JSON file. */
export type Figures<Found extends Measured> = Found & { readonly flags: object; readonly machine: Machine }

/** A flag and its parser. */
interface BenchFlag<Value> {
  readonly value?: string
  readonly about: string
  readonly valid?: string
  readonly default?: string
  /** @param text null without the flag, empty for a switch. @returns undefined when the value is invalid */
  readonly read: (text: string | null, isQuick: boolean) => Value | undefined
}

type Flags = Readonly<Record<string, BenchFlag<unknown>>>
/** The values of flags, by their names in camel case. */
export type Values<Of extends Flags> = {
  readonly [Name in keyof Of]: Of[Name] extends BenchFlag<infer Value> ? Exclude<Value, undefined> : never
}

interface BenchPlan<Of extends Flags, Found extends Measured> {
  /** As in `npm run bench:NAME`. */
  readonly name: string
  readonly about: string
  /** By name in camel case: `onlyBursts` is `--only-bursts`. */
  readonly flags: Of
  readonly measure: (flags: Values<Of>, folders: Folders) => Promise<Found>
  readonly print: (figures: Figures<Found>) => void
}

export interface BenchCommand<Parsed> {
  /** The function that `start.js` runs. Exit code 1: counts do not match; 2: wrong flags. Missed goals fail nothing. */
  readonly run: (given: Folders & { readonly args: readonly string[] }) => Promise<number>
  readonly parse: (args: readonly string[]) => Result<Parsed, ArgumentError>
}

export function benchCommand<const Of extends Flags, Found extends Measured>(
  plan: BenchPlan<Of, Found>,
): BenchCommand<Values<Of>> {
  const { name } = plan
  const table = Object.fromEntries(Object.entries(plan.flags).map(([one, flag]) => [flagOf(one), flag]))
  const help = [`npm run bench:${name} [-- FLAG…]`, plan.about, describeFlags(table)].join('\n\n')
  const parse = (args: readonly string[]): Result<Values<Of>, ArgumentError> => {
    const parsed = parseArguments<FlagTable>(args, table)
    if (!parsed.ok) return parsed
    const { value, has, wrong, positionals } = parsed.value
    if (positionals.length > 0) return fail(`bench:${name} takes only flags, got ${JSON.stringify(positionals[0])}`)
    const values: Record<string, unknown> = {}
    for (const [one, { read }] of Object.entries(plan.flags)) {
      values[one] = read(value(flagOf(one)), has('--quick'))
      if (values[one] === undefined) return fail(wrong(flagOf(one)))
    }
    return succeed(values as Values<Of>)
  }
  return {
    parse,
    run: async ({ args, shared, own }) => {
      const flags = parse(args)
      if (!flags.ok && flags.error === HELP) {
        console.log(help)
        return 0
      }
      if (!flags.ok) {
        console.error(`${String(flags.error)}\n\n${help}`)
        return 2
      }
      const loadBefore = loadavg()
      console.log(`load average ${loadBefore.map((load) => load.toFixed(1))} on ${cpus().length} cores`)
      const found = await plan.measure(flags.value, { shared, own })
      const machine = {
        cores: cpus().length,
        model: cpus()[0]?.model ?? '',
        node: process.version,
        system: `${process.platform} ${release()}`,
        loadBefore,
        loadAfter: loadavg(),
      }
      const figures = { ...found, flags: flags.value, machine }
      plan.print(figures)
      for (const mismatch of found.wrong) console.log(`WRONG: ${mismatch}`)
      if (found.profiles !== undefined) console.log(`\n${profileSummary(found.profiles)}`)
      const path = join(shared, `${name}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`)
      writeFileSync(path, `${JSON.stringify(figures, null, 2)}\n`)
      console.log(`\nAll figures are in ${path}.`)
      return found.wrong.length > 0 ? 1 : 0
    },
  }
}

const flagOf = (name: string): `--${string}` => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

export const toggle = (about: string): BenchFlag<boolean> => ({ about, read: (text) => text !== null })

export const text = (about: string): BenchFlag<string> => ({ value: 'TEXT', about, read: (found) => found ?? '' })

export const count = (about: string, usual: number, quick: number, least = 1): BenchFlag<number> => ({
  value: 'N',
  about,
  valid: least === 1 ? 'a positive integer' : `an integer of at least ${least}`,
  default: `${usual}, or ${quick} with --quick`,
  read: (found, isQuick) => {
    const number = found === null ? (isQuick ? quick : usual) : Number(found)
    return Number.isInteger(number) && number >= least ? number : undefined
  },
})

export const rate = (about: string, otherwise: string): BenchFlag<number | null> => ({
  value: 'N',
  about,
  valid: 'a positive number of envelopes per second, at least 1',
  default: otherwise,
  read: (found) => (found === null ? null : Number(found) >= 1 ? Number(found) : undefined),
})

export const choice = <const Name extends string>(
  about: string,
  names: readonly Name[],
  otherwise: string,
): BenchFlag<Name | null> => ({
  value: 'NAME',
  about,
  valid: names.join(' or '),
  default: otherwise,
  read: (found) => (found === null ? null : names.find((name) => name === found)),
})

/** `--profile`: each thread of the collector writes a CPU profile, which the report sums up. */
export const PROFILE = toggle(
  'writes a CPU profile of each collector thread to .build/bench/profiles and sums them up at the end; slower',
)

/** The folder of the CPU profiles, empty; undefined without `--profile`. */
export const profilesIn = (shared: string, profile: boolean): string | undefined =>
  profile ? emptyFolder(join(shared, 'profiles')) : undefined
