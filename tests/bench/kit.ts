import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import { KIT_HELP, type KitFlags, type KitPart, parseKitFlags } from './kit-flags'
import { goalsOfJudging, measureJudging, toldJudging } from './kit-judge'
import { goalsOfWaits, measureWaits, toldWaits } from './kit-wait'
import { type Goal, goalTable } from './text-table'

/** What a part found: its figures as they are kept, in words, and against what is asked of the product. */
interface Measured {
  readonly figures: unknown
  readonly told: string
  readonly goals: readonly Goal[]
}

/** `own`: a folder of this run, which goes with it. */
type Measure = (flags: KitFlags, own: string) => Promise<Measured>

/** A part more is a file, a word of `KIT_PARTS`, and a line here. */
const PARTS: Readonly<Record<KitPart, Measure>> = {
  wait: async (_flags, own) => {
    const figures = await measureWaits(own)
    return { figures, told: toldWaits(figures), goals: goalsOfWaits(figures) }
  },
  judge: async (flags) => {
    const figures = measureJudging(flags)
    return { figures, told: toldJudging(figures), goals: goalsOfJudging(figures) }
  },
}

/** `npm run bench:kit`. @returns the exit code: whether the goals are met is told, and fails nothing. */
export async function run(given: {
  readonly words: readonly string[]
  readonly shelf: string
  readonly own: string
}): Promise<number> {
  const flags = parseKitFlags(given.words)
  if (!flags.ok) {
    console.error(`${flags.error}\n\n${KIT_HELP}`)
    return 2
  }
  if (flags.value === 'help') {
    console.log(KIT_HELP)
    return 0
  }
  const loadBefore = loadavg()
  console.log(`load average ${loadBefore.map((load) => load.toFixed(1))} on ${cpus().length} cores`)
  const parts: Record<string, unknown> = {}
  const goals: Goal[] = []
  for (const part of flags.value.parts) {
    const { figures, told, goals: found } = await PARTS[part](flags.value, given.own)
    console.log(`\n${told}`)
    parts[part] = figures
    goals.push(...found)
  }
  console.log(`\n${goalTable(goals)}`)
  const machine = {
    cores: cpus().length,
    model: cpus()[0]?.model ?? '',
    node: process.version,
    system: `${process.platform} ${release()}`,
    loadBefore,
    loadAfter: loadavg(),
  }
  const path = join(given.shelf, `kit-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`)
  writeFileSync(path, `${JSON.stringify({ ...flags.value, machine, parts, goals }, null, 2)}\n`)
  console.log(`\nAll figures are in ${path}.`)
  return 0
}
