import { join } from 'node:path'
import { sizeOf } from '../../collector/runtime/database'
import { withClient } from '../store/databases'
import type { Sent, UpstreamCount } from './messages'
import { mirrorLags } from './mirror-lags'
import { type BenchProcess, waitForProgress } from './processes'
import { percentile } from './report'
import { cpuMicros, treeCpuMicros } from './resources'
import { closedLoop, openLoop } from './run-load'
import type { BenchServer } from './scale-server'
import { type RunningSetup, type Setup, startSetup } from './scale-setups'

export interface ScaleBench {
  readonly sender: BenchProcess
  readonly upstream: BenchProcess
  readonly server: BenchServer
  readonly own: string
  readonly seconds: number
  readonly profiles: string | undefined
}

/** Processes by what they do; µs of CPU, or shares of one core. `postgres` is `null` where it is not measured. */
export interface CpuParts {
  readonly sender: number
  readonly upstream: number
  /** All of them together. */
  readonly collectors: number
  /** Also `null` for SQLite. */
  readonly postgres: number | null
}

export interface PhaseFigures {
  /** `null` for as fast as it answers. */
  readonly targetPerSecond: number | null
  /** Accepted by answers of 200. */
  readonly perSecond: number
  readonly relayedPerSecond: number
  /** Of answers, in ms. */
  readonly p50: number
  readonly p99: number
  /** Until everything is mirrored, digested and relayed. */
  readonly cpuPerEnvelope: CpuParts
  readonly cpuOfEachCollector: readonly number[]
  /** Cores in use from the first to the last post of the load. */
  readonly coresInUse: CpuParts
  /** From the end of the load until everything is mirrored, digested and relayed. */
  readonly drainSeconds: number
  /** Of each probe and mirror, in ms; empty without a mirror. */
  readonly lags: readonly number[]
  /** Records of each batch with records; empty for SQLite. */
  readonly batches: readonly number[]
}

/** Bytes of each record. `null` is what the engine does not have. */
export interface Sizes {
  readonly postgres: number | null
  readonly wal: number | null
  readonly spool: number
  readonly index: number
}

export interface SetupFigures {
  readonly setup: Setup
  readonly full: PhaseFigures
  readonly half: PhaseFigures & { readonly targetPerSecond: number }
  readonly sizes: Sizes
  readonly wrong: readonly string[]
}

/** At full speed, so that compilation does not count in the measurement. */
const WARM_UP_SECONDS = 1
const POLL_MS = 50

/** Measures a setup on an empty record: at full rate, and at half of the rate that it reached. */
export async function measureSetup(bench: ScaleBench, setup: Setup): Promise<SetupFigures> {
  const store = setup.engine === 'SQLite' ? null : await bench.server.newDatabase()
  const running = await startSetup(setup, {
    own: bench.own,
    upstream: bench.upstream.port,
    store,
    profiles: bench.profiles,
  })
  const wrong: string[] = []
  try {
    const tools = { bench, running, store, wrong }
    const before = await storeState(store)
    await measurePhase(tools, null, WARM_UP_SECONDS)
    const full = await measurePhase(tools, null, bench.seconds)
    const targetPerSecond = Math.max(1, Math.round(full.perSecond / 2))
    const half = await measurePhase(tools, targetPerSecond, bench.seconds)
    const sizes = await sizesOf(running, store, before)
    return { setup, full, half: { ...half, targetPerSecond }, sizes, wrong }
  } finally {
    wrong.push(...(await running.stop()))
    await bench.server.dropDatabases()
  }
}

interface Tools {
  readonly bench: ScaleBench
  readonly running: RunningSetup
  readonly store: string | null
  readonly wrong: string[]
}

async function measurePhase(tools: Tools, perSecond: number | null, seconds: number): Promise<PhaseFigures> {
  const { bench, running, store, wrong } = tools
  const { sender, upstream } = bench
  const [first, ...others] = running.takers.map(({ url }) => url)
  if (first === undefined) throw new Error('no collector of this setup takes envelopes')
  const load = perSecond === null ? closedLoop(first, seconds, []) : openLoop(first, perSecond, seconds)
  const count = async (): Promise<UpstreamCount> => (await upstream.request({ skip: 0 })) as UpstreamCount
  const [stateBefore, countBefore, cpuBefore] = [await storeState(store), await count(), cpuNow(tools)]
  const began = performance.now()
  const over = new AbortController()
  const probes = store === null ? Promise.resolve({ lags: [], posts: 0 }) : mirrorLags(running, over.signal)
  const sent = (await sender.request({ ...load, furtherUrls: others })) as Sent
  const [loadMs, cpuAtEnd] = [performance.now() - began, cpuNow(tools)]
  over.abort()
  const { lags, posts } = await probes
  const accepted = (sent.answers['200'] ?? 0) + posts
  await drained(bench, running, store, countBefore.posts + accepted)
  const drainSeconds = (performance.now() - began - loadMs) / 1000
  const [stateAfter, countAfter, cpuAfter] = [await storeState(store), await readCount(upstream), cpuNow(tools)]

  for (const [answer, times] of Object.entries(sent.answers)) if (answer !== '200') wrong.push(`${times} × ${answer}`)
  const relayed = countAfter.posts - countBefore.posts
  if (relayed !== accepted) wrong.push(`${accepted} accepted, ${relayed} received by upstream`)
  const stored = stateAfter.records - stateBefore.records
  if (store !== null && stored !== accepted) wrong.push(`${accepted} accepted, ${stored} in PostgreSQL`)
  const collectorsCpu = cpuAfter.each.map((used, at) => (used - (cpuBefore.each[at] ?? 0)) / Math.max(1, accepted))
  return {
    targetPerSecond: perSecond,
    perSecond: sent.whole.perSecond,
    relayedPerSecond: ((relayed - 1) * 1000) / (countAfter.lastAt - countAfter.firstAt),
    p50: sent.whole.p50,
    p99: sent.whole.p99,
    cpuPerEnvelope: scaled(cpuBefore.parts, cpuAfter.parts, 1 / Math.max(1, accepted)),
    cpuOfEachCollector: collectorsCpu,
    coresInUse: scaled(cpuBefore.parts, cpuAtEnd.parts, 1 / (loadMs * 1000)),
    drainSeconds,
    lags,
    batches: store === null ? [] : await batchesAfter(store, stateBefore.last),
  }
}

const readCount = async (upstream: BenchProcess): Promise<UpstreamCount> =>
  (await upstream.request({})) as UpstreamCount

function cpuNow({ bench, running, store }: Tools): { readonly parts: CpuParts; readonly each: readonly number[] } {
  const each = running.collectors.map(({ pid }) => cpuMicros(pid))
  const parts = {
    sender: cpuMicros(bench.sender.pid),
    upstream: cpuMicros(bench.upstream.pid),
    collectors: each.reduce((sum, used) => sum + used, 0),
    postgres: store === null || bench.server.pid === null ? null : treeCpuMicros(bench.server.pid),
  }
  return { parts, each }
}

const scaled = (before: CpuParts, after: CpuParts, by: number): CpuParts => ({
  sender: (after.sender - before.sender) * by,
  upstream: (after.upstream - before.upstream) * by,
  collectors: (after.collectors - before.collectors) * by,
  postgres: after.postgres === null || before.postgres === null ? null : (after.postgres - before.postgres) * by,
})

/** Waits until everything is relayed, and each mirror and index has it. @param posts all that upstream receives */
async function drained(bench: ScaleBench, running: RunningSetup, store: string | null, posts: number): Promise<void> {
  await waitForProgress('everything is relayed, mirrored and digested', POLL_MS, async () => {
    const count = await readCount(bench.upstream)
    const behind = async (): Promise<readonly number[]> => {
      const { newest } = await openWork(store)
      return running.answerers.map(({ progress }) => {
        const { received, digested } = progress()
        return Math.max(received, newest) - digested
      })
    }
    if (count.posts < posts) return `${count.posts} of ${posts} relayed`
    const missing = await behind()
    if (missing.some((records) => records > 0)) return `${missing.join(', ')} numbers to digest`
    const pending = await pendingOf(running, store)
    return pending === 0 ? null : `${pending} results to store`
  })
}

async function pendingOf(running: RunningSetup, store: string | null): Promise<number> {
  if (store !== null) return (await openWork(store)).pending
  const storages = await Promise.all(running.collectors.map((collector) => collector.storage()))
  return storages.reduce((sum, { pending }) => sum + pending.records, 0)
}

/** Cheap, because it is polled. Zeros for SQLite. */
async function openWork(store: string | null): Promise<{ readonly newest: number; readonly pending: number }> {
  if (store === null) return { newest: 0, pending: 0 }
  return withClient(store, async (client) => {
    const { rows } = await client.query<{ readonly newest: string; readonly pending: string }>(
      `SELECT (SELECT coalesce(max(seq), 0) FROM waystation.records) AS newest,
        (SELECT count(*) FROM waystation.pending_deliveries) AS pending`,
    )
    return { newest: Number(rows[0]?.newest), pending: Number(rows[0]?.pending) }
  })
}

interface StoreState {
  readonly records: number
  /** The number of the newest fact. */
  readonly last: number
  readonly bytes: number
  readonly walBytes: number
}

/** Zeros for SQLite. */
async function storeState(store: string | null): Promise<StoreState> {
  const none = { records: 0, last: 0, bytes: 0, walBytes: 0 }
  if (store === null) return none
  return withClient(store, async (client) => {
    const exists = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass('waystation.commits')`)
    if (exists.rowCount === 0) return none
    const { rows } = await client.query<Record<keyof StoreState, string>>(`SELECT
      (SELECT count(*) FROM waystation.records) AS records,
      (SELECT coalesce(max(last), 0) FROM waystation.commits) AS last,
      pg_database_size(current_database()) AS bytes,
      pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS "walBytes"`)
    const numbers = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)])
    return { ...none, ...Object.fromEntries(numbers) }
  })
}

/** The number of records of each batch after a fact. The numbers of a batch's records follow one another. */
async function batchesAfter(store: string, last: number): Promise<readonly number[]> {
  return withClient(store, async (client) => {
    const read = async (text: string): Promise<readonly number[]> => {
      const { rows } = await client.query<{ readonly n: string }>(text, [last])
      return rows.map(({ n }) => Number(n))
    }
    const firsts = await read('SELECT first_seq AS n FROM waystation.commits WHERE first_seq > $1 ORDER BY first_seq')
    const seqs = await read('SELECT seq AS n FROM waystation.records WHERE seq > $1 ORDER BY seq')
    const sizes = firsts.map(() => 0)
    let at = 0
    for (const seq of seqs) {
      while (at + 1 < firsts.length && (firsts[at + 1] ?? 0) <= seq) at += 1
      sizes[at] = (sizes[at] ?? 0) + 1
    }
    return sizes
  })
}

async function sizesOf(running: RunningSetup, store: string | null, before: StoreState): Promise<Sizes> {
  const after = await storeState(store)
  const [answerer] = running.answerers
  if (answerer === undefined) throw new Error('no collector of this setup answers queries')
  const records = store === null ? answerer.progress().received : after.records
  const bytesOf = (name: string): number =>
    ['', '-wal'].reduce((sum, suffix) => sum + sizeOf(join(answerer.folder, name + suffix)), 0) / records
  return {
    postgres: store === null ? null : (after.bytes - before.bytes) / records,
    wal: store === null ? null : (after.walBytes - before.walBytes) / records,
    spool: bytesOf('spool.db'),
    index: bytesOf('telemetry.db'),
  }
}

/** @returns p50, p99 and the mean of numbers; `null` without any */
export function spread(
  values: readonly number[],
): { readonly p50: number; readonly p99: number; readonly mean: number } | null {
  if (values.length === 0) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return { p50: percentile(values, 0.5), p99: percentile(values, 0.99), mean }
}
