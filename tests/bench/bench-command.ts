import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import type { Result } from '../../lib/protocol/result'
import { profileSummary } from './profile-summary'

export interface Folders {
  /** What later runs use, too. */
  readonly shelf: string
  /** Of this run, and goes with it. */
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
  /** What does not add up: the figures say nothing then. */
  readonly wrong: readonly string[]
  /** Folder of the CPU profiles, where they were asked for. */
  readonly profiles?: string | undefined
}

/** All that is kept of a run. */
export type Figures<Flags, Found extends Measured> = Found & { readonly flags: Flags; readonly machine: Machine }

interface BenchPlan<Flags, Found extends Measured> {
  /** As in `npm run bench:NAME`. */
  readonly name: string
  readonly help: string
  readonly parse: (words: readonly string[]) => Result<Flags, string>
  readonly measure: (flags: Flags, folders: Folders) => Promise<Found>
  readonly print: (figures: Figures<Flags, Found>) => void
}

/** @returns what `start.js` runs; its exit code is 1 where figures do not add up. That goals are met is told, and fails nothing. */
export function benchCommand<Flags, Found extends Measured>(
  plan: BenchPlan<Flags, Found>,
): (given: Folders & { readonly words: readonly string[] }) => Promise<number> {
  return async ({ words, shelf, own }) => {
    if (words.includes('--help') || words.includes('-h')) {
      console.log(plan.help)
      return 0
    }
    const flags = plan.parse(words)
    if (!flags.ok) {
      console.error(`${flags.error}\n\n${plan.help}`)
      return 2
    }
    const loadBefore = loadavg()
    console.log(`load average ${loadBefore.map((load) => load.toFixed(1))} on ${cpus().length} cores`)
    const found = await plan.measure(flags.value, { shelf, own })
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
    for (const sentence of found.wrong) console.log(`WRONG: ${sentence}`)
    if (found.profiles !== undefined) console.log(`\n${profileSummary(found.profiles)}`)
    const path = join(shelf, `${plan.name}-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`)
    writeFileSync(path, `${JSON.stringify(figures, null, 2)}\n`)
    console.log(`\nAll figures are in ${path}.`)
    return found.wrong.length > 0 ? 1 : 0
  }
}
