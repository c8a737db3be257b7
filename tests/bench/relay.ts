import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release } from 'node:os'
import { join } from 'node:path'
import { portOf } from './ingest-bursts'
import { hire } from './process-under-bench'
import { profileSummary } from './profile-summary'
import { type Drain, drainBare, drainOurs, fillBacklog, WARM_UP_POSTS } from './relay-drain'
import { parseRelayFlags, RELAY_HELP, type RelayFlags, type Server } from './relay-flags'
import { goalAtLeast, goalTable, mb, median, textTable, whole } from './text-table'

const PROFILES = 'profiles'

const PROGRAMS: Readonly<Record<Server, string>> = { 'stand-in': 'stand-in-process', counter: 'upstream-process' }

interface Round {
  readonly server: Server
  readonly bare: Drain
  readonly ours: Drain
}

/** `npm run bench:relay`. @returns the exit code: whether the goal is met is told, and fails nothing. */
export async function run(given: {
  readonly words: readonly string[]
  readonly shelf: string
  readonly own: string
}): Promise<number> {
  const flags = parseRelayFlags(given.words)
  if (!flags.ok) {
    console.error(`${flags.error}\n\n${RELAY_HELP}`)
    return 2
  }
  if (flags.value === 'help') {
    console.log(RELAY_HELP)
    return 0
  }
  const loadBefore = loadavg()
  console.log(`load average ${loadBefore.map((load) => load.toFixed(1))} on ${cpus().length} cores`)
  const rounds = await measure(flags.value, given)
  const wrong = rounds.flatMap(mismatches)
  print(rounds, wrong)
  if (flags.value.profile) console.log(`\n${profileSummary(join(given.shelf, PROFILES))}`)
  const machine = {
    cores: cpus().length,
    model: cpus()[0]?.model ?? '',
    node: process.version,
    system: `${process.platform} ${release()}`,
    loadBefore,
    loadAfter: loadavg(),
  }
  const path = join(given.shelf, `relay-${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`)
  writeFileSync(path, `${JSON.stringify({ ...flags.value, machine, rounds, wrong }, null, 2)}\n`)
  console.log(`\nAll figures are in ${path}.`)
  return wrong.length > 0 ? 1 : 0
}

async function measure(
  flags: RelayFlags,
  { shelf, own }: { readonly shelf: string; readonly own: string },
): Promise<readonly Round[]> {
  const profiles = flags.profile ? join(shelf, PROFILES) : undefined
  if (profiles !== undefined) {
    rmSync(profiles, { recursive: true, force: true })
    mkdirSync(profiles, { recursive: true })
  }
  const folder = fillBacklog(own, flags.records, console.log)
  const rounds: Round[] = []
  for (const server of flags.servers) {
    const upstream = await hire(PROGRAMS[server], true)
    for (let round = 1; round <= flags.rounds; round += 1) {
      const bare = await drainBare(folder, upstream, portOf(upstream))
      const ours = await drainOurs(folder, upstream, { own, port: portOf(upstream), posts: bare.posts, profiles })
      rounds.push({ server, bare, ours })
      const rates = `bare ${bare.perSecond.toFixed(0)}/s, ours ${ours.perSecond.toFixed(0)}/s`
      console.log(`${server}, round ${round}: ${ours.posts} owed; ${rates}`)
    }
    await upstream.end()
  }
  return rounds
}

/** Both have to have posted the same. */
const mismatches = ({ bare, ours }: Round): readonly string[] => [
  ...(bare.posts === ours.posts ? [] : [`${bare.posts} posts of the bare client, ${ours.posts} of the relay`]),
  ...(bare.bytes === ours.bytes ? [] : [`${bare.bytes} bytes of the bare client, ${ours.bytes} of the relay`]),
]

function print(all: readonly Round[], wrong: readonly string[]): void {
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
  for (const sentence of wrong) console.log(`WRONG: ${sentence}`)
  const goals = servers.map((server) => {
    const rounds = all.filter((round) => round.server === server)
    const ratio = median(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond))
    return goalAtLeast(`a backlog drained to the ${server} / bare client`, 0.4, ratio)
  })
  console.log(`\n${goalTable(goals)}`)
}
