import { fail, type Result, succeed } from '../../lib/protocol/result'
import { countOf, flagsOf } from './flag-values'

/** What is measured, each in a file of its own. */
const KIT_PARTS = ['wait', 'judge'] as const
export type KitPart = (typeof KIT_PARTS)[number]

export interface KitFlags {
  /** Traces that are judged, one submission each. */
  readonly traces: number
  readonly rounds: number
  readonly parts: readonly KitPart[]
}

export const KIT_HELP = `npm run bench:kit [-- FLAG…]

Measures what the kit makes a test wait for. Waiting: how long a collector of a test's own takes to start, and how long after
the collector's answer a wait has its item. ExpectationTracker: page loads of 25 spans, one submission each, are read as evidence and
judged by every rule of the contract, in one thread, in a process that has judged some before; each rule is timed by itself.
Takes about a minute on a machine that has nothing else to do.

  --quick         one round of 2,000 traces
  --traces=N      traces that are judged (10,000)
  --rounds=N      how often each is measured; told is the median (3)
  --only=PART     ${KIT_PARTS.join(' or ')}, instead of all`

/** @returns a sentence for people where a word is not understood. */
export function parseKitFlags(words: readonly string[]): Result<KitFlags, string> {
  const flags = flagsOf(words, {
    quick: { type: 'boolean' },
    traces: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
  })
  if (!flags.ok) return flags
  const { quick = false, only } = flags.value
  const traces = countOf('traces', flags.value.traces, quick ? 2000 : 10_000)
  if (!traces.ok) return traces
  const rounds = countOf('rounds', flags.value.rounds, quick ? 1 : 3)
  if (!rounds.ok) return rounds
  const parts = KIT_PARTS.filter((part) => only === undefined || only === part)
  if (parts.length === 0) return fail(`--only=${only} is none: meant is ${KIT_PARTS.join(' or ')}`)
  return succeed({ traces: traces.value, rounds: rounds.value, parts })
}
