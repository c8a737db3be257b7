import type { Storage } from '../../lib/wire/storage'
import type { Waits, Window } from './messages'
import {
  type Bench,
  type CollectorRun,
  closedLoop,
  digestedPerSecond,
  inCollector,
  inFloor,
  type LoadRun,
  runCollector,
  runFloor,
} from './run-load'

export const BURST_SECONDS = 5
/** The digest yields to intake until it lags by 10 s: it may wait in the first window of a long burst, but not in the second. */
const WAITING: Window = [0, BURST_SECONDS]
const RUNNING: Window = [12, 12 + BURST_SECONDS]

/** Disk use of an envelope, divided by its raw bytes. */
export interface DiskShares {
  readonly record: number
  readonly withRows: number
}

export interface Burst {
  readonly waits: Waits
  /** Digested envelopes per second. */
  readonly digestedPerSecond: number
}

export interface Round {
  readonly floor: LoadRun
  readonly ours: CollectorRun
  readonly waiting: Burst
  /** Null with `--quick`. */
  readonly running: Burst | null
  readonly disk: DiskShares
  /** Digested and relayed envelopes per second after the last one arrived. */
  readonly drainedPerSecond: number
}

/** Measures floor program and collector, one after the other, each warmed up for a second. */
export async function burstRound(bench: Bench): Promise<Round> {
  const floor = await inFloor(bench, async (process, url) => {
    await runFloor(bench.sender, process, closedLoop(url, 1, []))
    return runFloor(bench.sender, process, closedLoop(url, BURST_SECONDS, [WAITING]))
  })
  return inCollector(bench, async (collector) => {
    await runCollector(bench, collector, closedLoop(collector.url, 1, []))
    const before = await collector.storage()
    const windows = bench.quick ? [WAITING] : [WAITING, RUNNING]
    const ours = await runCollector(bench, collector, closedLoop(collector.url, windows.at(-1)?.[1] ?? 0, windows))
    const burstOf = (index: number, window: Window): Burst | null => {
      const waits = ours.sent.windows[index]
      return waits === undefined ? null : { waits, digestedPerSecond: digestedPerSecond(ours.samples, window) }
    }
    const waiting = burstOf(0, WAITING)
    if (waiting === null) throw new TypeError('the sender reported no window')
    const last = ours.samples.at(-1)
    return {
      floor,
      ours,
      waiting,
      running: burstOf(1, RUNNING),
      disk: diskShares(before, await collector.storage(), ours),
      drainedPerSecond: last === undefined ? 0 : (last.received - last.digested) / ours.drainSeconds,
    }
  })
}

function diskShares(before: Storage, after: Storage, run: CollectorRun): DiskShares {
  const raw = run.sent.bytes
  const record = after.spool.used - before.spool.used
  return { record: record / raw, withRows: (record + after.rows.used - before.rows.used) / raw }
}
