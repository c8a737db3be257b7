import { sleep } from '../../lib/time'
import { itemsPageSchema } from '../../lib/wire/journal'
import { randomFrom } from '../faults/random'
import { type BenchedCollector, INTAKE_PATH } from './processes'
import { rise } from './report'
import {
  type Bench,
  type CollectorRun,
  closedLoop,
  growth,
  inCollector,
  inFloor,
  type LoadRun,
  openLoop,
  runCollector,
  runFloor,
} from './run-load'
import { PAGE_LOAD, transactionEnvelope } from './transaction-envelope'

export interface SustainedRun {
  readonly perSecond: number
  readonly run: CollectorRun
  readonly sustained: boolean
  /** Growth of the backlogs of digest and relay, in envelopes per second. */
  readonly digestGrowth: number
  readonly relayGrowth: number
}

export interface SteadyRun extends SustainedRun {
  /** ms from the answer to a post until `/query/items` shows it. */
  readonly queryable: readonly number[]
  /** Rise of resident memory over the last two thirds, in bytes. */
  readonly residentRise: number
  readonly floor: LoadRun
}

/** Ignores backlog growth below this share of the rate. */
const GROWTH_SHARE = 0.03
/** A sustained load may leave this much backlog, in seconds of load. */
const BACKLOG_SECONDS = 2
const TRIAL_SECONDS = 20
const MOST_TRIALS = 6
/** At full speed: after a slow warm-up, compilation would count as CPU of the measurement. */
const WARM_UP_SECONDS = 1
/** One probe at a time: enough for a p99, and too few to add load. */
const PROBE_INTERVAL_MS = 100
const STAMP = 'bench-probe'

/** Finds the largest rate that 20 s sustain, by bisection between a sustained rate and one that was not. */
export async function searchRate(bench: Bench, estimate: number, log: (line: string) => void): Promise<number> {
  let known = 0
  let beyond = Number.POSITIVE_INFINITY
  let rate = Math.max(1, Math.round(estimate))
  for (let trial = 1; trial <= MOST_TRIALS && beyond - known > known * 0.06; trial += 1) {
    const tried = rate
    const { sustained } = await inCollector(bench, (collector) => sustain(bench, collector, tried, TRIAL_SECONDS))
    log(`${tried} a second for ${TRIAL_SECONDS} s: ${sustained ? 'sustained' : 'a backlog grows'}`)
    if (sustained) known = tried
    else beyond = tried
    if (known === 0) rate = Math.round(tried * 0.75)
    else rate = Math.round(beyond === Number.POSITIVE_INFINITY ? tried * 1.25 : (known + beyond) / 2)
  }
  return Math.max(1, known)
}

/** Runs the rate for a minute, and up to three lower rates while it is not sustained. */
export async function sustainMinute(
  bench: Bench,
  from: number,
  seconds: number,
  log: (line: string) => void,
): Promise<SustainedRun> {
  for (let rate = from, tries = 1; ; rate = Math.floor(rate * 0.92), tries += 1) {
    const found = await inCollector(bench, (collector) => sustain(bench, collector, rate, seconds))
    log(`${rate} a second for ${seconds} s: ${found.sustained ? 'sustained' : 'a backlog grows'}`)
    if (found.sustained || tries === 4) return found
  }
}

/** Runs a rate with probes of the time until an envelope is queryable; the floor program runs at the same rate. */
export async function steady(bench: Bench, perSecond: number, seconds: number): Promise<SteadyRun> {
  const floor = await inFloor(bench, async (process, url) => {
    await runFloor(bench.sender, process, closedLoop(url, WARM_UP_SECONDS, []))
    return runFloor(bench.sender, process, openLoop(url, perSecond, Math.min(seconds, 15)))
  })
  return inCollector(bench, async (collector) => {
    let queryable: readonly number[] = []
    const found = await sustain(bench, collector, perSecond, seconds, async (over) => {
      queryable = await probe(collector.url, over)
      return queryable.length
    })
    const late = found.run.samples.filter(({ at }) => at > seconds / 3)
    const residentRise = rise(late.map((sample) => [sample.at, sample.residentBytes]))
    return { ...found, queryable, residentRise, floor }
  })
}

async function sustain(
  bench: Bench,
  collector: BenchedCollector,
  perSecond: number,
  seconds: number,
  probing?: (over: AbortSignal) => Promise<number>,
): Promise<SustainedRun> {
  await runCollector(bench, collector, closedLoop(collector.url, WARM_UP_SECONDS, []))
  const run = await runCollector(bench, collector, openLoop(collector.url, perSecond, seconds), probing)
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

/**
 * Posts stamped envelopes until the signal aborts, and waits for each at `/query/items`.
 * @returns for each the ms from the answer to the post until the answer that contains it
 */
async function probe(url: string, over: AbortSignal): Promise<readonly number[]> {
  const draw = randomFrom(Date.now())
  const waits: number[] = []
  let after = 0
  while (!over.aborted) {
    const made = transactionEnvelope(draw, { ...PAGE_LOAD, start: Math.floor(Date.now() / 1000) })
    const posted = await fetch(`${url}${INTAKE_PATH}`, {
      method: 'POST',
      body: made.text,
      headers: { 'x-waystation-stamp': STAMP },
    })
    await posted.arrayBuffer()
    if (posted.status !== 200) throw new Error(`the collector answered a probe with ${posted.status}, expected 200`)
    const accepted = performance.now()
    for (let found = false; !found; ) {
      const page = itemsPageSchema.parse(
        await (await fetch(`${url}/query/items?after=${after}&wait=25&stamp=${STAMP}`)).json(),
      )
      if (page.items.length === 0) throw new Error('a probe was not queryable within 25 s')
      after = page.next
      found = page.items.some(({ eventId }) => eventId === made.eventId)
    }
    const shown = performance.now()
    waits.push(shown - accepted)
    await sleep(Math.max(0, PROBE_INTERVAL_MS - (shown - accepted)))
  }
  return waits
}
