import { type Goal, goalAtLeast, goalBelow, median, ms, textTable, whole } from './report'
import { type EngineFigures, medianRate, PACES, type StorePace, type StoreRate, type StoreRound } from './scale-store'

const GOAL_APPENDS = { one: 8000, two: 10_000 } as const
const GOAL_MICROS = { append: 80, appendAndResult: 130 } as const
const GOAL_MIRROR = 10_000
const GOAL_DELIVERIES = 20_000
const GOAL_MIRRORED_MS = 150

/** Medians of all rounds. */
export function printStores(rounds: readonly StoreRound[]): void {
  if (rounds.length === 0) return
  const rows: (readonly [string, (figures: EngineFigures) => StoreRate | null])[] = [
    ['append, one process', ({ append }) => append],
    ['append, two processes', ({ appendByTwo }) => appendByTwo],
    ['append, then result', ({ appendAndResult }) => appendAndResult],
    ['mirror of those', ({ mirror }) => mirror],
    ['results of two relays', ({ deliveries }) => deliveries],
    ['the same, read with bodies', ({ readDeliveries }) => readDeliveries],
  ]
  const table = rows.flatMap(([name, read]) =>
    (['sqlite', 'postgres'] as const).flatMap((engine) => {
      const found = medianRate(rounds, (round) => read(round[engine]))
      if (found === null) return []
      const { perSecond, batch, nodeMicros, postgresMicros } = found
      const cells = [whole(perSecond), Number.isNaN(batch) ? '' : whole(batch), whole(nodeMicros)]
      return [[`${name}: ${NAMES[engine]}`, ...cells, postgresMicros === null ? '' : whole(postgresMicros)]]
    }),
  )
  console.log(`\n${textTable(['without HTTP', 'records/s', 'a batch', 'Node µs', 'PostgreSQL µs'], table)}`)
  const deflate = median(rounds.map(({ deflateMicros }) => deflateMicros))
  console.log(`Of the Node µs of an append, ${whole(deflate)} deflate its body.`)
  const paces = PACES.flatMap((perSecond) =>
    (['sqlite', 'postgres'] as const).map((engine) => [
      `${perSecond} a second: ${NAMES[engine]}`,
      ...[0, 1].map((at) => optional(paceOf(rounds, engine, perSecond, ({ stored }) => stored[at]))),
      ...[0, 1].map((at) => optional(paceOf(rounds, engine, perSecond, ({ mirrored }) => mirrored?.[at]))),
    ]),
  )
  console.log(`\n${textTable(['ms after it was due', 'stored p50', 'p99', 'mirrored p50', 'p99'], paces)}`)
}

const NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
const optional = (value: number | null): string => (value === null ? '' : ms(value))

function paceOf(
  rounds: readonly StoreRound[],
  engine: keyof typeof NAMES,
  perSecond: number,
  read: (pace: StorePace) => number | undefined,
): number | null {
  const found = rounds
    .flatMap((round) => round[engine].paces)
    .filter((pace) => pace.perSecond === perSecond)
    .flatMap((pace) => read(pace) ?? [])
  return found.length === 0 ? null : median(found)
}

export function storeGoals(rounds: readonly StoreRound[]): readonly Goal[] {
  const rate = (read: (figures: EngineFigures) => StoreRate | null): StoreRate | null =>
    medianRate(rounds, ({ postgres }) => read(postgres))
  const pace = (perSecond: number, read: (pace: StorePace) => number | undefined): number | null =>
    paceOf(rounds, 'postgres', perSecond, read)
  const [append, both] = [rate((figures) => figures.append), rate((figures) => figures.appendAndResult)]
  const perSecond = (found: StoreRate | null): number | null => found?.perSecond ?? null
  const micros = (found: StoreRate | null): number | null => found?.postgresMicros ?? null
  return [
    goalAtLeast('appends of one process a second', GOAL_APPENDS.one, perSecond(append)),
    goalAtLeast(
      'appends of two processes a second',
      GOAL_APPENDS.two,
      perSecond(rate((figures) => figures.appendByTwo)),
    ),
    goalBelow('CPU of PostgreSQL for an append', GOAL_MICROS.append, 'µs', micros(append)),
    goalBelow('CPU of PostgreSQL for an append and its result', GOAL_MICROS.appendAndResult, 'µs', micros(both)),
    goalBelow(
      'stored at 200 a second, p50',
      5,
      'ms',
      pace(200, ({ stored }) => stored[0]),
    ),
    goalBelow(
      'stored at 200 a second, p99',
      30,
      'ms',
      pace(200, ({ stored }) => stored[1]),
    ),
    goalBelow(
      'mirrored at 200 a second, p99',
      GOAL_MIRRORED_MS,
      'ms',
      pace(200, ({ mirrored }) => mirrored?.[1]),
    ),
    goalBelow(
      'stored at 6,000 a second, p99',
      100,
      'ms',
      pace(6000, ({ stored }) => stored[1]),
    ),
    goalAtLeast('records of a mirror a second', GOAL_MIRROR, perSecond(rate((figures) => figures.mirror))),
    goalAtLeast('results of two relays a second', GOAL_DELIVERIES, perSecond(rate((figures) => figures.deliveries))),
  ]
}
