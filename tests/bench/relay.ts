import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OPEN_POSTS } from '../../collector/relay/open-posts'
import {
  benchCommand,
  choice,
  count,
  type Folders,
  type Measured,
  PROFILE,
  profilesIn,
  toggle,
  type Values,
} from './bench-command'
import { digestAll, recordAll } from './fill-folder'
import type { CountOrder, PostOrder, UpstreamCount } from './messages'
import { type BenchedCollector, type BenchProcess, startBenched, waitForProgress, withProcess } from './processes'
import { goalAtLeast, goalTable, mb, median, textTable, whole } from './report'
import { cpuMicros, emptyFolder, peakResidentBytes } from './resources'
import { pendingPageLoad } from './store-records'

/** Servers in place of upstream: the stand-in of the product, which parses and records posts; or a server that only counts. */
const SERVERS = ['stand-in', 'counter'] as const
type Server = (typeof SERVERS)[number]
const PROGRAMS: Readonly<Record<Server, string>> = { 'stand-in': 'stand-in-process', counter: 'upstream-process' }

/** The first posts of each client run code that is not compiled yet: the timing starts after them. */
const WARM_UP_POSTS = 2000
const POLL_MS = 20

/** The posts of one client, as counted by the server. */
interface Drain {
  readonly posts: number
  readonly bytes: number
  readonly perSecond: number
  /** Of the whole process, per post. */
  readonly cpuMicros: number
  readonly residentPeakBytes: number
}

interface Round {
  readonly server: Server
  readonly bare: Drain
  readonly ours: Drain
}

interface RelayFigures extends Measured {
  readonly rounds: readonly Round[]
}

const FLAGS = {
  quick: toggle('one round of fewer envelopes'),
  records: count('pending envelopes', 12_000, 5000, 2500),
  rounds: count('rounds per server', 3, 1),
  server: choice('measures with this server only', SERVERS, 'both'),
  profile: PROFILE,
}

/** `npm run bench:relay`. */
export const { run, parse } = benchCommand({
  name: 'relay',
  about: `Starts the collector on a folder of pending envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs), and measures how
fast it delivers them. In turns with it, a bare client posts the same bodies from memory to the same server over 30
keep-alive connections. The server is once the stand-in of the product, and once a server that only counts, which leaves
nearly all of the machine to the client. The first 2,000 posts of each are a warm-up and not counted. Compare figures only
within one run. Takes about two minutes on an otherwise idle machine.`,
  flags: FLAGS,
  measure,
  print,
})

async function measure(flags: Values<typeof FLAGS>, { shared, own }: Folders): Promise<RelayFigures> {
  const profiles = profilesIn(shared, flags.profile)
  const folder = fillBacklog(own, flags.records, console.log)
  const rounds: Round[] = []
  for (const server of flags.server === null ? SERVERS : [flags.server]) {
    await withProcess(PROGRAMS[server], true, async (upstream) => {
      for (let round = 1; round <= flags.rounds; round += 1) {
        const bare = await drainBare(folder, upstream)
        const ours = await drainOurs(folder, upstream, { own, posts: bare.posts, profiles })
        rounds.push({ server, bare, ours })
        const rates = `bare ${bare.perSecond.toFixed(0)}/s, ours ${ours.perSecond.toFixed(0)}/s`
        console.log(`${server}, round ${round}: ${ours.posts} pending; ${rates}`)
      }
    })
  }
  return { rounds, profiles, wrong: rounds.flatMap(mismatches) }
}

/** Both clients must post the same. */
const mismatches = ({ bare, ours }: Round): readonly string[] => [
  ...(bare.posts === ours.posts ? [] : [`${bare.posts} posts of the bare client, ${ours.posts} of the relay`]),
  ...(bare.bytes === ours.bytes ? [] : [`${bare.bytes} bytes of the bare client, ${ours.bytes} of the relay`]),
]

function print({ rounds: all }: RelayFigures): void {
  const servers = [...new Set(all.map(({ server }) => server))]
  const line = (server: Server, name: 'bare' | 'ours'): readonly string[] => {
    const rounds = all.filter((round) => round.server === server)
    const middle = (value: (drain: Drain) => number): number => median(rounds.map((round) => value(round[name])))
    return [
      `${name === 'bare' ? 'bare client' : 'ours'} to the ${server}`,
      whole(middle(({ perSecond }) => perSecond)),
      whole(middle(({ cpuMicros }) => cpuMicros)),
      mb(middle(({ residentPeakBytes }) => residentPeakBytes)),
    ]
  }
  const lines = servers.flatMap((server) => [line(server, 'bare'), line(server, 'ours')])
  console.log(`\n${textTable(['', 'per s', 'CPU µs', 'peak MB'], lines)}\n`)
  console.log(
    `Per second as the server saw it, without the first ${whole(WARM_UP_POSTS)}. Our CPU is that of the whole process since its start.`,
  )
  const goals = servers.map((server) => {
    const rounds = all.filter((round) => round.server === server)
    const ratio = median(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond))
    return goalAtLeast(`a backlog drained to the ${server} / bare client`, 0.4, ratio)
  })
  console.log(`\n${goalTable(goals)}`)
}

/** Makes a folder of pending and digested envelopes. */
function fillBacklog(own: string, records: number, log: (line: string) => void): string {
  const folder = emptyFolder(join(own, 'backlog'))
  const newest = Date.now()
  const filling = { all: records, newest, at: (number: number) => pendingPageLoad(number, newest) }
  recordAll(folder, filling, log)
  digestAll(folder, filling, log)
  return folder
}

/** Posts all bodies of a folder with the bare client. */
const drainBare = (folder: string, upstream: BenchProcess): Promise<Drain> =>
  withProcess('poster-process', false, async (poster) => {
    const order: PostOrder = { file: join(folder, 'spool.db'), port: upstream.port, open: OPEN_POSTS }
    await poster.request(order)
    const before = { ...(await startCount(upstream)), cpu: cpuMicros(poster.pid) }
    await poster.request({})
    return drainOf(before, await countOf(upstream), poster.pid)
  })

/** Relays all envelopes with a collector on a copy of the folder. @param given.posts the expected number of posts */
async function drainOurs(
  folder: string,
  upstream: BenchProcess,
  given: { readonly own: string; readonly posts: number; readonly profiles: string | undefined },
): Promise<Drain> {
  const copy = join(given.own, 'data')
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
  const before = { ...(await startCount(upstream)), cpu: 0 }
  const collector = await startBenched({ folder: copy, upstream: upstream.port, profiles: given.profiles })
  try {
    await untilRelayed(collector, upstream, before.posts + given.posts)
    return drainOf(before, await countOf(upstream), collector.pid)
  } finally {
    await collector.stop()
  }
}

/** Queries the collector only after the last post: counting pending envelopes is work that the figures would include. */
async function untilRelayed(collector: BenchedCollector, upstream: BenchProcess, posts: number): Promise<void> {
  await waitForProgress('everything is posted', POLL_MS, async () => {
    const count = await countOf(upstream)
    return count.posts >= posts ? null : `${count.posts} posts of ${posts}`
  })
  await waitForProgress('everything is relayed', POLL_MS, async () => {
    const { pending } = await collector.storage()
    return pending.records === 0 ? null : `${pending.records} pending`
  })
}

const countOf = async (upstream: BenchProcess): Promise<UpstreamCount> => (await upstream.request({})) as UpstreamCount
/** Restarts the timing of the server, after the warm-up posts. */
const startCount = async (upstream: BenchProcess): Promise<UpstreamCount> =>
  (await upstream.request({ skip: WARM_UP_POSTS } satisfies CountOrder)) as UpstreamCount

function drainOf(before: UpstreamCount & { readonly cpu: number }, after: UpstreamCount, pid: number): Drain {
  const posts = after.posts - before.posts
  return {
    posts,
    bytes: after.bytes - before.bytes,
    perSecond: ((posts - WARM_UP_POSTS - 1) / (after.lastAt - after.firstAt)) * 1000,
    cpuMicros: (cpuMicros(pid) - before.cpu) / Math.max(1, posts),
    residentPeakBytes: peakResidentBytes(pid),
  }
}
