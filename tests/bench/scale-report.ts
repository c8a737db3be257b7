import type { Figures, Measured } from './bench-command'
import { type Goal, goalAtLeast, goalBelow, goalTable, median, ms, textTable, whole } from './report'
import type { Disk } from './resources'
import { bloatOf, type DeliveryFigures } from './scale-deliveries'
import { type PhaseFigures, type SetupFigures, spread } from './scale-run'
import type { StoreRound } from './scale-store'
import { printStores, storeGoals } from './scale-store-report'

export interface ScaleFigures extends Measured {
  readonly disk: Disk
  /** Version and settings. */
  readonly postgres: string
  /** Processes and the cores on which they may run. */
  readonly cores: readonly (readonly [process: string, cores: string | null])[]
  /** One for each round and setup. */
  readonly setups: readonly SetupFigures[]
  /** One for each round. */
  readonly stores: readonly StoreRound[]
  readonly deliveries: DeliveryFigures | null
}

const GOAL_OF_SQLITE = 0.6
const GOAL_P99_MS = 50
const GOAL_LAG_MS = 250
const GOAL_BLOAT_PERCENT = 10

export function printScale(figures: Figures<ScaleFigures>): void {
  const { setups, stores, deliveries, cores } = figures
  const names = [...new Set(setups.map(({ setup }) => setup.name))]
  const roundsOf = (name: string): readonly SetupFigures[] => setups.filter(({ setup }) => setup.name === name)
  const middle = (name: string, value: (found: SetupFigures) => number | null): number | null => {
    const found = roundsOf(name).flatMap((round) => value(round) ?? [])
    return found.length === 0 ? null : median(found)
  }
  const table = (
    title: string,
    columns: readonly (readonly [string, (found: SetupFigures) => number | null, (value: number) => string])[],
  ): void => {
    const rows = names.map((name) => [
      name,
      ...columns.map(([, value, format]) => {
        const found = middle(name, value)
        return found === null ? '' : format(found)
      }),
    ])
    if (rows.length === 0) return
    const head = [title, ...columns.map(([column]) => column)]
    console.log(`\n${textTable(head, rows)}`)
  }
  const phase = (of: (found: SetupFigures) => PhaseFigures) =>
    [
      ['accepted/s', (found) => of(found).perSecond, whole],
      ['relayed/s', (found) => of(found).relayedPerSecond, whole],
      ['p50 ms', (found) => of(found).p50, ms],
      ['p99 ms', (found) => of(found).p99, ms],
      ['lag p50', (found) => spread(of(found).lags)?.p50 ?? null, ms],
      ['lag p99', (found) => spread(of(found).lags)?.p99 ?? null, ms],
      ['batch p50', (found) => spread(of(found).batches)?.p50 ?? null, whole],
      ['p99', (found) => spread(of(found).batches)?.p99 ?? null, whole],
      ['mean', (found) => spread(of(found).batches)?.mean ?? null, ms],
    ] as const satisfies Parameters<typeof table>[1]
  const cpu = (of: (found: SetupFigures) => PhaseFigures) =>
    [
      ['collectors µs', (found) => of(found).cpuPerEnvelope.collectors, whole],
      ['PostgreSQL µs', (found) => of(found).cpuPerEnvelope.postgres, whole],
      ['cores: sender', (found) => of(found).coresInUse.sender, ms],
      ['upstream', (found) => of(found).coresInUse.upstream, ms],
      ['collectors', (found) => of(found).coresInUse.collectors, ms],
      ['PostgreSQL', (found) => of(found).coresInUse.postgres, ms],
      ['drain s', (found) => of(found).drainSeconds, ms],
    ] as const satisfies Parameters<typeof table>[1]
  const full = ({ full }: SetupFigures): PhaseFigures => full
  const half = ({ half }: SetupFigures): PhaseFigures => half
  table('as fast as it answers', phase(full))
  table('half of that rate', phase(half))
  table('CPU per envelope, at full rate', cpu(full))
  table('CPU per envelope, at half', cpu(half))
  table('bytes of a record', [
    ['PostgreSQL', ({ sizes }) => sizes.postgres, whole],
    ['its WAL', ({ sizes }) => sizes.wal, whole],
    ['spool.db', ({ sizes }) => sizes.spool, whole],
    ['telemetry.db', ({ sizes }) => sizes.index, whole],
  ])
  for (const name of names) {
    const [last] = roundsOf(name).slice(-1)
    if (last !== undefined && last.full.cpuOfEachCollector.length > 1)
      console.log(`${name}: ${last.full.cpuOfEachCollector.map(whole).join(', ')} µs of each collector, last round.`)
  }
  printStores(stores)
  if (deliveries !== null) printGrowth(deliveries)
  if (setups.length > 0)
    console.log(
      `\nCPU counts until everything is mirrored, digested and relayed; cores in use, while the load ran. ${cores.map(([name, on]) => `${name} on ${on ?? 'unknown'}`).join(', ')}: processes on the same cores share them.`,
    )
  console.log(`\n${goalTable(goalsOf(figures, middle))}`)
}

function printGrowth(deliveries: DeliveryFigures): void {
  const rows = deliveries.tables
    .filter(({ bytes }) => bytes > 1e5)
    .map(({ table, bytes, rewrittenBytes }) => [
      table,
      whole(bytes / deliveries.deliveries),
      whole(rewrittenBytes / deliveries.deliveries),
    ])
  const postgres =
    deliveries.postgresMicros === null ? '' : `, ${whole(deliveries.postgresMicros)} µs of PostgreSQL each`
  console.log(
    `\n${whole(deliveries.deliveries)} records stored and delivered without HTTP: ${whole(deliveries.perSecond)} a second${postgres}.`,
  )
  console.log(textTable(['bytes of a record', 'found', 'rewritten'], rows))
}

function goalsOf(
  { deliveries, stores }: ScaleFigures,
  middle: (name: string, value: (found: SetupFigures) => number | null) => number | null,
): readonly Goal[] {
  const one = 'PostgreSQL, 1 collector'
  const [postgres, sqlite] = [one, 'SQLite'].map((name) => middle(name, ({ full }) => full.perSecond))
  return [
    goalAtLeast(
      'one collector on PostgreSQL / SQLite, accepted',
      GOAL_OF_SQLITE,
      typeof postgres === 'number' && typeof sqlite === 'number' ? postgres / sqlite : null,
    ),
    goalBelow(
      'p99 of its answers at half of its rate',
      GOAL_P99_MS,
      'ms',
      middle(one, ({ half }) => half.p99),
    ),
    goalBelow(
      'lag of its mirror at half of its rate, p99',
      GOAL_LAG_MS,
      'ms',
      middle(one, ({ half }) => spread(half.lags)?.p99 ?? null),
    ),
    goalBelow(
      deliveries === null ? 'bloat' : `bloat after ${whole(deliveries.deliveries)} deliveries`,
      GOAL_BLOAT_PERCENT,
      '%',
      deliveries === null ? null : bloatOf(deliveries.tables) * 100,
    ),
    ...storeGoals(stores),
  ]
}
