import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startRun } from '../faults/test-folder'
import { benchCommand, count, type Folders, PROFILE, profilesIn, rate, toggle, type Values } from './bench-command'
import { isKeptStoreReady, keptStore } from './fill-folder'
import { BURST_SECONDS, burstRound, type Round } from './ingest-bursts'
import { type IngestFound, printIngest, type Syncs } from './ingest-report'
import { searchRate, steady, sustainMinute } from './ingest-sustained'
import type { Sent } from './messages'
import { otlpBurst } from './otlp-burst'
import { type BenchProcess, BUNDLES, settings, startBenched, startProcess } from './processes'
import { median, percentile } from './report'
import { emptyFolder, measureDisk } from './resources'
import { type Bench, closedLoop, sustainedEstimate } from './run-load'

const STARTS = 5
/** Records and rows of these segments take more than a gigabyte. */
const STORED_SEGMENTS = 200_000
const STORED_STARTS = 3
const SUSTAINED_SECONDS = 60
const QUICK_SECONDS = 8
const SYNC_SECONDS = 5

const FLAGS = {
  quick: toggle('one round and short loads; takes about a minute, too short for reliable figures'),
  rate: rate('uses this rate as the sustained rate, in envelopes per second', 'the benchmark searches for it'),
  rounds: count('rounds of bursts', 3, 1),
  onlyBursts: toggle('ends after the bursts'),
  profile: PROFILE,
}

/** `npm run bench:ingest`. */
export const { run } = benchCommand({
  name: 'ingest',
  about: `Posts envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs, new ids in each) in turns to two programs: the
collector as npm start starts it, and a floor program that does only the unavoidable part of the work. The collector runs with
everything on: it syncs, digests, and relays to an upstream of the benchmark. Then it receives protobuf requests of OpenTelemetry
with 512 spans each. Compare figures only within one run. Takes about 12 minutes on an otherwise idle machine.`,
  flags: FLAGS,
  measure,
  print: printIngest,
})

async function measure(flags: Values<typeof FLAGS>, { shared, own }: Folders): Promise<IngestFound> {
  const { quick } = flags
  const log = (line: string): void => console.log(line)
  const disk = measureDisk(own)
  log(
    `${own}: a synced write takes ${disk.syncMs.toFixed(2)} ms${disk.isMemory ? ', IN MEMORY: syncs cost nothing here' : ''}`,
  )
  const sender = await startProcess('sender-process', false)
  const upstream = await startProcess('upstream-process', true)
  const profiles = profilesIn(shared, flags.profile)
  const bench: Bench = { sender, upstream, own, quick, profiles }

  const starts = await measureStarts(bench, quick ? 2 : STARTS)
  log(`ready ${median(starts).toFixed(0)} ms after the start, empty`)
  const stored = await measureStoredStarts(shared, quick, log)
  const rounds: Round[] = []
  for (let round = 1; round <= flags.rounds; round += 1) {
    const made = await burstRound(bench)
    rounds.push(made)
    const { floor, waiting, running, ours } = made
    const secondWindow = running === null ? '' : `, later ${running.waits.perSecond.toFixed(0)}/s`
    log(
      `round ${round}: floor ${floor.sent.whole.perSecond.toFixed(0)}/s, ours ${waiting.waits.perSecond.toFixed(0)}/s${secondWindow}; digested and relayed ${ours.drainSeconds.toFixed(1)} s after the end`,
    )
  }
  const otlp = await otlpBurst(bench)
  const estimate = median(rounds.map(({ ours }) => sustainedEstimate(ours, quick ? BURST_SECONDS : 12 + BURST_SECONDS)))
  const onlyBursts = flags.onlyBursts
  const seconds = quick ? QUICK_SECONDS : SUSTAINED_SECONDS
  const rate = flags.rate ?? (quick || onlyBursts ? Math.floor(estimate) : await searchRate(bench, estimate / 0.9, log))
  const sustained = onlyBursts ? null : await sustainMinute(bench, rate, seconds, log)
  const half =
    sustained === null ? null : await steady(bench, Math.max(1, Math.floor(sustained.perSecond / 2)), seconds)
  if (half !== null) log(`${half.perSecond} a second: queryable after ${percentile(half.queryable, 0.5).toFixed(0)} ms`)
  const syncing = { sender, upstream: upstream.port, folder: join(own, 'data'), seconds: SYNC_SECONDS }
  const syncs = {
    burst: await countSyncs({ ...syncing, perSecond: null }),
    half: half === null ? null : await countSyncs({ ...syncing, perSecond: half.perSecond }),
  }
  await Promise.all([sender.end(), upstream.end()])
  return {
    disk,
    starts,
    stored,
    rounds,
    sustained,
    half,
    syncs,
    otlp,
    profiles,
    wrong: [
      ...otlp.wrong,
      ...rounds.flatMap(({ ours }) => ours.wrong),
      ...(sustained?.run.wrong ?? []),
      ...(half?.run.wrong ?? []),
    ],
  }
}

async function measureStarts(bench: Bench, times: number): Promise<readonly number[]> {
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const folder = emptyFolder(join(bench.own, 'data'))
    const collector = await startBenched({ folder, upstream: bench.upstream.port })
    took.push(collector.readyMs)
    await collector.stop()
  }
  return took
}

async function measureStoredStarts(
  shared: string,
  quick: boolean,
  log: (line: string) => void,
): Promise<IngestFound['stored']> {
  if (quick && !isKeptStoreReady(shared, STORED_SEGMENTS)) return null
  const store = keptStore({ shared, segments: STORED_SEGMENTS, redigest: false, log })
  const starts: number[] = []
  for (let time = 0; time < STORED_STARTS; time += 1) {
    const collector = await startBenched({ folder: store.folder, upstream: null })
    starts.push(collector.readyMs)
    await collector.stop()
  }
  const bytes = store.recordBytes + store.rowBytes
  log(`ready ${median(starts).toFixed(0)} ms after the start with ${(bytes / 1e9).toFixed(2)} GB stored`)
  return { bytes, starts }
}

/**
 * Counts the syncs of a collector under load, in a separate run under strace. That run is slower, and a slower collector
 * batches more into one sync: use only the counts per envelope.
 * @returns null when strace is not installed
 */
async function countSyncs(given: {
  readonly sender: BenchProcess
  readonly upstream: number
  readonly folder: string
  readonly perSecond: number | null
  readonly seconds: number
}): Promise<Syncs | null> {
  if (spawnSync('strace', ['-V']).status !== 0) return null
  const data = emptyFolder(given.folder)
  const trace = join(data, '..', 'syncs.trace')
  // With -D the collector is the child and strace its companion, so that a signal reaches the collector.
  const strace = ['strace', '-D', '-f', '-y', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync', '-o', trace]
  const life = startRun(
    join(BUNDLES, 'main.js'),
    { ...settings(given.upstream), WAYSTATION_PORT: '0', WAYSTATION_DATA: data },
    strace,
  )
  const url = await life.ready
  if (url === null) throw new Error(`cannot start the collector under strace: ${life.output()}`)
  const begun = linesOf(trace).length
  const order = { ...closedLoop(url, given.seconds, []), perSecond: given.perSecond }
  const sent = (await given.sender.request(order)) as Sent
  const lines = linesOf(trace).slice(begun)
  life.end('SIGTERM')
  await life.ended
  rmSync(trace)
  const count = (file: RegExp): number => lines.filter((line) => file.test(line)).length
  const envelopes = Math.max(1, sent.whole.answered)
  const record = count(/\/spool\.db/)
  const rows = count(/\/telemetry\.db/)
  return {
    envelopes,
    record: record / envelopes,
    rows: rows / envelopes,
    others: (lines.length - record - rows) / envelopes,
  }
}

const linesOf = (trace: string): readonly string[] =>
  readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /^\d+ +\w+sync\(/.test(line))
