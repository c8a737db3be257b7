import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { basename, join } from 'node:path'
import type { CommandLine } from './flags'
import { textTable } from './report'

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
export type Figures<Flags, Found extends Measured> = Found & { readonly flags: Flags; readonly machine: Machine }

interface BenchPlan<Flags, Found extends Measured> {
  readonly line: CommandLine<Flags>
  readonly measure: (flags: Flags, folders: Folders) => Promise<Found>
  readonly print: (figures: Figures<Flags, Found>) => void
  /** Changes the figures for the JSON file, to keep its field names. */
  readonly toJson?: (figures: Figures<Flags, Found>) => object
}

/** @returns the function that `start.js` runs. Exit code 1: counts do not match; 2: wrong flags. Missed goals fail nothing. */
export function benchCommand<Flags, Found extends Measured>({
  line,
  measure,
  print,
  toJson = (figures) => figures,
}: BenchPlan<Flags, Found>): (given: Folders & { readonly args: readonly string[] }) => Promise<number> {
  return async ({ args, shared, own }) => {
    if (args.includes('--help') || args.includes('-h')) {
      console.log(line.help)
      return 0
    }
    const flags = line.parse(args)
    if (!flags.ok) {
      console.error(`${flags.error}\n\n${line.help}`)
      return 2
    }
    const loadBefore = loadavg()
    console.log(`load average ${loadBefore.map((load) => load.toFixed(1))} on ${cpus().length} cores`)
    const found = await measure(flags.value, { shared, own })
    const machine = {
      cores: cpus().length,
      model: cpus()[0]?.model ?? '',
      node: process.version,
      system: `${process.platform} ${release()}`,
      loadBefore,
      loadAfter: loadavg(),
    }
    const figures = { ...found, flags: flags.value, machine }
    print(figures)
    for (const mismatch of found.wrong) console.log(`WRONG: ${mismatch}`)
    if (found.profiles !== undefined) console.log(`\n${profileSummary(found.profiles)}`)
    const path = join(shared, `${line.name}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`)
    writeFileSync(path, `${JSON.stringify(toJson(figures), null, 2)}\n`)
    console.log(`\nAll figures are in ${path}.`)
    return found.wrong.length > 0 ? 1 : 0
  }
}

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** µs before each sample. */
  readonly timeDeltas: readonly number[]
}

const FUNCTIONS_PER_THREAD = 8
/** The profiler's name for waiting. Native code that JavaScript did not call is `(program)`. */
const IDLE = '(idle)'

/** The functions of each profiled thread with the most self time. */
function profileSummary(folder: string): string {
  const rows = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .flatMap((name) => {
      const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile
      const heaviest = selfTimes(profile).filter(([what]) => what !== IDLE)
      const busy = heaviest.reduce((sum, [, micros]) => sum + micros, 0)
      const seconds = (micros: number): string => (micros / 1e6).toFixed(2)
      return [
        [basename(name, '.cpuprofile'), seconds(busy), '100 %'],
        ...heaviest
          .slice(0, FUNCTIONS_PER_THREAD)
          .map(([what, micros]) => [`  ${what}`, seconds(micros), `${((100 * micros) / busy).toFixed(0)} %`]),
      ]
    })
  return textTable(['thread and self time of functions, including waits for disk and core', 's', 'share'], rows)
}

function selfTimes({ nodes, samples, timeDeltas }: Profile): readonly (readonly [string, number])[] {
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || '(anonymous)'}${url === '' ? '' : ` ${basename(url)}:${lineNumber + 1}`}`,
    ]),
  )
  const sums = new Map<string, number>()
  for (const [index, id] of samples.entries()) {
    const name = names.get(id) ?? ''
    sums.set(name, (sums.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  }
  return [...sums].sort(([, a], [, b]) => b - a)
}
