import { join } from 'node:path'
import { sleep } from '../../lib/time'
import type { FloorCount, FloorOrder, SendOrder, Sent, UpstreamCount, Window } from './messages'
import {
  type BenchedCollector,
  type BenchProcess,
  INTAKE_PATH,
  startBenched,
  waitForProgress,
  withProcess,
} from './processes'
import { rise } from './report'
import { cpuMicros, emptyFolder, peakResidentBytes, residentBytes } from './resources'

/** The state of the collector at one time of a run. */
export interface Sample {
  /** Seconds since the load began. */
  readonly at: number
  readonly received: number
  readonly digested: number
  readonly relayed: number
  readonly residentBytes: number
}

export interface LoadRun {
  readonly sent: Sent
  readonly cpuMicrosPerEnvelope: number
  readonly residentPeakBytes: number
  readonly residentLastBytes: number
}

export interface CollectorRun extends LoadRun {
  /** From the end of the load until everything is digested and relayed, in s. */
  readonly drainSeconds: number
  readonly samples: readonly Sample[]
  /** Mismatches in the counts. */
  readonly wrong: readonly string[]
}

/** Processes and settings that all measurements of a benchmark share. */
export interface Bench {
  readonly sender: BenchProcess
  readonly upstream: BenchProcess
  readonly own: string
  readonly quick: boolean
  readonly profiles: string | undefined
}

export const CONNECTIONS = 64
const SAMPLE_MS = 500
const COLLECTOR_POLL_MS = 50
const FLOOR_POLL_MS = 20

/** An order to send for some seconds, on each connection the next envelope as soon as the last one is answered. */
export const closedLoop = (url: string, seconds: number, windows: readonly Window[]): SendOrder => ({
  url,
  body: 'envelope',
  path: INTAKE_PATH,
  connections: CONNECTIONS,
  seconds,
  perSecond: null,
  windows,
})

/** An order to send at a rate for some seconds. */
export const openLoop = (url: string, perSecond: number, seconds: number): SendOrder => ({
  ...closedLoop(url, seconds, []),
  perSecond,
})

/** Starts the floor program, the least that the work costs, with a new database. */
export const inFloor = <Value>(
  bench: Pick<Bench, 'own' | 'upstream'>,
  work: (floor: BenchProcess, url: string) => Promise<Value>,
): Promise<Value> =>
  withProcess('floor-process', false, async (floor) => {
    const file = join(emptyFolder(join(bench.own, 'data')), 'floor.db')
    const order: FloorOrder = { file, upstream: bench.upstream.port }
    const { port } = (await floor.request(order)) as { readonly port: number }
    return work(floor, `http://127.0.0.1:${port}`)
  })

/** Starts a collector on an empty folder. */
export async function inCollector<Value>(
  bench: Pick<Bench, 'own' | 'upstream' | 'profiles'>,
  work: (collector: BenchedCollector) => Promise<Value>,
): Promise<Value> {
  const folder = emptyFolder(join(bench.own, 'data'))
  const collector = await startBenched({ folder, upstream: bench.upstream.port, profiles: bench.profiles })
  try {
    return await work(collector)
  } finally {
    await collector.stop()
  }
}

/** Sends to the floor program. Counts its CPU until everything is stored, parsed and relayed. */
export async function runFloor(sender: BenchProcess, floor: BenchProcess, order: SendOrder): Promise<LoadRun> {
  const count = async (): Promise<FloorCount> => (await floor.request({})) as FloorCount
  const cpuBefore = cpuMicros(floor.pid)
  const before = await count()
  const sent = (await sender.request(order)) as Sent
  const answered = sent.answers['200'] ?? 0
  await waitForProgress(
    `the floor program has processed ${before.stored + answered} envelopes`,
    FLOOR_POLL_MS,
    async () => {
      const { stored, parsed, relayed } = await count()
      const isDone = Math.min(stored, parsed, relayed) >= before.stored + answered
      return isDone ? null : `${stored} stored, ${parsed} parsed, ${relayed} relayed`
    },
  )
  return {
    sent,
    cpuMicrosPerEnvelope: (cpuMicros(floor.pid) - cpuBefore) / Math.max(1, answered),
    residentPeakBytes: peakResidentBytes(floor.pid),
    residentLastBytes: residentBytes(floor.pid),
  }
}

/**
 * Sends to a collector. Counts its CPU until everything is digested and relayed.
 * @param probing posts further envelopes meanwhile and returns their number
 */
export async function runCollector(
  { sender, upstream }: Pick<Bench, 'sender' | 'upstream'>,
  collector: BenchedCollector,
  order: SendOrder,
  probing: (over: AbortSignal) => Promise<number> = async () => 0,
): Promise<CollectorRun> {
  const relayed = async (): Promise<UpstreamCount> => (await upstream.request({})) as UpstreamCount
  const before = { ...collector.progress(), upstream: await relayed(), cpu: cpuMicros(collector.pid) }
  const began = performance.now()
  const samples: Sample[] = []
  let isOver = false
  const sampling = (async () => {
    while (!isOver) {
      const { posts } = await relayed()
      const { received, digested } = collector.progress()
      samples.push({
        at: (performance.now() - began) / 1000,
        received: received - before.received,
        digested: digested - before.digested,
        relayed: posts - before.upstream.posts,
        residentBytes: residentBytes(collector.pid),
      })
      await sleep(SAMPLE_MS)
    }
  })()
  const over = new AbortController()
  const probes = probing(over.signal)
  const sent = (await sender.request(order)) as Sent
  over.abort()
  const accepted = (sent.answers['200'] ?? 0) + (await probes)
  isOver = true
  await sampling
  const drainBegan = performance.now()
  await drained(collector, before.received + accepted, async () => (await relayed()).posts - before.upstream.posts)
  const drainSeconds = (performance.now() - drainBegan) / 1000
  const cpu = cpuMicros(collector.pid) - before.cpu
  const after = { ...collector.progress(), upstream: await relayed() }
  return {
    sent,
    cpuMicrosPerEnvelope: cpu / Math.max(1, accepted),
    // Not the peak of the process, which includes start and warm-up.
    residentPeakBytes: Math.max(...samples.map((sample) => sample.residentBytes)),
    residentLastBytes: residentBytes(collector.pid),
    drainSeconds,
    samples,
    wrong: mismatches(sent, {
      accepted,
      recorded: after.received - before.received,
      digested: after.digested - before.digested,
      relayed: after.upstream.posts - before.upstream.posts,
      strange: after.upstream.strange - before.upstream.strange,
    }),
  }
}

function drained(collector: BenchedCollector, upTo: number, relayed: () => Promise<number>): Promise<void> {
  return waitForProgress(`${upTo} envelopes are digested and relayed`, COLLECTOR_POLL_MS, async () => {
    const { received, digested } = collector.progress()
    const posts = await relayed()
    // The collector stores a delivery status shortly after upstream has answered.
    const isDigested = received >= upTo && digested >= received
    if (isDigested && (await collector.storage()).pending.records === 0) return null
    return `${received} received, ${digested} digested, ${posts} relayed`
  })
}

function mismatches(
  sent: Sent,
  counts: {
    readonly accepted: number
    readonly recorded: number
    readonly digested: number
    readonly relayed: number
    readonly strange: number
  },
): readonly string[] {
  const { accepted, recorded, digested, relayed, strange } = counts
  const others = Object.entries(sent.answers).filter(([what]) => what !== '200')
  return [
    ...others.map(([what, times]) => `${times} × ${what}`),
    ...(sent.sent === (sent.answers['200'] ?? 0) ? [] : [`${sent.sent} sent, ${sent.answers['200'] ?? 0} accepted`]),
    ...(recorded === accepted ? [] : [`${accepted} accepted, ${recorded} recorded`]),
    ...(digested === accepted ? [] : [`${accepted} accepted, ${digested} digested`]),
    ...(relayed === accepted ? [] : [`${accepted} accepted, ${relayed} received by upstream`]),
    ...(strange === 0 ? [] : [`upstream could not read ${strange} requests`]),
  ]
}

/** Estimates the sustained rate, in envelopes per second, from a burst and the time until all of it is digested and relayed. */
export const sustainedEstimate = ({ sent, drainSeconds }: CollectorRun, seconds: number): number =>
  (0.9 * sent.whole.answered) / (seconds + drainSeconds)

/** Growth of a backlog per second, from a time to the end of the run. */
export function growth(samples: readonly Sample[], from: number, of: (sample: Sample) => number): number {
  const points = samples.filter(({ at }) => at >= from).map((sample) => [sample.at, of(sample)] as const)
  const seconds = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)
  return seconds === 0 ? 0 : rise(points) / seconds
}

/** Digested envelopes per second in a part of a run. */
export function digestedPerSecond(samples: readonly Sample[], [from, to]: readonly [number, number]): number {
  const within = samples.filter(({ at }) => at >= from && at <= to)
  const [first, last] = [within[0], within.at(-1)]
  if (first === undefined || last === undefined || first === last) return 0
  return (last.digested - first.digested) / (last.at - first.at)
}
