import { formatCount, plural } from '../../lib/format'
import { isDsnRejected, isTemporaryFailure } from '../../lib/protocol/upstream-answer'
import type { Delivery } from '../../lib/wire/delivery'
import { wasPosted } from '../../lib/wire/status-text'
import type { GlyphName } from '../ui/glyph'
import type { PlotWindow } from '../ui/plot-time'
import { formatClock } from '../ui/times'

export type PlottedAttempt = Pick<
  Delivery,
  'id' | 'seq' | 'attempt' | 'upstream' | 'startedAt' | 'endedAt' | 'status' | 'error' | 'sha256' | 'answer'
>

export type Answer = 'accepted' | 'limited' | 'refused' | 'failed'

interface Lane {
  readonly answer: Answer
  readonly word: string
  readonly meaning: string
  readonly glyph: GlyphName
  readonly tone: 'good' | 'warn' | 'bad'
}

/** From the best answer to the worst. */
export const LANES: readonly Lane[] = [
  { answer: 'accepted', word: 'accepted', meaning: 'answered 2xx', glyph: 'accepted', tone: 'good' },
  { answer: 'limited', word: 'limited', meaning: 'answered 429', glyph: 'rate_limited', tone: 'warn' },
  {
    answer: 'failed',
    word: 'failed',
    meaning: 'no answer, or 5xx; most are retried automatically',
    glyph: 'warning',
    tone: 'warn',
  },
  {
    answer: 'refused',
    word: 'refused',
    meaning: 'another status of upstream, or a damaged record that was not posted',
    glyph: 'invalid',
    tone: 'bad',
  },
]

export function answerOf(attempt: Pick<Delivery, 'status' | 'sha256'>): Answer {
  const { status } = attempt
  if (status === null) return wasPosted(attempt) ? 'failed' : 'refused'
  if (status >= 200 && status < 300) return 'accepted'
  if (status === 429) return 'limited'
  return status >= 500 || isTemporaryFailure(status) ? 'failed' : 'refused'
}

/** The newest attempts of the longest range, and as many before them that were not accepted. */
export const MOST_ATTEMPTS = 1000

/** The attempts of the plot. */
export interface PlottedAttempts {
  /** Newest first. */
  readonly attempts: readonly PlottedAttempt[]
  /** From these times on all accepted and all other attempts are read, ms since the epoch; 0 for the whole hour. */
  readonly since: { readonly accepted: number; readonly others: number }
}

export const sinceOf = ({ accepted, others }: PlottedAttempts['since'], answer: Answer): number =>
  answer === 'accepted' ? accepted : others

/** Adds attempts that were not accepted to the newest ones. @param others from this time on they are complete */
export function withOlder(
  newest: readonly PlottedAttempt[],
  older: readonly PlottedAttempt[],
  others: number,
): PlottedAttempts {
  const { id, startedAt } = newest.at(-1) ?? { id: 0, startedAt: 0 }
  const before = older.filter((one) => one.id < id && answerOf(one) !== 'accepted')
  return { attempts: [...newest, ...before], since: { accepted: startedAt, others } }
}

/**
 * Adds a page of the newest attempts, which is right about its part of the ids: attempts that it misses were deleted.
 * @param next of the page; `null` when there are no older attempts
 */
export function withPage<One extends Pick<Delivery, 'id'>>(
  known: readonly One[],
  page: readonly One[],
  next: string | null,
): readonly One[] {
  const oldest = page.at(-1)?.id
  if (next === null || oldest === undefined) return page
  return [...page, ...known.filter(({ id }) => id < oldest)].slice(0, MOST_ATTEMPTS)
}

/** The parts of the plot, and the positions of its slider. */
export const BINS = 60

export interface Bin {
  readonly startMs: number
  readonly endMs: number
  /** Newest first. */
  readonly attempts: readonly PlottedAttempt[]
  readonly counts: Readonly<Record<Answer, number>>
}

/** The attempts of a window in parts of equal time, oldest first. Parts begin at round times, so marks do not flicker. */
export function binsOf(attempts: readonly PlottedAttempt[], { startMs, endMs }: PlotWindow): readonly Bin[] {
  const each = (endMs - startMs) / BINS
  const first = Math.ceil(endMs / each) - BINS
  const parts = Array.from({ length: BINS }, (): PlottedAttempt[] => [])
  for (const attempt of attempts) parts[Math.floor(attempt.startedAt / each) - first]?.push(attempt)
  return parts.map((found, at) => {
    const counts = { accepted: 0, limited: 0, failed: 0, refused: 0 }
    for (const attempt of found) counts[answerOf(attempt)] += 1
    return { startMs: (first + at) * each, endMs: (first + at + 1) * each, attempts: found, counts }
  })
}

/** The attempts of all parts, by answer. */
export function totalOf(bins: readonly Pick<Bin, 'counts'>[]): Bin['counts'] {
  const sumOf = (answer: Answer): number => bins.reduce((sum, { counts }) => sum + counts[answer], 0)
  return {
    accepted: sumOf('accepted'),
    limited: sumOf('limited'),
    failed: sumOf('failed'),
    refused: sumOf('refused'),
  }
}

/** `accepted ones before 14:35:00 are not read`; an empty text when all from a time on are. */
export function unreadText({ accepted, others }: PlottedAttempts['since'], fromMs: number): string {
  if (accepted <= fromMs) return ''
  const andOthers = others <= fromMs ? '' : `, others before ${clockOf(others)}`
  return `accepted ones before ${clockOf(accepted)}${andOthers} are not read`
}

export const clockOf = (ms: number): string => formatClock(ms).slice(0, 8)

/** `3 attempts: 2 accepted, 1 failed` */
export function countsText(counts: Bin['counts']): string {
  const parts = LANES.flatMap(({ answer, word }) =>
    counts[answer] === 0 ? [] : [`${formatCount(counts[answer])} ${word}`],
  )
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return all === 0 ? 'no attempts' : `${plural(all, 'attempt')}: ${parts.join(', ')}`
}

export interface Wait {
  readonly seq: number
  /** The attempt after which it waited. */
  readonly attempt: number
  readonly fromMs: number
  /** The start of the next attempt; `null` while there is none. */
  readonly toMs: number | null
  /** From the top of the plot; `null` when its rows are taken. */
  readonly row: number | null
}

/** Waits at the same time are below each other, in at most this many rows; further ones are only in the table. */
export const WAIT_ROWS = 4

/** The times between attempts of the same envelope, and after a last one that is retried automatically. */
export function waitsOf(attempts: readonly PlottedAttempt[], nowMs: number): readonly Wait[] {
  const later = new Map<number, PlottedAttempt>()
  const waits: Omit<Wait, 'row'>[] = []
  for (const one of attempts) {
    const next = later.get(one.seq)
    later.set(one.seq, one)
    if (next !== undefined && next.attempt !== one.attempt + 1) continue
    if (next !== undefined || isRetried(one))
      waits.push({ seq: one.seq, attempt: one.attempt, fromMs: one.endedAt, toMs: next?.startedAt ?? null })
  }
  const ends: number[] = []
  return waits
    .sort((a, b) => a.fromMs - b.fromMs)
    .map((wait) => {
      const free = Array.from({ length: WAIT_ROWS }, (_, row) => row).find((row) => (ends[row] ?? 0) <= wait.fromMs)
      if (free !== undefined) ends[free] = wait.toMs ?? nowMs
      return { ...wait, row: free ?? null }
    })
}

const isRetried = (attempt: PlottedAttempt): boolean =>
  attempt.status === null ? wasPosted(attempt) : isTemporaryFailure(attempt.status) || isDsnRejected(attempt.status)
