import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WAL_KEPT_BYTES } from '../../collector/spool/database'
import { collectorClient } from '../../lib/wire/collector-client'
import { type Bundle, bundleCollector } from '../faults/bundle-collector'
import { randomFrom } from '../faults/random'
import { isDigested } from '../faults/record'
import { type CollectorRun, startRun } from '../faults/test-folder'
import { type CountingUpstream, startUpstream } from '../faults/upstream'
import { type Figures, look, percentile, rise } from './figures'
import { type Answers, startLoad } from './load'

/** `SOAK_MINUTES=1 npm run bench:soak` is a short one. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 10)
/** Small enough to be reached, so that eviction is part of what has to be flat. */
const CAP = '128MB'
const MEASURE_MS = 8000
const PRINT_MS = 10_000
/** So often somebody looks at the boards. */
const LOOK_MS = 1000
const DRAIN_DEADLINE_MS = 120_000
const MIB = 1024 ** 2

/** What counts as flat over the last two thirds: no more than a tenth of its mean, or so much where that is little. */
const RISES: readonly (readonly [name: string, of: (figures: Figures) => number, atLeast: number])[] = [
  ['resident memory', (figures) => figures.residentBytes, 16 * MIB],
  // A log's file keeps so much for what comes next: growing into that is no growth.
  ["the record's log", (figures) => Math.max(0, figures.spoolLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ["the rows' log", (figures) => Math.max(0, figures.rowsLogBytes - WAL_KEPT_BYTES), 4 * MIB],
  ['open files', (figures) => figures.openFiles, 4],
  // As many as are in use at once: posts of the load, posts to upstream, looks.
  ['connections', (figures) => figures.connections, 64],
]

describe(`${MINUTES} minutes at half the rate that is sustained`, () => {
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
      WAYSTATION_DATA: folder,
      WAYSTATION_UPSTREAM: upstream.dsn,
      WAYSTATION_MAX_DISK: CAP,
    })
    url = (await life.ready) ?? ''
    if (url === '') throw new Error(`the collector did not start: ${life.output()}`)
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
      console.log(`half the sustained rate is ${rate} envelopes a second, cap ${CAP}`)
      const load = startLoad({ url, dsn: upstream.dsn, draw: randomFrom(3), perSecond: rate })
      const lookers = startLookers()
      const began = performance.now()
      const seen: Figures[] = []
      const all: Answers[] = []
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          const at = (performance.now() - began) / 1000
          const figures = look(life.pid, folder, at)
          const answers = load.take()
          seen.push(figures)
          all.push(answers)
          console.log(lineOf(figures, answers, lookers.take()))
          if (at < MINUTES * 60) return
          clearInterval(timer)
          resolve()
        }, PRINT_MS)
      })
      await lookers.stop()
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

  /** Envelopes a second that are not only answered but relayed and digested too. */
  async function sustainedRate(): Promise<number> {
    const began = performance.now()
    const load = startLoad({ url, dsn: upstream.dsn, draw: randomFrom(2), perSecond: null })
    await new Promise((resolve) => setTimeout(resolve, MEASURE_MS))
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
      if (Date.now() > deadline) throw new Error(`not everything was relayed and digested in ${DRAIN_DEADLINE_MS} ms`)
    }
  }

  /** Somebody looks at the boards, and one stream is open. What `/health/live` takes is the delay of the event loop. */
  function startLookers(): { readonly take: () => readonly number[]; readonly stop: () => Promise<void> } {
    const client = collectorClient(url, fetch)
    const abort = new AbortController()
    const stream = readStream(client.streamUrl, abort.signal)
    const delays: number[] = []
    let looking: Promise<unknown> = Promise.resolve()
    const timer = setInterval(() => {
      const began = performance.now()
      looking = fetch(`${url}/health/live`)
        .then((response) => response.text())
        .then(() => delays.push(performance.now() - began))
        .then(() => Promise.all([client.overview(), client.envelopes(), client.traces(), client.events()]))
    }, LOOK_MS)
    return {
      take: () => delays.splice(0),
      stop: async () => {
        clearInterval(timer)
        await looking
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

function lineOf(figures: Figures, { waits, strange }: Answers, delays: readonly number[]): string {
  const words = [
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
  return words.join(', ')
}

const ms = (value: number): string => `${value.toFixed(1)} ms`
const short = (value: number): string =>
  Math.abs(value) < 10_000 ? value.toFixed(1) : `${(value / MIB).toFixed(1)} MiB`
