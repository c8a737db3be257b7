import { benchCommand } from './bench-command'
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

/** `npm run bench:kit`. */
export const run = benchCommand({
  name: 'kit',
  help: KIT_HELP,
  parse: parseKitFlags,
  measure: async (flags, { own }) => {
    const figures: Partial<Record<KitPart, unknown>> = {}
    const goals: Goal[] = []
    for (const part of flags.parts) {
      const measured = await PARTS[part](flags, own)
      console.log(`\n${measured.told}`)
      figures[part] = measured.figures
      goals.push(...measured.goals)
    }
    return { figures, goals, wrong: [] }
  },
  print: ({ goals }) => console.log(`\n${goalTable(goals)}`),
})
