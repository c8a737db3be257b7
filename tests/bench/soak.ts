import { join } from 'node:path'
import { WAL_KEPT_BYTES } from '../../collector/runtime/database'
import { collectorClient } from '../../lib/wire/collector-client'
import { benchCommand, count, type Folders, type Measured, toggle, type Values } from './bench-command'
import type { Sent } from './messages'
import { type BenchedCollector, startBenched, withProcess } from './processes'
import { ms, percentile, rise, textTable, whole } from './report'
import { emptyFolder, type ResourceSample, sampleResources } from './resources'
import { closedLoop, openLoop, runCollector, sustainedEstimate } from './run-load'

/** Small enough for eviction to run during the load. */
const MAX_DISK = '128MB'
const MEASURE_SECONDS = 8
const PRINT_MS = 10_000
/** The interval of queries that a person with open pages causes. */
const QUERY_INTERVAL_MS = 1000
const MIB = 1024 ** 2

/** Figures that may rise over the last two thirds by a tenth of their mean, or by `atLeast` if that is more. */
const RISES: readonly (readonly [name: string, of: (sample: ResourceSample) => number, atLeast: number])[] = [
  ['resident memory', (sample) => sample.residentBytes, 16 * MIB],
  // The file of a log keeps this size for reuse.
  ["the record's log", (sample) => Math.max(0, sample.spoolLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ["the rows' log", (sample) => Math.max(0, sample.rowsLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ['open files', (sample) => sample.openFiles, 4],
  // The most that are in use at once: posts of the load, posts to upstream, queries.
  ['connections', (sample) => sample.connections, 64],
]

const FLAGS = {
  quick: toggle('one minute'),
  minutes: count('minutes of load', 10, 1),
}

interface SoakFigures extends Measured {
  readonly perSecond: number
  readonly sent: Sent
  readonly samples: readonly ResourceSample[]
}

/** `npm run bench:soak`. */
export const { run } = benchCommand({
  name: 'soak',
  about: `Posts a mixture of envelopes at half the sustained rate to a collector that evicts, next to the queries of open pages. Memory,
logs and open files must stay flat over the last two thirds, and every post must be answered with 200. Takes ten minutes.`,
  flags: FLAGS,
  measure,
  print,
})

function measure({ minutes }: Values<typeof FLAGS>, { own }: Folders): Promise<SoakFigures> {
  return withProcess('upstream-process', true, (upstream) =>
    withProcess('sender-process', false, async (sender) => {
      const folder = emptyFolder(join(own, 'data'))
      const collector = await startBenched({
        folder,
        upstream: upstream.port,
        env: { WAYSTATION_MAX_DISK: MAX_DISK },
      })
      try {
        const burst = { ...closedLoop(collector.url, MEASURE_SECONDS, []), body: 'mixed' as const }
        const warmUp = await runCollector({ sender, upstream }, collector, burst)
        const perSecond = Math.max(1, Math.floor(sustainedEstimate(warmUp, MEASURE_SECONDS) / 2))
        console.log(`half the sustained rate is ${perSecond} envelopes a second, cap ${MAX_DISK}`)
        const queries = startQueries(collector)
        const samples: ResourceSample[] = []
        const began = performance.now()
        const timer = setInterval(() => {
          const sample = sampleResources(collector.pid, folder, (performance.now() - began) / 1000)
          samples.push(sample)
          console.log(lineOf(sample, queries.takeDelays()))
        }, PRINT_MS)
        const order = { ...openLoop(collector.url, perSecond, minutes * 60), body: 'mixed' as const }
        const sent = (await sender.request(order)) as Sent
        clearInterval(timer)
        await queries.stop()
        const strange = Object.entries(sent.answers).filter(([status]) => status !== '200')
        const wrong = [...strange.map(([what, times]) => `${times} × ${what}`), ...risen(samples)]
        return { perSecond, sent, samples, wrong }
      } finally {
        await collector.stop()
      }
    }),
  )
}

/** The figures that were not flat. */
const risen = (samples: readonly ResourceSample[]): readonly string[] =>
  judged(samples).flatMap(({ name, isFlat }) => (isFlat ? [] : [`${name} rose`]))

function judged(samples: readonly ResourceSample[]) {
  const last = samples.slice(Math.floor(samples.length / 3))
  return RISES.map(([name, of, atLeast]) => {
    const points = last.map((sample) => [sample.at, of(sample)] as const)
    const mean = points.reduce((sum, [, value]) => sum + value, 0) / points.length
    const found = rise(points)
    return { name, mean, rise: found, isFlat: found <= Math.max(mean / 10, atLeast) }
  })
}

function print({ sent, samples }: SoakFigures): void {
  const { whole: waits } = sent
  console.log(`\n${whole(waits.answered)} answers, p50 ${ms(waits.p50)} ms, p99 ${ms(waits.p99)} ms\n`)
  const rows = judged(samples).map(({ name, mean, rise: found, isFlat }) => [
    name,
    short(mean),
    short(found),
    isFlat ? 'flat' : 'NOT FLAT',
  ])
  console.log(textTable(['over the last two thirds', 'mean', 'rise', ''], rows))
}

/** Queries lists as open pages do, with one open stream. `takeDelays`: answer times of `/health/live`, in ms. */
function startQueries({ url }: BenchedCollector): {
  readonly takeDelays: () => readonly number[]
  readonly stop: () => Promise<void>
} {
  const client = collectorClient(url, fetch)
  const abort = new AbortController()
  const stream = readStream(client.streamUrl, abort.signal)
  const delays: number[] = []
  let open: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    const began = performance.now()
    open = fetch(`${url}/health/live`)
      .then((response) => response.text())
      .then(() => delays.push(performance.now() - began))
      .then(() => Promise.all([client.overview(), client.envelopes(), client.traces(), client.events()]))
  }, QUERY_INTERVAL_MS)
  return {
    takeDelays: () => delays.splice(0),
    stop: async () => {
      clearInterval(timer)
      await open
      abort.abort()
      await stream
    },
  }
}

async function readStream(url: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(url, { signal })
    for await (const _chunk of response.body ?? []);
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function lineOf(sample: ResourceSample, delays: readonly number[]): string {
  const parts = [
    `${String(Math.round(sample.at)).padStart(4)} s`,
    `loop p50 ${ms(percentile(delays, 0.5))} ms, longest ${ms(percentile(delays, 1))} ms`,
    `memory ${short(sample.residentBytes)}`,
    `logs ${short(sample.spoolLogBytes)} ${short(sample.rowsLogBytes)}`,
    `disk ${short(sample.diskBytes)}`,
    `files ${sample.openFiles}`,
    `connections ${sample.connections}`,
  ]
  return parts.join(', ')
}

const short = (value: number): string =>
  Math.abs(value) < 10_000 ? value.toFixed(1) : `${(value / MIB).toFixed(1)} MiB`
