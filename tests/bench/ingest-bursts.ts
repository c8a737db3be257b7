import { join } from 'node:path'
import type { Storage } from '../../lib/wire/storage'
import { type BenchedCollector, INTAKE_PATH, startBenched } from './collector-under-bench'
import { emptyFolder } from './disk'
import { inFloor, runFloor } from './floor'
import type { SendOrder, Waits, Window } from './messages'
import { type HiredProcess, hire } from './process-under-bench'
import { type CollectorRun, digestedPerSecond, type LoadRun, runBare, runCollector } from './run-load'

export const CONNECTIONS = 64
export const BURST_SECONDS = 5
/** The digest yields to intake until it lags by 10 s: in the first part of a long burst it may wait, in the last it may not. */
const WAITING: Window = [0, BURST_SECONDS]
const RUNNING: Window = [12, 12 + BURST_SECONDS]

export interface Bench {
  readonly sender: HiredProcess
  readonly upstream: HiredProcess
  readonly upstreamPort: number
  readonly own: string
  readonly quick: boolean
  readonly profiles: string | undefined
  readonly via: SendOrder['via']
}

/** Bytes on disk of one envelope, as a share of its raw bytes. */
export interface DiskShares {
  readonly record: number
  readonly withRows: number
}

export interface Burst {
  readonly waits: Waits
  /** Envelopes that became rows in a second of it. */
  readonly digestedPerSecond: number
}

export interface Round {
  readonly bare: LoadRun
  readonly floor: LoadRun
  readonly ours: CollectorRun
  readonly waiting: Burst
  /** `null` in the quick form. */
  readonly running: Burst | null
  readonly disk: DiskShares
  /** Digested and relayed per second while nothing arrived any more. */
  readonly drainedPerSecond: number
}

export const closedLoop = (
  bench: Pick<Bench, 'via'>,
  url: string,
  seconds: number,
  windows: readonly Window[],
): SendOrder => ({
  via: bench.via,
  url,
  path: INTAKE_PATH,
  connections: CONNECTIONS,
  seconds,
  perSecond: null,
  windows,
})

/** One round: the bare handler first, then the floor, then the collector, each warmed up for a second. */
export async function burstRound(bench: Bench): Promise<Round> {
  const bare = await inBare(async (process, url) => {
    await bench.sender.ask(closedLoop(bench, url, 1, []))
    return runBare(bench.sender, process, closedLoop(bench, url, BURST_SECONDS, [WAITING]))
  })
  const floor = await inFloor(bench, async (process, url) => {
    await runFloor(bench.sender, process, closedLoop(bench, url, 1, []))
    return runFloor(bench.sender, process, closedLoop(bench, url, BURST_SECONDS, [WAITING]))
  })
  return inCollector(bench, async (collector) => {
    const parts = { sender: bench.sender, upstream: bench.upstream, collector }
    await runCollector(parts, closedLoop(bench, collector.url, 1, []))
    const before = await collector.storage()
    const windows = bench.quick ? [WAITING] : [WAITING, RUNNING]
    const ours = await runCollector(parts, closedLoop(bench, collector.url, windows.at(-1)?.[1] ?? 0, windows))
    const burstOf = (index: number, window: Window): Burst | null => {
      const waits = ours.sent.windows[index]
      return waits === undefined ? null : { waits, digestedPerSecond: digestedPerSecond(ours.samples, window) }
    }
    const waiting = burstOf(0, WAITING)
    if (waiting === null) throw new TypeError('the sender told of no window')
    const last = ours.samples.at(-1)
    return {
      bare,
      floor,
      ours,
      waiting,
      running: burstOf(1, RUNNING),
      disk: diskShares(before, await collector.storage(), ours),
      drainedPerSecond: last === undefined ? 0 : (last.received - last.digested) / ours.drainSeconds,
    }
  })
}

export async function inBare<Value>(work: (bare: HiredProcess, url: string) => Promise<Value>): Promise<Value> {
  const bare = await hire('bare-process', true)
  try {
    return await work(bare, `http://127.0.0.1:${portOf(bare)}`)
  } finally {
    await bare.end()
  }
}

export async function inCollector<Value>(
  bench: Pick<Bench, 'own' | 'upstreamPort' | 'profiles'>,
  work: (collector: BenchedCollector) => Promise<Value>,
): Promise<Value> {
  const folder = emptyFolder(join(bench.own, 'data'))
  const collector = await startBenched({ folder, upstream: bench.upstreamPort, profiles: bench.profiles })
  try {
    return await work(collector)
  } finally {
    await collector.stop()
  }
}

export const portOf = ({ hello }: HiredProcess): number => (hello as { readonly port: number }).port

function diskShares(before: Storage, after: Storage, run: CollectorRun): DiskShares {
  const raw = run.sent.bytes
  const record = after.spool.used - before.spool.used
  return { record: record / raw, withRows: (record + after.rows.used - before.rows.used) / raw }
}
