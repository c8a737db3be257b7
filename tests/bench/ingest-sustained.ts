import { type BenchedCollector, INTAKE_PATH } from './collector-under-bench'
import { rise } from './figures'
import { inFloor, runFloor } from './floor'
import { type Bench, CONNECTIONS, closedLoop, inBare, inCollector } from './ingest-bursts'
import type { SendOrder } from './messages'
import { probe } from './queryable'
import { type CollectorRun, growth, type LoadRun, runBare, runCollector } from './run-load'

export interface SustainedRun {
  readonly perSecond: number
  readonly run: CollectorRun
  readonly sustained: boolean
  /** Envelopes by which what waits to be digested, and to be relayed, grows in a second. */
  readonly digestGrowth: number
  readonly relayGrowth: number
}

export interface SteadyRun extends SustainedRun {
  /** ms from the answer to a post until `/query/items` shows it. */
  readonly queryable: readonly number[]
  /** By how much resident memory rises over the last two thirds. */
  readonly residentRise: number
  readonly bare: LoadRun
  readonly floor: LoadRun
}

/** A backlog that grows by less than this share of the rate does not grow. */
const GROWTH_SHARE = 0.03
/** So much of a load may wait at its end whatever it does, in seconds of it. */
const BACKLOG_SECONDS = 2
const TRIAL_SECONDS = 20
const MOST_TRIALS = 6
/** As fast as can be: at a low rate code would still be compiled while its CPU is counted. */
const WARM_UP_SECONDS = 1

const openLoop = (bench: Bench, url: string, perSecond: number, seconds: number): SendOrder => ({
  via: bench.via,
  url,
  path: INTAKE_PATH,
  connections: CONNECTIONS,
  seconds,
  perSecond,
  windows: [],
})

/** The largest rate that was sustained for a short while, found by halving between one that was and one that was not. */
export async function searchRate(bench: Bench, estimate: number, say: (line: string) => void): Promise<number> {
  let known = 0
  let beyond = Number.POSITIVE_INFINITY
  let rate = Math.max(1, Math.round(estimate))
  for (let trial = 1; trial <= MOST_TRIALS && beyond - known > known * 0.06; trial += 1) {
    const tried = rate
    const { sustained } = await inCollector(bench, (collector) => sustain(bench, collector, tried, TRIAL_SECONDS))
    say(`${tried} a second for ${TRIAL_SECONDS} s: ${sustained ? 'sustained' : 'a backlog grows'}`)
    if (sustained) known = tried
    else beyond = tried
    if (known === 0) rate = Math.round(tried * 0.75)
    else rate = Math.round(beyond === Number.POSITIVE_INFINITY ? tried * 1.25 : (known + beyond) / 2)
  }
  return Math.max(1, known)
}

/** The rate for a minute; where it is not sustained so long, the next lower ones. */
export async function sustainMinute(
  bench: Bench,
  from: number,
  seconds: number,
  say: (line: string) => void,
): Promise<SustainedRun> {
  for (let rate = from, tries = 1; ; rate = Math.floor(rate * 0.92), tries += 1) {
    const found = await inCollector(bench, (collector) => sustain(bench, collector, rate, seconds))
    say(`${rate} a second for ${seconds} s: ${found.sustained ? 'sustained' : 'a backlog grows'}`)
    if (found.sustained || tries === 4) return found
  }
}

/** A rate for a while, with probes of when an envelope can be asked for, and bare handler and floor at the same rate. */
export async function steady(bench: Bench, perSecond: number, seconds: number): Promise<SteadyRun> {
  const bare = await inBare(async (process, url) => {
    await bench.sender.ask(closedLoop(bench, url, WARM_UP_SECONDS, []))
    return runBare(bench.sender, process, openLoop(bench, url, perSecond, Math.min(seconds, 15)))
  })
  const floor = await inFloor(bench, async (process, url) => {
    await runFloor(bench.sender, process, closedLoop(bench, url, WARM_UP_SECONDS, []))
    return runFloor(bench.sender, process, openLoop(bench, url, perSecond, Math.min(seconds, 15)))
  })
  return inCollector(bench, async (collector) => {
    let queryable: readonly number[] = []
    const found = await sustain(bench, collector, perSecond, seconds, async (over) => {
      queryable = await probe(collector.url, over)
      return queryable.length
    })
    const late = found.run.samples.filter(({ at }) => at > seconds / 3)
    const residentRise = rise(late.map((sample) => [sample.at, sample.residentBytes]))
    return { ...found, queryable, residentRise, bare, floor }
  })
}

async function sustain(
  bench: Bench,
  collector: BenchedCollector,
  perSecond: number,
  seconds: number,
  probing?: (over: AbortSignal) => Promise<number>,
): Promise<SustainedRun> {
  const parts = { sender: bench.sender, upstream: bench.upstream, collector }
  await runCollector(parts, closedLoop(bench, collector.url, WARM_UP_SECONDS, []))
  const run = await runCollector(parts, openLoop(bench, collector.url, perSecond, seconds), probing)
  const from = seconds > 30 ? seconds / 3 : seconds / 2
  const digestGrowth = growth(run.samples, from, (sample) => sample.received - sample.digested)
  const relayGrowth = growth(run.samples, from, (sample) => sample.received - sample.relayed)
  const last = run.samples.at(-1)
  const isHeld = (growing: number, waiting: number): boolean =>
    growing < perSecond * GROWTH_SHARE || waiting < perSecond * BACKLOG_SECONDS
  const sustained =
    last !== undefined &&
    run.sent.unsent < perSecond &&
    isHeld(digestGrowth, last.received - last.digested) &&
    isHeld(relayGrowth, last.received - last.relayed)
  return { perSecond, run, sustained, digestGrowth, relayGrowth }
}
