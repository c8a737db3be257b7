import { parseArgs } from 'node:util'
import { fail, type Result, succeed } from '../../lib/protocol/result'

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
everything on: it syncs, digests, and relays to an upstream of the bench's own. Figures of one run only compare within
that run. Takes about 12 minutes on a machine that has nothing else to do.

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
export function parseIngestFlags(words: readonly string[]): Result<IngestFlags | 'help', string> {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        help: { type: 'boolean', short: 'h' },
        quick: { type: 'boolean' },
        spotlight: { type: 'boolean' },
        profile: { type: 'boolean' },
        'only-bursts': { type: 'boolean' },
        rate: { type: 'string' },
        rounds: { type: 'string' },
        sender: { type: 'string' },
      },
    })
    if (values.help === true) return succeed('help')
    const quick = values.quick === true
    const rate = values.rate === undefined ? null : Number(values.rate)
    const rounds = values.rounds === undefined ? (quick ? 1 : 3) : Number(values.rounds)
    if (rate !== null && !(rate >= 1)) return fail(`--rate=${values.rate}: meant are envelopes a second, 1 or more`)
    if (!Number.isInteger(rounds) || rounds < 1) return fail(`--rounds=${values.rounds}: meant is a count, 1 or more`)
    const via = values.sender ?? 'socket'
    if (via !== 'socket' && via !== 'fetch') return fail(`--sender=${via}: meant is socket or fetch`)
    const [spotlight, profile, onlyBursts] = [values.spotlight, values.profile, values['only-bursts']].map(
      (value) => value === true,
    )
    return succeed({
      quick,
      via,
      rate,
      rounds,
      spotlight: spotlight === true,
      profile: profile === true,
      onlyBursts: onlyBursts === true,
    })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}
