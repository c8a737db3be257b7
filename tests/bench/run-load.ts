import type { BenchedCollector } from './collector-under-bench'
import { cpuMicros, peakResidentBytes, residentBytes, rise } from './figures'
import type { SendOrder, Sent, UpstreamCount } from './messages'
import type { HiredProcess } from './process-under-bench'

/** The collector at one moment of a run. */
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
  /** From the end of the load until everything was digested and relayed, in s. */
  readonly drainSeconds: number
  readonly samples: readonly Sample[]
  /** What does not add up, each as a sentence. */
  readonly wrong: readonly string[]
}

const SAMPLE_MS = 500
const LOOK_MS = 50
/** Where nothing moves for so long, nothing will. */
const STUCK_MS = 30_000

/** Sends to a handler that only answers. */
export async function runBare(
  sender: HiredProcess,
  bare: { readonly pid: number },
  order: SendOrder,
): Promise<LoadRun> {
  const before = cpuMicros(bare.pid)
  const sent = (await sender.ask(order)) as Sent
  return {
    sent,
    cpuMicrosPerEnvelope: (cpuMicros(bare.pid) - before) / Math.max(1, sent.whole.answered),
    residentPeakBytes: peakResidentBytes(bare.pid),
    residentLastBytes: residentBytes(bare.pid),
  }
}

/**
 * Sends to a collector, and waits until all of it is digested and relayed: its CPU is counted until then.
 * @param probing what else is posted and looked at meanwhile; how many envelopes that made.
 */
export async function runCollector(
  given: { readonly sender: HiredProcess; readonly upstream: HiredProcess; readonly collector: BenchedCollector },
  order: SendOrder,
  probing: (over: AbortSignal) => Promise<number> = async () => 0,
): Promise<CollectorRun> {
  const { sender, upstream, collector } = given
  const relayed = async (): Promise<UpstreamCount> => (await upstream.ask({})) as UpstreamCount
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
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    }
  })()
  const over = new AbortController()
  const probes = probing(over.signal)
  const sent = (await sender.ask(order)) as Sent
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
    // Of this run alone: the process remembers its start and the warm-up too.
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

async function drained(collector: BenchedCollector, upTo: number, relayed: () => Promise<number>): Promise<void> {
  let last = ''
  let movedAt = performance.now()
  for (;;) {
    const { received, digested } = collector.progress()
    const posts = await relayed()
    if (received >= upTo && digested >= received) {
      // What upstream has answered is decided a moment later.
      if ((await collector.storage()).pending.records === 0) return
    }
    const now = `${received} received, ${digested} digested, ${posts} relayed`
    if (now !== last) movedAt = performance.now()
    last = now
    if (performance.now() - movedAt > STUCK_MS)
      throw new Error(`nothing moved for ${STUCK_MS / 1000} s before all of ${upTo} was digested and relayed: ${now}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
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

/** By how much a backlog grows in a second, over the last part of a run. */
export function growth(samples: readonly Sample[], from: number, of: (sample: Sample) => number): number {
  const points = samples.filter(({ at }) => at >= from).map((sample) => [sample.at, of(sample)] as const)
  const seconds = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)
  return seconds === 0 ? 0 : rise(points) / seconds
}

/** Envelopes of a part of a run that became rows, in a second. */
export function digestedPerSecond(samples: readonly Sample[], [from, to]: readonly [number, number]): number {
  const within = samples.filter(({ at }) => at >= from && at <= to)
  const [first, last] = [within[0], within.at(-1)]
  if (first === undefined || last === undefined || first === last) return 0
  return (last.digested - first.digested) / (last.at - first.at)
}
