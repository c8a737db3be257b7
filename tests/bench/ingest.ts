import { join } from 'node:path'
import { benchCommand, type Folders } from './bench-command'
import { startBenched } from './collector-under-bench'
import { countSyncs } from './count-syncs'
import { emptyFolder, measureDisk } from './disk'
import { percentile } from './figures'
import { type Bench, BURST_SECONDS, burstRound, portOf, type Round } from './ingest-bursts'
import { INGEST_HELP, type IngestFlags, parseIngestFlags } from './ingest-flags'
import { type IngestFound, printIngest } from './ingest-report'
import { searchRate, steady, sustainMinute } from './ingest-sustained'
import { isKeptStoreReady, keptStore } from './kept-store'
import { hire } from './process-under-bench'
import { measureSpotlight } from './spotlight'
import { median } from './text-table'

const STARTS = 5
/** Record and rows of so many take more than a gigabyte. */
const STORED_SEGMENTS = 200_000
const STORED_STARTS = 3
const SUSTAINED_SECONDS = 60
const QUICK_SECONDS = 8
const SYNC_SECONDS = 5

/** `npm run bench:ingest`. */
export const run = benchCommand({
  name: 'ingest',
  help: INGEST_HELP,
  parse: parseIngestFlags,
  measure,
  print: printIngest,
})

async function measure(flags: IngestFlags, { shelf, own }: Folders): Promise<IngestFound> {
  const { quick } = flags
  const say = (line: string): void => console.log(line)
  const disk = measureDisk(own)
  say(
    `${own}: a synced write takes ${disk.syncMs.toFixed(2)} ms${disk.isMemory ? ', IN MEMORY: syncs cost nothing here' : ''}`,
  )
  const sender = await hire('sender-process', false)
  const upstream = await hire('upstream-process', true)
  const profiles = flags.profile ? emptyFolder(join(shelf, 'profiles')) : undefined
  const bench: Bench = { sender, upstream, upstreamPort: portOf(upstream), own, quick, profiles, via: flags.via }

  const starts = await measureStarts(bench, quick ? 2 : STARTS)
  say(`ready ${median(starts).toFixed(0)} ms after the start, empty`)
  const stored = await measureStoredStarts(shelf, quick, say)
  const rounds: Round[] = []
  for (let round = 1; round <= flags.rounds; round += 1) {
    const made = await burstRound(bench)
    rounds.push(made)
    const { bare, waiting, running, ours } = made
    const inTheEnd = running === null ? '' : `, later ${running.waits.perSecond.toFixed(0)}/s`
    say(
      `round ${round}: bare ${bare.sent.whole.perSecond.toFixed(0)}/s, ours ${waiting.waits.perSecond.toFixed(0)}/s${inTheEnd}; digested and relayed ${ours.drainSeconds.toFixed(1)} s after the end`,
    )
  }
  const estimate = median(
    rounds.map(({ ours }) => ours.sent.whole.answered / (burstSeconds(quick) + ours.drainSeconds)),
  )
  const onlyBursts = flags.onlyBursts
  const seconds = quick ? QUICK_SECONDS : SUSTAINED_SECONDS
  const rate = flags.rate ?? (quick || onlyBursts ? Math.floor(estimate * 0.9) : await searchRate(bench, estimate, say))
  const sustained = onlyBursts ? null : await sustainMinute(bench, rate, seconds, say)
  const half =
    sustained === null ? null : await steady(bench, Math.max(1, Math.floor(sustained.perSecond / 2)), seconds)
  if (half !== null) say(`${half.perSecond} a second: queryable after ${percentile(half.queryable, 0.5).toFixed(0)} ms`)
  const syncing = { sender, upstream: bench.upstreamPort, folder: join(own, 'data'), seconds: SYNC_SECONDS }
  const syncs = {
    burst: await countSyncs({ ...syncing, perSecond: null }),
    half: half === null ? null : await countSyncs({ ...syncing, perSecond: half.perSecond }),
  }
  const spotlight = flags.spotlight ? await measureSpotlight(sender, say) : null
  await Promise.all([sender.end(), upstream.end()])
  return {
    disk,
    starts,
    stored,
    rounds,
    sustained,
    half,
    syncs,
    spotlight,
    profiles,
    wrong: [...rounds.flatMap(({ ours }) => ours.wrong), ...(sustained?.run.wrong ?? []), ...(half?.run.wrong ?? [])],
  }
}

const burstSeconds = (quick: boolean): number => (quick ? BURST_SECONDS : 12 + BURST_SECONDS)

async function measureStarts(bench: Bench, times: number): Promise<readonly number[]> {
  const took: number[] = []
  for (let time = 0; time < times; time += 1) {
    const folder = emptyFolder(join(bench.own, 'data'))
    const collector = await startBenched({ folder, upstream: bench.upstreamPort })
    took.push(collector.readyMs)
    await collector.stop()
  }
  return took
}

async function measureStoredStarts(
  shelf: string,
  quick: boolean,
  say: (line: string) => void,
): Promise<IngestFound['stored']> {
  if (quick && !isKeptStoreReady(shelf, STORED_SEGMENTS)) return null
  const store = keptStore({ shelf, segments: STORED_SEGMENTS, redigest: false, say })
  const starts: number[] = []
  for (let time = 0; time < STORED_STARTS; time += 1) {
    const collector = await startBenched({ folder: store.folder, upstream: null })
    starts.push(collector.readyMs)
    await collector.stop()
  }
  const bytes = store.recordBytes + store.rowBytes
  say(`ready ${median(starts).toFixed(0)} ms after the start with ${(bytes / 1e9).toFixed(2)} GB stored`)
  return { bytes, starts }
}
