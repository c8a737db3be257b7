import type { Syncs } from './count-syncs'
import type { Disk } from './disk'
import { percentile } from './figures'
import type { Round } from './ingest-bursts'
import type { SteadyRun, SustainedRun } from './ingest-sustained'
import type { Waits } from './messages'
import type { LoadRun } from './run-load'
import { type Goal, goalAtLeast, goalBelow, goalTable, median, mib, ms, share, textTable, whole } from './text-table'

export interface IngestFigures {
  readonly quick: boolean
  readonly machine: {
    readonly cores: number
    readonly model: string
    readonly node: string
    readonly system: string
    readonly loadBefore: readonly number[]
    readonly loadAfter: readonly number[]
  }
  readonly disk: Disk
  /** ms until an empty collector takes envelopes. */
  readonly starts: readonly number[]
  readonly rounds: readonly Round[]
  readonly sustained: SustainedRun | null
  readonly half: SteadyRun | null
  readonly syncs: { readonly burst: Syncs | null; readonly half: Syncs | null }
  readonly wrong: readonly string[]
}

const HEAD = ['', 'per s', 'p50 ms', 'p99 ms', 'CPU µs', 'syncs', 'peak MiB', 'last MiB', 'sender', 'digested/s']

/** Prints what was measured, and how it compares with what is wanted. */
export function printIngest(figures: IngestFigures): void {
  const { rounds, sustained, half, disk, syncs } = figures
  const middle = (of: (round: Round) => number | null): number | null => {
    const values = rounds.map(of).filter((value) => value !== null)
    return values.length === 0 ? null : median(values)
  }
  const burstRow = (
    name: string,
    waitsOf: (round: Round) => Waits | null,
    runOf: (round: Round) => LoadRun,
    digested: (round: Round) => number | null,
    synced: number | null,
  ) => [
    name,
    ...[(waits: Waits) => waits.perSecond, (waits: Waits) => waits.p50, (waits: Waits) => waits.p99].map(
      (of, column) => {
        const value = middle((round) => {
          const waits = waitsOf(round)
          return waits === null ? null : of(waits)
        })
        return value === null ? '' : column === 0 ? whole(value) : ms(value)
      },
    ),
    whole(middle((round) => runOf(round).cpuMicrosPerEnvelope) ?? 0),
    synced === null ? '' : synced.toFixed(3),
    mib(middle((round) => runOf(round).residentPeakBytes) ?? 0),
    mib(middle((round) => runOf(round).residentLastBytes) ?? 0),
    share(middle((round) => runOf(round).sent.busy) ?? 0),
    whole(middle(digested) ?? 0),
  ]
  const steadyRow = (name: string, run: LoadRun, digested: number | null, synced: number | null) => [
    name,
    whole(run.sent.whole.perSecond),
    ms(run.sent.whole.p50),
    ms(run.sent.whole.p99),
    whole(run.cpuMicrosPerEnvelope),
    synced === null ? '' : synced.toFixed(3),
    mib(run.residentPeakBytes),
    mib(run.residentLastBytes),
    share(run.sent.busy),
    digested === null ? '' : whole(digested),
  ]
  const hasRunning = rounds.some(({ running }) => running !== null)
  const total = (counted: Syncs | null): number | null =>
    counted === null ? null : counted.record + counted.rows + counted.others
  const rows = [
    burstRow(
      'bare, burst',
      (round) => round.bare.sent.windows[0] ?? null,
      (round) => round.bare,
      () => null,
      null,
    ),
    burstRow(
      'ours, burst, first 5 s',
      (round) => round.waiting.waits,
      (round) => round.ours,
      (round) => round.waiting.digestedPerSecond,
      total(syncs.burst),
    ),
    ...(hasRunning
      ? [
          burstRow(
            'ours, burst, 12 to 17 s',
            (round) => round.running?.waits ?? null,
            (round) => round.ours,
            (round) => round.running?.digestedPerSecond ?? null,
            null,
          ),
        ]
      : []),
    ...(sustained === null ? [] : [steadyRow('ours, sustained', sustained.run, null, null)]),
    ...(half === null
      ? []
      : [
          steadyRow('ours, half of that', half.run, null, total(syncs.half)),
          steadyRow('bare, same rate', half.bare, null, null),
        ]),
  ]
  const body = middle(({ ours }) => ours.sent.bytes / ours.sent.sent) ?? 0
  console.log(`\n${textTable(HEAD, rows)}`)
  console.log(
    `\nAn envelope has ${whole(body)} bytes on average. CPU is that of the whole process, per envelope, until everything is digested and relayed. A synced write here takes ${ms(disk.syncMs)} ms (p99 ${ms(disk.syncP99Ms)}).`,
  )
  console.log(
    syncs.burst === null
      ? 'Syncs were not counted: there is no strace.'
      : `Syncs per envelope, counted under strace: ${[['burst', syncs.burst] as const, ['half', syncs.half] as const].flatMap(([name, counted]) => (counted === null ? [] : [`${name} ${counted.record.toFixed(3)} of the record, ${counted.rows.toFixed(3)} of the rows`])).join('; ')}.`,
  )
  const drained = middle((round) => round.drainedPerSecond) ?? 0
  console.log(`While nothing arrives, ${whole(drained)} a second are digested and relayed.`)
  if (rounds.some(({ bare, ours }) => Math.max(bare.sent.busy, ours.sent.busy) > 0.85))
    console.log('THE SENDER WAS SATURATED in a burst: the faster one would have been faster.')
  for (const sentence of figures.wrong) console.log(`WRONG: ${sentence}`)
  console.log(`\n${goalTable(goalsOf(figures))}`)
}

function goalsOf({ rounds, sustained, half, starts }: IngestFigures): readonly Goal[] {
  const ratio = (of: (round: Round) => number | undefined): number | null => {
    const values = rounds.map(of).filter((value) => value !== undefined)
    return values.length === 0 ? null : median(values)
  }
  const bareRate = ratio(({ bare }) => bare.sent.windows[0]?.perSecond) ?? Number.NaN
  const bareOf = (round: Round): number => round.bare.sent.windows[0]?.perSecond ?? Number.NaN
  return [
    goalAtLeast(
      'burst, digest waiting / bare',
      0.6,
      ratio((round) => round.waiting.waits.perSecond / bareOf(round)),
    ),
    goalAtLeast(
      'burst, digest running / bare',
      0.45,
      ratio((round) => (round.running === null ? undefined : round.running.waits.perSecond / bareOf(round))),
    ),
    goalAtLeast(
      'sustained 60 s / bare (stretch 0.25)',
      0.15,
      sustained?.sustained ? sustained.run.sent.whole.perSecond / bareRate : null,
    ),
    goalBelow('answer p99 at half of that', 50, 'ms', half?.run.sent.whole.p99 ?? null),
    goalBelow('accepted to queryable p99', 250, 'ms', half === null ? null : percentile(half.queryable, 0.99)),
    goalBelow('resident memory at half', 320, 'MiB', half === null ? null : half.run.residentPeakBytes / 1024 ** 2),
    goalBelow('its rise over two thirds', 16, 'MiB', half === null ? null : half.residentRise / 1024 ** 2),
    goalBelow(
      'CPU / bare, burst (stretch 2.5)',
      4,
      '×',
      ratio(({ ours, bare }) => ours.cpuMicrosPerEnvelope / bare.cpuMicrosPerEnvelope),
    ),
    goalBelow(
      'CPU / bare, at half (stretch 2.5)',
      4,
      '×',
      half === null ? null : half.run.cpuMicrosPerEnvelope / half.bare.cpuMicrosPerEnvelope,
    ),
    goalBelow(
      'disk, record / raw',
      0.35,
      '',
      ratio(({ disk }) => disk.record),
    ),
    goalBelow(
      'disk, record and rows / raw',
      1,
      '',
      ratio(({ disk }) => disk.withRows),
    ),
    goalBelow('start to ready, empty', 500, 'ms', median(starts)),
  ]
}
