import type { Result } from '../../lib/protocol/result'
import type { Figures, Measured } from './bench-command'
import type { Syncs } from './count-syncs'
import type { Disk } from './disk'
import type { Round } from './ingest-bursts'
import type { IngestFlags } from './ingest-flags'
import { ingestGoals } from './ingest-goals'
import { ingestTable } from './ingest-lines'
import type { SteadyRun, SustainedRun } from './ingest-sustained'
import type { LoadRun } from './run-load'
import type { SpotlightRun } from './spotlight'
import { goalTable, median, ms, whole } from './text-table'

/** What the parts of the bench found. */
export interface IngestFound extends Measured {
  readonly disk: Disk
  /** ms until an empty collector takes envelopes. */
  readonly starts: readonly number[]
  /** The same with the kept store of 200,000 segments; `null` in the quick form where it would have to be made first. */
  readonly stored: { readonly bytes: number; readonly starts: readonly number[] } | null
  readonly rounds: readonly Round[]
  readonly sustained: SustainedRun | null
  readonly half: SteadyRun | null
  readonly syncs: { readonly burst: Syncs | null; readonly half: Syncs | null }
  /** `null` where nobody asked for it. */
  readonly spotlight: Result<readonly SpotlightRun[], string> | null
}

/** A sender that uses more of a core than this may be what is measured. */
const SATURATED = 0.85

/** Prints what was measured, and how it compares with what is wanted. */
export function printIngest(figures: Figures<IngestFlags, IngestFound>): void {
  const { rounds, disk, spotlight, machine } = figures
  console.log(`\n${ingestTable(figures)}\n`)
  const bytes = median(rounds.map(({ ours }) => ours.sent.bytes / ours.sent.sent))
  console.log(
    `An envelope has ${whole(bytes)} bytes on average. CPU is that of the whole process, per envelope, until everything is digested and relayed. A synced write here takes ${ms(disk.syncMs)} ms (p99 ${ms(disk.syncP99Ms)}).`,
  )
  console.log(floorLine(figures))
  console.log(syncsLine(figures.syncs))
  const [record, withRows] = [({ disk: of }: Round) => of.record, ({ disk: of }: Round) => of.withRows].map((of) =>
    median(rounds.map(of)),
  )
  console.log(
    `On disk an envelope takes ${whole((record ?? 0) * bytes)} bytes of record and ${whole((withRows ?? 0) * bytes)} with its rows.`,
  )
  const drained = median(rounds.map(({ drainedPerSecond }) => drainedPerSecond))
  console.log(`While nothing arrives, ${whole(drained)} a second are digested and relayed.`)
  const starved = rounds
    .flatMap(({ bare, ours }) => [bare.sent.starved, ours.sent.starved])
    .filter((one) => one !== null)
  const load = [machine.loadBefore, machine.loadAfter].map((averages) => averages[0]?.toFixed(1)).join(' and ')
  console.log(
    `The load average was ${load} on ${machine.cores} cores${starved.length === 0 ? '' : `; in bursts the sender waited for a core ${(100 * median(starved)).toFixed(0)} % of the time`}.`,
  )
  if (rounds.some(({ bare, ours }) => Math.max(bare.sent.busy, ours.sent.busy) > SATURATED))
    console.log(
      `THE SENDER (${figures.flags.via}) WAS SATURATED in a burst: whoever was faster could have been faster still.`,
    )
  if (disk.isMemory) console.log('THE DATA FOLDER IS IN MEMORY: syncs cost nothing there.')
  if (spotlight !== null && !spotlight.ok) console.log(`Spotlight was not measured: ${spotlight.error}`)
  console.log(`\n${goalTable(ingestGoals(figures))}`)
}

/** How much of our CPU the work itself takes, whoever does it. */
function floorLine({ rounds, half }: IngestFound): string {
  const cpu = (of: LoadRun): number => of.cpuMicrosPerEnvelope
  const all = [
    { name: 'burst', runs: rounds.map(({ bare, floor, ours }) => ({ bare, floor, ours })) },
    { name: 'half', runs: half === null ? [] : [{ bare: half.bare, floor: half.floor, ours: half.run }] },
  ]
  const told = all.flatMap(({ name, runs }) => {
    if (runs.length === 0) return []
    const overBare = median(runs.map(({ bare, floor }) => cpu(floor) / cpu(bare)))
    const overFloor = median(runs.map(({ floor, ours }) => cpu(ours) / cpu(floor)))
    return [`${name} floor / bare ${overBare.toFixed(2)}, ours / floor ${overFloor.toFixed(2)}`]
  })
  return `CPU of the floor (read, deflate, insert, sync, inflate, parse, post; nothing of the product): ${told.join('; ')}.`
}

function syncsLine({ burst, half }: IngestFound['syncs']): string {
  const told = [['burst', burst] as const, ['half', half] as const].flatMap(([name, counted]) =>
    counted === null
      ? []
      : [`${name} ${counted.record.toFixed(3)} of the record, ${counted.rows.toFixed(3)} of the rows`],
  )
  return told.length === 0
    ? 'Syncs were not counted: there is no strace.'
    : `Syncs per envelope, counted under strace: ${told.join('; ')}.`
}
