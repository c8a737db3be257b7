import { join } from 'node:path'
import { deflateBody } from '../../collector/spool/record-body'
import { type BenchProcess, startProcess, withProcess } from './processes'
import { median, percentile } from './report'
import { cpuMicros, emptyFolder, treeCpuMicros } from './resources'
import type { BenchServer } from './scale-server'
import type { MirrorOrder, MirrorWork, StoreAddress, StoreOrder, StoreWork } from './store-orders'
import { pendingPageLoad } from './store-records'

/** Work of one or more processes with a store; µs of CPU are of one record. */
export interface StoreRate {
  readonly perSecond: number
  /** Records of a batch, on average. */
  readonly batch: number
  readonly nodeMicros: number
  /** `null` for SQLite, and where it is not measured. */
  readonly postgresMicros: number | null
}

/** Ms after a record was due. */
export interface StorePace {
  readonly perSecond: number
  readonly stored: readonly [p50: number, p99: number]
  /** `null` for SQLite. */
  readonly mirrored: readonly [p50: number, p99: number] | null
}

export interface EngineFigures {
  readonly append: StoreRate
  /** By two processes; `null` for SQLite, as all that follow. */
  readonly appendByTwo: StoreRate | null
  readonly appendAndResult: StoreRate
  readonly paces: readonly StorePace[]
  /** Of a mirror that follows records with results, which were there before it. */
  readonly mirror: StoreRate | null
  /** Results of two processes with a lane each. */
  readonly deliveries: StoreRate | null
  /** The same, of records that they read with their bodies, as the relay does. */
  readonly readDeliveries: StoreRate | null
}

export interface StoreRound {
  /** Of an append: the body is deflated in the thread that stores it. */
  readonly deflateMicros: number
  readonly sqlite: EngineFigures
  readonly postgres: EngineFigures
  readonly wrong: readonly string[]
}

interface Plan {
  readonly records: number
  readonly deliveries: number
  readonly seconds: number
}

export const PACES = [200, 6000] as const
const FULL: Plan = { records: 40_000, deliveries: 100_000, seconds: 8 }
const QUICK: Plan = { records: 2000, deliveries: 4000, seconds: 1 }

/** Measures both stores alone, without HTTP, index and posts. */
export async function measureStores(server: BenchServer, own: string, isQuick: boolean): Promise<StoreRound> {
  const plan = isQuick ? QUICK : FULL
  const wrong: string[] = []
  const sqlite = await measureSqlite(own, plan, wrong)
  const bench: StoreBench = { server, own, plan, wrong, cost: rateOf(server.pid) }
  const settled = await settleAndMirror(bench)
  const postgres = {
    ...(await appends(bench)),
    ...settled,
    paces: await pacesWithMirror(bench),
    deliveries: await deliver(bench, 'numbers'),
    readDeliveries: await deliver(bench, 'pages'),
  }
  return { deflateMicros: deflateMicros(), sqlite, postgres, wrong }
}

interface StoreBench {
  readonly server: BenchServer
  readonly own: string
  readonly plan: Plan
  readonly wrong: string[]
  readonly cost: ReturnType<typeof rateOf>
}

function deflateMicros(): number {
  const bodies = Array.from({ length: 2000 }, (_, number) => pendingPageLoad(number, Date.now()).body)
  const before = process.cpuUsage()
  for (const body of bodies) deflateBody(body)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / bodies.length
}

async function measureSqlite(own: string, plan: Plan, wrong: string[]): Promise<EngineFigures> {
  const at = emptyFolder(join(own, 'store'))
  const cost = rateOf(null)
  return withWriters([{ engine: 'SQLite', at, name: 'bench', lanes: 1 }], async (writers) => {
    await cost(writers, { append: plan.records / 10, withResults: true })
    const append = await cost(writers, { append: plan.records, withResults: false })
    const appendAndResult = await cost(writers, { append: plan.records, withResults: true })
    const paces: StorePace[] = []
    for (const perSecond of PACES) {
      const times = await paced(writers, perSecond, plan, wrong)
      paces.push({ perSecond, stored: spreadOf(times.map(([, due, stored]) => stored - due)), mirrored: null })
    }
    const none = { appendByTwo: null, mirror: null, deliveries: null, readDeliveries: null }
    return { ...none, append, appendAndResult, paces }
  })
}

const appends = ({ server, plan, cost }: StoreBench): Promise<Pick<EngineFigures, 'append' | 'appendByTwo'>> =>
  withDatabase(server, 2, 1, async (writers) => {
    for (const writer of writers) await order(writer, { append: plan.records / 10, withResults: false })
    const append = await cost(writers.slice(0, 1), { append: plan.records, withResults: false })
    return { append, appendByTwo: await cost(writers, { append: plan.records / 2, withResults: false }) }
  })

const settleAndMirror = ({
  server,
  own,
  plan,
  wrong,
  cost,
}: StoreBench): Promise<Pick<EngineFigures, 'appendAndResult' | 'mirror'>> =>
  withDatabase(server, 1, 1, async (writers, url) => {
    const appendAndResult = await cost(writers, { append: plan.records, withResults: true })
    return {
      appendAndResult,
      mirror: await copyAll(server, url, emptyFolder(join(own, 'mirror')), plan.records, wrong),
    }
  })

const pacesWithMirror = ({ server, own, plan, wrong }: StoreBench): Promise<readonly StorePace[]> =>
  withDatabase(server, 1, 1, (writers, url) =>
    withProcess('mirror-process', false, async (follower) => {
      await Promise.all(writers.map((writer) => order(writer, { append: plan.records / 10, withResults: false })))
      await followed(follower, { follow: url, folder: emptyFolder(join(own, 'mirror')) })
      await followed(follower, { records: plan.records / 10 })
      const paces: StorePace[] = []
      for (const perSecond of PACES) {
        const times = await paced(writers, perSecond, plan, wrong)
        const until = times.reduce((newest, [seq]) => Math.max(newest, seq), 0)
        const mirrored = new Map((await followed(follower, { until })).times)
        const lags = times.map(([seq, due]) => (mirrored.get(seq) ?? Number.NaN) - due)
        if (lags.some(Number.isNaN))
          wrong.push(`a mirror has not all records that were stored at ${perSecond} a second`)
        paces.push({
          perSecond,
          stored: spreadOf(times.map(([, due, stored]) => stored - due)),
          mirrored: spreadOf(lags),
        })
      }
      return paces
    }),
  )

const deliver = ({ server, plan, wrong, cost }: StoreBench, how: 'pages' | 'numbers'): Promise<StoreRate> =>
  withDatabase(server, 2, 2, async (relays) => {
    await Promise.all(relays.map((one) => order(one, { append: plan.deliveries / 2, withResults: false })))
    // The first one takes both lanes, and gives one back when it learns of the second.
    for (const one of relays) await order(one, { take: true })
    const shares: StoreWork[] = []
    for (const one of relays) shares.push(await order(one, { take: true }))
    if (shares.some(({ lanes }) => lanes !== 1)) wrong.push(`the relays have ${shares.map(({ lanes }) => lanes)} lanes`)
    return cost(relays, { deliver: how })
  })

async function paced(
  writers: readonly BenchProcess[],
  perSecond: number,
  { seconds }: Plan,
  wrong: string[],
): Promise<StoreWork['times']> {
  const [writer] = writers
  if (writer === undefined) throw new Error('no process was started')
  const { times } = await order(writer, { perSecond, seconds })
  if (times.length !== perSecond * seconds) wrong.push(`${times.length} were stored at ${perSecond} a second`)
  return times
}

/** From the start of a mirror until it has all records. */
const copyAll = (
  server: BenchServer,
  url: string,
  folder: string,
  records: number,
  wrong: string[],
): Promise<StoreRate> =>
  withProcess('mirror-process', false, (follower) =>
    costOf(server.pid, [follower], async () => {
      const began = performance.now()
      await followed(follower, { follow: url, folder })
      const found = await followed(follower, { records })
      if (found.records !== records) wrong.push(`a mirror has ${found.records} of ${records} records`)
      return { records: found.records, ms: performance.now() - began, batches: Number.NaN }
    }),
  )

/** Lets processes do the same at once, and measures them. */
const rateOf =
  (server: number | null) =>
  (writers: readonly BenchProcess[], given: StoreOrder): Promise<StoreRate> =>
    costOf(server, writers, async () => {
      const done = await Promise.all(writers.map((writer) => order(writer, given)))
      return {
        records: done.reduce((sum, one) => sum + one.records, 0),
        ms: Math.max(...done.map(({ ms }) => ms)),
        batches: done.reduce((sum, { batches }) => sum + batches, 0),
      }
    })

async function costOf(
  server: number | null,
  processes: readonly BenchProcess[],
  work: () => Promise<{ readonly records: number; readonly ms: number; readonly batches: number }>,
): Promise<StoreRate> {
  const cpu = (): number => processes.reduce((sum, { pid }) => sum + cpuMicros(pid), 0)
  const [before, postgresBefore] = [cpu(), postgresCpu(server)]
  const { records, ms, batches } = await work()
  const [after, postgresAfter] = [cpu(), postgresCpu(server)]
  return {
    perSecond: (records * 1000) / ms,
    batch: records / batches,
    nodeMicros: (after - before) / records,
    postgresMicros:
      postgresBefore === null || postgresAfter === null ? null : (postgresAfter - postgresBefore) / records,
  }
}

const postgresCpu = (pid: number | null): number | null => (pid === null ? null : treeCpuMicros(pid))

/** @param lanes of each process */
async function withDatabase<Value>(
  server: BenchServer,
  processes: number,
  lanes: number,
  work: (writers: readonly BenchProcess[], url: string) => Promise<Value>,
): Promise<Value> {
  const at = await server.newDatabase()
  const addresses = Array.from(
    { length: processes },
    (_, number): StoreAddress => ({ engine: 'PostgreSQL', at, name: `bench ${number}`, lanes }),
  )
  try {
    return await withWriters(addresses, (writers) => work(writers, at))
  } finally {
    await server.dropDatabases()
  }
}

async function withWriters<Value>(
  addresses: readonly StoreAddress[],
  work: (writers: readonly BenchProcess[]) => Promise<Value>,
): Promise<Value> {
  const writers: BenchProcess[] = []
  try {
    for (const address of addresses) {
      const writer = await startProcess('store-process', false)
      writers.push(writer)
      await order(writer, { open: address })
    }
    return await work(writers)
  } finally {
    await Promise.all(writers.map((writer) => writer.end()))
  }
}

const order = async (writer: BenchProcess, given: StoreOrder): Promise<StoreWork> =>
  (await writer.request(given)) as StoreWork

const followed = async (follower: BenchProcess, given: MirrorOrder): Promise<MirrorWork> =>
  (await follower.request(given)) as MirrorWork

const spreadOf = (waits: readonly number[]): readonly [number, number] => [
  percentile(waits, 0.5),
  percentile(waits, 0.99),
]

/** Of the rounds, by value. */
export function medianRate(
  rounds: readonly StoreRound[],
  read: (round: StoreRound) => StoreRate | null,
): StoreRate | null {
  const found = rounds.flatMap((round) => read(round) ?? [])
  if (found.length === 0) return null
  const of = (value: (rate: StoreRate) => number): number => median(found.map(value))
  const postgres = found.flatMap(({ postgresMicros }) => postgresMicros ?? [])
  return {
    perSecond: of(({ perSecond }) => perSecond),
    batch: of(({ batch }) => batch),
    nodeMicros: of(({ nodeMicros }) => nodeMicros),
    postgresMicros: postgres.length === 0 ? null : median(postgres),
  }
}
