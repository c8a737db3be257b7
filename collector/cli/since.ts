import { runWithTimeout } from '../../lib/time'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { JournalFact } from '../../lib/wire/journal'
import { isMarkName, type Mark } from '../../lib/wire/marks'
import { ANSWER_TIMEOUT_MS, UnknownMarkError } from './collector-connection'

/** The start of the part of a recording that a command reads. */
export type Since =
  | { readonly from: 'now' }
  /** @see n everything after this journal number. */
  | { readonly from: 'number'; readonly n: number }
  /** @see at ms since the epoch. */
  | { readonly from: 'time'; readonly at: number }
  | { readonly from: 'mark'; readonly name: string }

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const isUnit = (text: string | undefined): text is keyof typeof UNITS_MS => text !== undefined && text in UNITS_MS

/** Reads `now`, a journal number, a time, an age such as `10m`, or the name of a mark; null for any other text. @param now ms */
export function readSince(text: string, now: number): Since | null {
  if (text === 'now') return { from: 'now' }
  if (/^\d{1,15}$/.test(text)) return { from: 'number', n: Number(text) }
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (isUnit(unit)) return { from: 'time', at: now - Number(count) * UNITS_MS[unit] }
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return { from: 'time', at }
  return isMarkName(text) ? { from: 'mark', name: text } : null
}

/** The part of a collector that maps times to journal numbers. */
interface JournalReader {
  readonly head: () => Promise<number>
  /** The first stored fact with this number or a higher one. */
  readonly fact: (from: number) => Promise<JournalFact | null>
  readonly marks: () => Promise<readonly Mark[]>
}

export function journalReader(
  client: Pick<CollectorClient, 'recorded' | 'fact' | 'marks'>,
  stop: AbortSignal,
  timeoutMs = ANSWER_TIMEOUT_MS,
): JournalReader {
  return {
    head: async () =>
      (await runWithTimeout(timeoutMs, stop, (signal) => client.recorded({ limit: 0, signal }))).journal,
    fact: (from) => runWithTimeout(timeoutMs, stop, (signal) => client.fact(from, signal)),
    marks: async () => (await runWithTimeout(timeoutMs, stop, client.marks)).marks,
  }
}

/**
 * Returns the journal number after which to read. For a time it searches the journal in about twenty requests.
 * @throws UnknownMarkError
 */
export async function journalSince(since: Since, { head, fact, marks }: JournalReader): Promise<number> {
  if (since.from === 'number') return since.n
  if (since.from === 'mark') {
    const all = await marks()
    const found = all.find(({ name }) => name === since.name)
    if (found !== undefined) return found.journal
    throw new UnknownMarkError(
      since.name,
      all.map(({ name }) => name),
    )
  }
  const newest = await head()
  if (since.from === 'now') return newest
  // Binary search: facts up to `low` are older, those from `high` on are not.
  let low = 0
  let high = newest + 1
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const found = await fact(middle)
    if (found === null || found.n >= high || found.at >= since.at) high = middle
    else low = found.n
  }
  return low
}

/** Returns when a fact was written, in ms since the epoch; null when the journal no longer contains it. */
export async function timeOfFact(
  journal: number,
  { facts }: Pick<CollectorClient, 'facts'>,
  signal?: AbortSignal,
): Promise<number | null> {
  if (journal <= 0) return null
  const { facts: found } = await facts(journal - 1, 0, signal)
  const [first] = found
  return first?.n === journal ? first.at : null
}
