import { fail, type Result, succeed } from '../../lib/protocol/result'
import { countOf, flagsOf, rateOf } from './flag-values'

export interface IngestFlags {
  readonly quick: boolean
  readonly spotlight: boolean
  /** Envelopes a second that are taken as sustained, instead of a search. */
  readonly rate: number | null
  readonly rounds: number
  readonly profile: boolean
  readonly onlyBursts: boolean
  readonly via: 'socket' | 'fetch'
}

export const INGEST_HELP = `npm run bench:ingest [-- FLAG…]

Posts envelopes of 11 KB (a transaction, 20 spans, 15 breadcrumbs, fresh ids in each) to the collector as npm start
starts it, and to a bare Hono handler that reads the body, drops it and answers 200, in turns. The collector has
everything on: it syncs, digests, and relays to an upstream of the bench's own. Between the two stands a floor: a program
of the bench's that does what cannot be left out of that work, and nothing else. Figures of one run only compare within
that run. Takes about 13 minutes on a machine that has nothing else to do.

  --quick         one round and short loads: about a minute, and says little
  --rate=N        envelopes a second that count as sustained; no search
  --rounds=N      rounds of bursts (3)
  --only-bursts   ends after the bursts
  --sender=socket|fetch
                  posts over raw connections (socket), or through fetch: that is saturated long before the bare
                  handler, so ratios are kinder and say less
  --spotlight     the same table for Spotlight's sidecar, which is installed into a temporary folder
  --profile       each thread of the collector leaves a CPU profile in .build/bench/profiles, summed up at the end (slower)`

/** @returns a sentence for people where a word is not understood. */
export function parseIngestFlags(words: readonly string[]): Result<IngestFlags, string> {
  const flags = flagsOf(words, {
    quick: { type: 'boolean' },
    spotlight: { type: 'boolean' },
    profile: { type: 'boolean' },
    'only-bursts': { type: 'boolean' },
    rate: { type: 'string' },
    rounds: { type: 'string' },
    sender: { type: 'string' },
  })
  if (!flags.ok) return flags
  const { quick = false, spotlight = false, profile = false, sender: via = 'socket' } = flags.value
  const rate = rateOf(flags.value.rate)
  if (!rate.ok) return rate
  const rounds = countOf('rounds', flags.value.rounds, quick ? 1 : 3)
  if (!rounds.ok) return rounds
  if (via !== 'socket' && via !== 'fetch') return fail(`--sender=${via}: meant is socket or fetch`)
  const onlyBursts = flags.value['only-bursts'] ?? false
  return succeed({ quick, via, rate: rate.value, rounds: rounds.value, spotlight, profile, onlyBursts })
}
