import { join } from 'node:path'
import { benchCommand, type Folders, type Measured } from './bench-command'
import { emptyFolder } from './disk'
import { portOf } from './ingest-bursts'
import { hire } from './process-under-bench'
import { type Drain, drainBare, drainOurs, fillBacklog, WARM_UP_POSTS } from './relay-drain'
import { parseRelayFlags, RELAY_HELP, type RelayFlags, type Server } from './relay-flags'
import { goalAtLeast, goalTable, mb, median, textTable, whole } from './text-table'

const PROGRAMS: Readonly<Record<Server, string>> = { 'stand-in': 'stand-in-process', counter: 'upstream-process' }

interface Round {
  readonly server: Server
  readonly bare: Drain
  readonly ours: Drain
}

interface RelayFigures extends Measured {
  readonly rounds: readonly Round[]
}

/** `npm run bench:relay`. */
export const run = benchCommand({ name: 'relay', help: RELAY_HELP, parse: parseRelayFlags, measure, print })

async function measure(flags: RelayFlags, { shelf, own }: Folders): Promise<RelayFigures> {
  const profiles = flags.profile ? emptyFolder(join(shelf, 'profiles')) : undefined
  const folder = fillBacklog(own, flags.records, console.log)
  const rounds: Round[] = []
  for (const server of flags.servers) {
    const upstream = await hire(PROGRAMS[server], true)
    for (let round = 1; round <= flags.rounds; round += 1) {
      const bare = await drainBare(folder, upstream, portOf(upstream))
      const ours = await drainOurs(folder, upstream, { own, port: portOf(upstream), posts: bare.posts, profiles })
      rounds.push({ server, bare, ours })
      const rates = `bare ${bare.perSecond.toFixed(0)}/s, ours ${ours.perSecond.toFixed(0)}/s`
      console.log(`${server}, round ${round}: ${ours.posts} pending; ${rates}`)
    }
    await upstream.end()
  }
  return { rounds, profiles, wrong: rounds.flatMap(mismatches) }
}

/** Both have to have posted the same. */
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
