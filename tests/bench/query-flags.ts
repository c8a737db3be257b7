import { type Result, succeed } from '../../lib/protocol/result'
import { countOf, flagsOf, rateOf } from './flag-values'

export interface QueryFlags {
  readonly segments: number
  readonly asks: number
  /** Envelopes that arrive in a second meanwhile; `null` measures a quarter of what is sustained. */
  readonly rate: number | null
  /** Only questions whose name holds this. */
  readonly only: string
  readonly redigest: boolean
}

export const QUERY_HELP = `npm run bench:query [-- FLAG…]

Asks a collector with 200,000 segments and 4 million spans for pages of traces by every filter, alone and together, for
long traces and other lists, while envelopes arrive. The store is made once, by the product's own writer and digest, and
kept in .build/bench; each run works on a copy of it. Takes about 3 minutes, the first time 3 more, and about 1.2 GB of
disk for the store and as much for the copy.

  --quick         20,000 segments, 40 asks of each
  --segments=N    a store of another size
  --asks=N        how often each is asked (200)
  --rate=N        envelopes a second that arrive meanwhile (a quarter of what is sustained, which is measured first)
  --only=TEXT     only what has this in its name
  --redigest      makes the rows of the kept store anew first`

/** @returns a sentence for people where a word is not understood. */
export function parseQueryFlags(words: readonly string[]): Result<QueryFlags, string> {
  const flags = flagsOf(words, {
    quick: { type: 'boolean' },
    redigest: { type: 'boolean' },
    segments: { type: 'string' },
    asks: { type: 'string' },
    rate: { type: 'string' },
    only: { type: 'string' },
  })
  if (!flags.ok) return flags
  const { quick = false, redigest = false, only = '' } = flags.value
  const segments = countOf('segments', flags.value.segments, quick ? 20_000 : 200_000, 1000)
  if (!segments.ok) return segments
  const asks = countOf('asks', flags.value.asks, quick ? 40 : 200)
  if (!asks.ok) return asks
  const rate = rateOf(flags.value.rate)
  if (!rate.ok) return rate
  return succeed({ segments: segments.value, asks: asks.value, rate: rate.value, only, redigest })
}
