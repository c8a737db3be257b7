import type { Syncs } from './count-syncs'
import type { Round } from './ingest-bursts'
import type { IngestFound } from './ingest-report'
import type { Waits } from './messages'
import type { LoadRun } from './run-load'
import { mb, median, ms, share, textTable, whole } from './text-table'

/** One line of the table; `null` where there is nothing to say. */
interface Line {
  readonly waits: Waits
  readonly run: LoadRun
  readonly digestedPerSecond: number | null
}

const HEAD = ['', 'per s', 'p50 ms', 'p99 ms', 'CPU µs', 'syncs', 'peak MB', 'last MB', 'sender', 'digested/s']

/** What was measured, a line for each way of sending; bursts as the medians of their rounds. */
export function ingestTable({ rounds, sustained, half, syncs, spotlight }: IngestFound): string {
  const ofRounds = (lineOf: (round: Round) => Line | null): readonly Line[] =>
    rounds.map(lineOf).filter((line) => line !== null)
  const once = (run: LoadRun): readonly Line[] => [{ waits: run.sent.whole, run, digestedPerSecond: null }]
  const lines: readonly (readonly [string, readonly Line[], Syncs | null])[] = [
    ['bare, burst', ofRounds(({ bare }) => lineOf(bare)), null],
    ['floor, burst', ofRounds(({ floor }) => lineOf(floor)), null],
    ['ours, burst, first 5 s', ofRounds(({ ours, waiting }) => ({ ...waiting, run: ours })), syncs.burst],
    ['ours, burst, 12 to 17 s', ofRounds(({ ours, running }) => running && { ...running, run: ours }), null],
    ['ours, sustained', sustained === null ? [] : once(sustained.run), null],
    ['ours, half of that', half === null ? [] : once(half.run), syncs.half],
    ['bare, same rate', half === null ? [] : once(half.bare), null],
    ['floor, same rate', half === null ? [] : once(half.floor), null],
    ...(spotlight?.ok ? spotlight.value : []).map(({ name, burst }) => [name, [lineOf(burst)], null] as const),
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
    share(middle(({ run }) => run.sent.busy)),
    lines.some(({ digestedPerSecond }) => digestedPerSecond === null)
      ? ''
      : whole(middle(({ digestedPerSecond }) => digestedPerSecond ?? 0)),
  ]
}
