import type { OwnedLane } from '../../collector/spool/lanes'
import { openPostgresStore, type PostgresStore } from '../../collector/spool-postgres/store'
import { withClient } from '../store/databases'
import { accepted } from '../unit/spool/in-process-spool'
import { treeCpuMicros } from './resources'
import type { BenchServer } from './scale-server'
import { pendingPageLoad } from './store-records'

export interface TableGrowth {
  readonly table: string
  /** With indexes, before and after it was rewritten. */
  readonly bytes: number
  readonly rewrittenBytes: number
}

export interface DeliveryFigures {
  readonly deliveries: number
  readonly perSecond: number
  /** Of an append and its result; `null` where it is not measured. */
  readonly postgresMicros: number | null
  /** Partitions count with their table. */
  readonly tables: readonly TableGrowth[]
  readonly wrong: readonly string[]
}

const LANE = { publicKey: 'bench', project: '1', lane: 0 }
/** Appended together, while the results of as many are stored. */
const WAVE = 256
const RENEW_MS = 5000
const REPORT_EVERY = 50_000

/** Stores records and the results of their delivery, and measures how much its tables shrink when they are rewritten. */
export async function deliverMany(
  server: BenchServer,
  deliveries: number,
  log: (line: string) => void,
): Promise<DeliveryFigures> {
  const url = await server.newDatabase()
  const store = await openPostgresStore({ url, name: 'bench', now: Date.now, log })
  try {
    await store.startHousekeeping()
    const cpuNow = (): number | null => (server.pid === null ? null : treeCpuMicros(server.pid))
    const cpuBefore = cpuNow()
    const began = performance.now()
    await deliver(store, deliveries, (done) => log(`${done} of ${deliveries} deliveries`))
    const seconds = (performance.now() - began) / 1000
    const cpuAfter = cpuNow()
    const { pending } = await store.countPending(LANE.publicKey, LANE.project)
    return {
      deliveries,
      perSecond: deliveries / seconds,
      postgresMicros: cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / deliveries,
      tables: await rewriteTables(url),
      wrong: pending === 0 ? [] : [`${pending} records are pending after the last delivery`],
    }
  } finally {
    await store.close()
    await server.dropDatabases()
  }
}

async function deliver(store: PostgresStore, all: number, report: (done: number) => void): Promise<void> {
  let lane = await takeLane(store)
  let takenAt = performance.now()
  let delivered: Promise<unknown> = Promise.resolve()
  for (let first = 1; first <= all; first += WAVE) {
    const numbers = Array.from({ length: Math.min(WAVE, all - first + 1) }, (_, at) => first + at)
    const appended = await Promise.all(numbers.map((number) => store.append(pendingPageLoad(number, Date.now()))))
    await delivered
    if (performance.now() - takenAt > RENEW_MS) {
      takenAt = performance.now()
      lane = await takeLane(store)
    }
    const owned = lane
    delivered = Promise.all(
      appended.map((answer) => {
        if (!('seq' in answer)) throw new Error('the store refused a record: its disk budget is exceeded')
        return store.recordAttempt(accepted(answer.seq), owned)
      }),
    )
    const done = first + numbers.length - 1
    if (Math.floor(done / REPORT_EVERY) > Math.floor((first - 1) / REPORT_EVERY)) report(done)
  }
  await delivered
}

async function takeLane(store: PostgresStore): Promise<OwnedLane> {
  const [lane] = (await store.takeLanes([LANE])).lanes
  if (lane === undefined) throw new Error('the store gave no lane to its only collector')
  return lane
}

/** `VACUUM FULL` writes a table again without dead rows, and needs space for a second copy of it. */
async function rewriteTables(url: string): Promise<readonly TableGrowth[]> {
  return withClient(url, async (client) => {
    const sizes = async (): Promise<ReadonlyMap<string, number>> => {
      const { rows } = await client.query<{ readonly name: string; readonly bytes: string }>(
        `SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c
          WHERE c.relnamespace = 'waystation'::regnamespace AND c.relkind = 'r'`,
      )
      return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
    }
    const before = await sizes()
    for (const name of before.keys()) await client.query(`VACUUM FULL waystation.${name}`)
    const after = await sizes()
    const tableOf = (name: string): string => name.replace(/_\d+$/, '')
    return [...new Set([...before.keys()].map(tableOf))].map((table) => {
      const sum = (of: ReadonlyMap<string, number>): number =>
        [...of].reduce((bytes, [name, own]) => (tableOf(name) === table ? bytes + own : bytes), 0)
      return { table, bytes: sum(before), rewrittenBytes: sum(after) }
    })
  })
}

/** The share by which all tables together are larger than rewritten ones. */
export function bloatOf(tables: readonly TableGrowth[]): number {
  const sum = (of: (table: TableGrowth) => number): number => tables.reduce((bytes, table) => bytes + of(table), 0)
  return sum(({ bytes }) => bytes) / sum(({ rewrittenBytes }) => rewrittenBytes) - 1
}
