import { runWithTimeout } from '../../lib/time'
import type { CollectorClient } from '../../lib/wire/collector-client'
import type { JournalFact } from '../../lib/wire/journal'
import { ANSWER_TIMEOUT_MS } from './asked-collector'

/** From when on what arrived is looked at. */
export type Since =
  | { readonly from: 'now' }
  /** @see n everything behind this journal number. */
  | { readonly from: 'number'; readonly n: number }
  /** @see at ms since the epoch. */
  | { readonly from: 'time'; readonly at: number }

export const SINCE_MEANT =
  'now, a journal number, a time such as 2026-11-21T10:00:00Z, or how long ago, such as 90s, 10m or 2h'

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const isUnit = (text: string | undefined): text is keyof typeof UNITS_MS => text !== undefined && text in UNITS_MS

/** @param now ms since the epoch. @returns `null` where it is nothing of what is meant */
export function readSince(text: string, now: number): Since | null {
  if (text === 'now') return { from: 'now' }
  if (/^\d{1,15}$/.test(text)) return { from: 'number', n: Number(text) }
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (isUnit(unit)) return { from: 'time', at: now - Number(count) * UNITS_MS[unit] }
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : { from: 'time', at }
}

/** A collector's numbers and times. @param stop ends the asking @param timeoutMs for each answer */
export function datedBy(
  client: Pick<CollectorClient, 'recorded' | 'fact'>,
  stop: AbortSignal,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Dated {
  return {
    head: async () =>
      (await runWithTimeout(timeoutMs, stop, (signal) => client.recorded({ limit: 0, signal }))).journal,
    fact: (from) => runWithTimeout(timeoutMs, stop, (signal) => client.fact(from, signal)),
  }
}

/** As much of a collector as says when something was. */
export interface Dated {
  /** The newest fact's number. */
  readonly head: () => Promise<number>
  /** The first fact that is kept from a number on. */
  readonly fact: (from: number) => Promise<JournalFact | null>
}

/** The journal number behind which to look: of a time the one before its first fact, found in some twenty questions. */
export async function journalSince(since: Since, { head, fact }: Dated): Promise<number> {
  if (since.from === 'number') return since.n
  const newest = await head()
  if (since.from === 'now') return newest
  // Facts up to `low` are older, those from `high` on are not.
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
