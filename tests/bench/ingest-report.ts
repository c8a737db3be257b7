import type { Figures, Measured } from './bench-command'
import type { Round } from './ingest-bursts'
import type { SteadyRun, SustainedRun } from './ingest-sustained'
import type { Waits } from './messages'
import { spansTable } from './otlp-burst'
import { type Goal, goalAtLeast, goalBelow, goalTable, mb, median, ms, percentile, textTable, whole } from './report'
import type { Disk } from './resources'
import type { CollectorRun, LoadRun } from './run-load'

/** Syncs per envelope, by file. */
export interface Syncs {
  readonly envelopes: number
  readonly record: number
  readonly rows: number
  readonly others: number
}

/** The figures of all parts of the benchmark. */
export interface IngestFound extends Measured {
  readonly disk: Disk
  /** ms until an empty collector accepts envelopes. */
  readonly starts: readonly number[]
  /** The same with 200,000 stored segments; null with `--quick` when that store does not exist yet. */
  readonly stored: { readonly bytes: number; readonly starts: readonly number[] } | null
  readonly rounds: readonly Round[]
  readonly sustained: SustainedRun | null
  readonly half: SteadyRun | null
  readonly syncs: { readonly burst: Syncs | null; readonly half: Syncs | null }
  readonly otlp: CollectorRun
}

/** A sender that uses more of a core than this may limit the figures. */
const SATURATED = 0.85

const MB = 1e6

/** One run in a line of the table. */
interface Line {
  readonly waits: Waits
  readonly run: LoadRun
  readonly digestedPerSecond: number | null
}

const HEAD = ['', 'per s', 'p50 ms', 'p99 ms', 'CPU µs', 'syncs', 'peak MB', 'last MB', 'sender', 'digested/s']

/** Prints the figures, and compares them with the goals. */
export function printIngest(figures: Figures<IngestFound>): void {
  const { rounds, disk, machine } = figures
  console.log(`\n${ingestTable(figures)}\n`)
  const bytes = median(rounds.map(({ ours }) => ours.sent.bytes / ours.sent.sent))
  console.log(
    `An envelope has ${whole(bytes)} bytes on average. CPU is that of the whole process, per envelope, until everything is digested and relayed. A synced write here takes ${ms(disk.syncMs)} ms (p99 ${ms(disk.syncP99Ms)}).`,
  )
  console.log(
    'The floor program reads, deflates, inserts, syncs, inflates, parses and posts, without code of the product.',
  )
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
    .flatMap(({ floor, ours }) => [floor.sent.starved, ours.sent.starved])
    .filter((one) => one !== null)
  const load = [machine.loadBefore, machine.loadAfter].map((averages) => averages[0]?.toFixed(1)).join(' and ')
  console.log(
    `The load average was ${load} on ${machine.cores} cores${starved.length === 0 ? '' : `; in bursts the sender waited for a core ${(100 * median(starved)).toFixed(0)} % of the time`}.`,
  )
  if (rounds.some(({ floor, ours }) => Math.max(floor.sent.busy, ours.sent.busy) > SATURATED))
    console.log('THE SENDER WAS SATURATED in a burst: faster servers could have been even faster.')
  if (disk.isMemory) console.log('THE DATA FOLDER IS IN MEMORY: syncs cost nothing there.')
  console.log(`\n${spansTable(rounds, figures.otlp)}`)
  console.log(`\n${goalTable(ingestGoals(figures))}`)
}

function syncsLine({ burst, half }: IngestFound['syncs']): string {
  const parts = [['burst', burst] as const, ['half', half] as const].flatMap(([name, counted]) =>
    counted === null
      ? []
      : [`${name} ${counted.record.toFixed(3)} of the record, ${counted.rows.toFixed(3)} of the rows`],
  )
  return parts.length === 0
    ? 'Syncs were not counted: strace is not installed.'
    : `Syncs per envelope, counted under strace: ${parts.join('; ')}.`
}

/** A line for each kind of load; bursts as medians of their rounds. */
function ingestTable({ rounds, sustained, half, syncs }: IngestFound): string {
  const ofRounds = (lineOf: (round: Round) => Line | null): readonly Line[] =>
    rounds.map(lineOf).filter((line) => line !== null)
  const once = (run: LoadRun): readonly Line[] => [{ waits: run.sent.whole, run, digestedPerSecond: null }]
  const lines: readonly (readonly [string, readonly Line[], Syncs | null])[] = [
    ['floor, burst', ofRounds(({ floor }) => lineOf(floor)), null],
    ['ours, burst, first 5 s', ofRounds(({ ours, waiting }) => ({ ...waiting, run: ours })), syncs.burst],
    ['ours, burst, 12 to 17 s', ofRounds(({ ours, running }) => running && { ...running, run: ours }), null],
    ['ours, sustained', sustained === null ? [] : once(sustained.run), null],
    ['ours, half of that', half === null ? [] : once(half.run), syncs.half],
    ['floor, same rate', half === null ? [] : once(half.floor), null],
  ]
  return textTable(
    HEAD,
    lines.filter(([, found]) => found.length > 0).map(([name, found, counted]) => [name, ...cellsOf(found, counted)]),
  )
}

const lineOf = (run: LoadRun): Line => ({
  waits: run.sent.windows[0] ?? run.sent.whole,
  run,
  digestedPerSecond: null,
})

function cellsOf(lines: readonly Line[], counted: Syncs | null): readonly string[] {
  const middle = (of: (line: Line) => number): number => median(lines.map(of))
  return [
    whole(middle(({ waits }) => waits.perSecond)),
    ms(middle(({ waits }) => waits.p50)),
    ms(middle(({ waits }) => waits.p99)),
    whole(middle(({ run }) => run.cpuMicrosPerEnvelope)),
    counted === null ? '' : (counted.record + counted.rows + counted.others).toFixed(3),
    mb(middle(({ run }) => run.residentPeakBytes)),
    mb(middle(({ run }) => run.residentLastBytes)),
    middle(({ run }) => run.sent.busy).toFixed(2),
    lines.some(({ digestedPerSecond }) => digestedPerSecond === null)
      ? ''
      : whole(middle(({ digestedPerSecond }) => digestedPerSecond ?? 0)),
  ]
}

/** The goals of intake. Ratios are medians of the ratios of each round. */
function ingestGoals({ rounds, half, starts, stored }: IngestFound): readonly Goal[] {
  const middle = (of: (round: Round) => number): number => median(rounds.map(of))
  const floorRate = ({ floor }: Round): number => floor.sent.windows[0]?.perSecond ?? Number.NaN
  const cpu = ({ cpuMicrosPerEnvelope }: LoadRun): number => cpuMicrosPerEnvelope
  const goals: readonly (readonly [what: string, most: number, unit: string, found: number | null])[] = [
    ['CPU / floor, burst (stretch 2.0)', 3, '×', middle(({ ours, floor }) => cpu(ours) / cpu(floor))],
    ['CPU / floor, at half (stretch 1.6)', 2.2, '×', half && cpu(half.run) / cpu(half.floor)],
    ['answer p99 at half', 50, 'ms', half?.run.sent.whole.p99 ?? null],
    ['accepted to queryable p99', 250, 'ms', half && percentile(half.queryable, 0.99)],
    ['resident memory at half, peak', 320, 'MB', half && half.run.residentPeakBytes / MB],
    ['its rise over the last two thirds', 16, 'MB', half && half.residentRise / MB],
    ['disk, record / raw', 0.35, '', middle(({ disk }) => disk.record)],
    ['disk, record and rows / raw', 1, '', middle(({ disk }) => disk.withRows)],
    ['start to ready, empty', 600, 'ms', median(starts)],
    [
      `start to ready, ${stored === null ? '1' : (stored.bytes / 1e9).toFixed(2)} GB stored`,
      1500,
      'ms',
      stored && median(stored.starts),
    ],
  ]
  return [
    goalAtLeast(
      'burst rate, first 5 s / floor',
      0.85,
      middle((round) => round.waiting.waits.perSecond / floorRate(round)),
    ),
    ...goals.map((goal) => goalBelow(...goal)),
  ]
}
