import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WAL_KEPT_BYTES } from '../../collector/runtime/database'
import { sleep } from '../../lib/time'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Bundle, bundleCollector } from '../faults/bundle-collector'
import { randomFrom } from '../faults/random'
import { isDigested } from '../faults/record'
import { type CollectorRun, startRun } from '../faults/test-folder'
import { type CountingUpstream, startUpstream } from '../faults/upstream'
import { type Answers, startLoad } from './load'
import { percentile, rise } from './report'
import { type ResourceSample, sampleResources } from './resources'

/** `SOAK_MINUTES=1 npm run bench:soak` is a short run. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 10)
/** Small enough for eviction to run during the test. */
const MAX_DISK = '128MB'
const MEASURE_MS = 8000
const PRINT_MS = 10_000
/** The interval of queries that a person with open pages causes. */
const QUERY_INTERVAL_MS = 1000
const DRAIN_DEADLINE_MS = 120_000
const MIB = 1024 ** 2

/** Figures that may rise over the last two thirds by a tenth of their mean, or by `atLeast` if that is more. */
const RISES: readonly (readonly [name: string, of: (figures: ResourceSample) => number, atLeast: number])[] = [
  ['resident memory', (figures) => figures.residentBytes, 16 * MIB],
  // The file of a log keeps this size for reuse.
  ["the record's log", (figures) => Math.max(0, figures.spoolLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ["the rows' log", (figures) => Math.max(0, figures.rowsLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ['open files', (figures) => figures.openFiles, 4],
  // The most that are in use at once: posts of the load, posts to upstream, queries.
  ['connections', (figures) => figures.connections, 64],
]

describe(`${MINUTES} minutes at half the sustained rate`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'waystation-soak-'))
  let bundle: Bundle
  let upstream: CountingUpstream
  let life: CollectorRun
  let url: string
  beforeAll(async () => {
    bundle = await bundleCollector()
    upstream = await startUpstream(randomFrom(1), 20)
    life = startRun(bundle.program, {
      WAYSTATION_PORT: '0',
      WAYSTATION_OTLP_PORT: 'off',
      WAYSTATION_DATA: folder,
      WAYSTATION_UPSTREAM: upstream.dsn,
      WAYSTATION_MAX_DISK: MAX_DISK,
    })
    url = (await life.ready) ?? ''
    if (url === '') throw new Error(`cannot start the collector: ${life.output()}`)
  })
  afterAll(async () => {
    life.end('SIGKILL')
    await upstream.close()
    bundle.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it(
    'leaves memory, logs and open files flat',
    async () => {
      console.log(`load average ${loadavg().map((load) => load.toFixed(1))} on ${availableParallelism()} cores`)
      const rate = Math.max(1, Math.floor((await sustainedRate()) / 2))
      console.log(`half the sustained rate is ${rate} envelopes a second, cap ${MAX_DISK}`)
      const load = startLoad({ url, dsn: upstream.dsn, draw: randomFrom(3), perSecond: rate })
      const queries = startQueries()
      const began = performance.now()
      const seen: ResourceSample[] = []
      const all: Answers[] = []
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          const at = (performance.now() - began) / 1000
          const figures = sampleResources(life.pid, folder, at)
          const answers = load.take()
          seen.push(figures)
          all.push(answers)
          console.log(lineOf(figures, answers, queries.take()))
          if (at < MINUTES * 60) return
          clearInterval(timer)
          resolve()
        }, PRINT_MS)
      })
      await queries.stop()
      await load.stop()
      await drained()

      const last = seen.slice(Math.floor(seen.length / 3))
      const waits = all.flatMap(({ waits: some }) => some)
      console.log(`${waits.length} answers, p50 ${ms(percentile(waits, 0.5))}, p99 ${ms(percentile(waits, 0.99))}`)
      const steep = RISES.filter(([name, of, atLeast]) => {
        const points = last.map((figures) => [figures.at, of(figures)] as const)
        const mean = points.reduce((sum, [, value]) => sum + value, 0) / points.length
        const risen = rise(points)
        const isFlat = risen <= Math.max(mean / 10, atLeast)
        console.log(`${name}: mean ${short(mean)}, rise ${short(risen)}: ${isFlat ? 'flat' : 'not flat'}`)
        return !isFlat
      }).map(([name]) => name)
      expect(steep).toEqual([])
      expect([...new Set(all.flatMap(({ strange }) => [...strange.keys()]))]).toEqual([])
      expect(life.output()).toBe('')
    },
    (MINUTES + 5) * 60_000,
  )

  /** Envelopes per second that are answered, relayed and digested. */
  async function sustainedRate(): Promise<number> {
    const began = performance.now()
    const load = startLoad({ url, dsn: upstream.dsn, draw: randomFrom(2), perSecond: null })
    await sleep(MEASURE_MS)
    await load.stop()
    const count = load.take().waits.length
    await drained()
    return count / ((performance.now() - began) / 1000)
  }

  async function drained(): Promise<void> {
    const client = collectorClient(url, fetch)
    const deadline = Date.now() + DRAIN_DEADLINE_MS
    for (;;) {
      const { upstreams } = await client.overview()
      if (upstreams.every(({ pending }) => pending === 0) && isDigested(folder)) return
      if (Date.now() > deadline)
        throw new Error(`not all envelopes were relayed and digested within ${DRAIN_DEADLINE_MS} ms`)
    }
  }

  /** Queries lists as open pages do, with one open stream. `take` returns answer times of `/health/live`: event loop delays. */
  function startQueries(): { readonly take: () => readonly number[]; readonly stop: () => Promise<void> } {
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
      take: () => delays.splice(0),
      stop: async () => {
        clearInterval(timer)
        await open
        abort.abort()
        await stream
      },
    }
  }
})

async function readStream(url: string, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(url, { signal })
    for await (const _chunk of response.body ?? []);
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function lineOf(figures: ResourceSample, { waits, strange }: Answers, delays: readonly number[]): string {
  const parts = [
    `${String(Math.round(figures.at)).padStart(4)} s`,
    `${(waits.length / (PRINT_MS / 1000)).toFixed(0)}/s`,
    `p50 ${ms(percentile(waits, 0.5))} p99 ${ms(percentile(waits, 0.99))}`,
    `loop ${ms(percentile(delays, 0.5))} at most ${ms(percentile(delays, 1))}`,
    `memory ${short(figures.residentBytes)}`,
    `logs ${short(figures.spoolLogBytes)} ${short(figures.rowsLogBytes)}`,
    `disk ${short(figures.diskBytes)}`,
    `files ${figures.openFiles}`,
    `connections ${figures.connections}`,
    ...[...strange].map(([what, times]) => `${times} × ${what}`),
  ]
  return parts.join(', ')
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const short = (value: number): string =>
  Math.abs(value) < 10_000 ? value.toFixed(1) : `${(value / MIB).toFixed(1)} MiB`
