import { fail, type Result, succeed } from '../../lib/protocol/result'
import { countOf, flagsOf } from './flag-values'

export interface RelayFlags {
  readonly records: number
  readonly rounds: number
  readonly profile: boolean
  /** What plays upstream, each in rounds of its own. */
  readonly servers: readonly Server[]
}

/** The product's own stand-in, which reads and remembers what comes; or a server that only counts, as light as can be. */
const SERVERS = ['stand-in', 'counter'] as const
export type Server = (typeof SERVERS)[number]

export const RELAY_HELP = `npm run bench:relay [-- FLAG…]

Starts the collector on a folder of pending envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs), and measures how
fast it works them off; beside it, in turns, a bare client that posts the same bodies from memory over 30 kept connections
to the same server, and does nothing else: once to the product's stand-in, and once to a server that only counts, which
leaves all of the machine to whoever posts. The first 2,000 posts of each warm it up, and are not counted. Figures of one
run only compare within that run. Takes about two minutes on a machine that has nothing else to do.

  --quick         one round of 5,000
  --records=N     envelopes that are pending (12,000)
  --rounds=N      how often each is measured (3)
  --server=NAME   stand-in or counter, instead of both
  --profile       each thread of the collector leaves a CPU profile in .build/bench/profiles, summed up at the end (slower)`

/** @returns a sentence for people where a word is not understood. */
export function parseRelayFlags(words: readonly string[]): Result<RelayFlags, string> {
  const flags = flagsOf(words, {
    quick: { type: 'boolean' },
    profile: { type: 'boolean' },
    records: { type: 'string' },
    rounds: { type: 'string' },
    server: { type: 'string' },
  })
  if (!flags.ok) return flags
  const { quick = false, profile = false } = flags.value
  const records = countOf('records', flags.value.records, quick ? 5000 : 12_000, 2500)
  if (!records.ok) return records
  const rounds = countOf('rounds', flags.value.rounds, quick ? 1 : 3)
  if (!rounds.ok) return rounds
  const servers = SERVERS.filter((name) => flags.value.server === undefined || flags.value.server === name)
  if (servers.length === 0) return fail(`--server=${flags.value.server} is none: meant is ${SERVERS.join(' or ')}`)
  return succeed({ records: records.value, rounds: rounds.value, profile, servers })
}
