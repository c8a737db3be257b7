import { DATA_CATEGORIES } from '../../lib/protocol/data-category'
import { lostBy, NETWORK_ERROR } from '../../lib/protocol/outcome'
import { BAR_MINUTES } from '../../lib/wire/error-groups'
import { COUNTED_MINUTES, FIGURES_MINUTES, type FigureMinutes, type Figures } from '../../lib/wire/figures'
import type { Loss } from '../../lib/wire/losses'
import type { Storage } from '../../lib/wire/storage'
import type { TelemetryIndex } from '../index/index'
import type { ReceivedRecord, Spool, SpoolNews } from '../spool/spool'
import { MinuteCounts, startOfMinutes } from './minute-counts'

/** Senders that are counted; further ones are not. */
export const MAX_SENDERS = 1000
const MOST_LOSSES = 10
/** Losses whose counts per minute are served, the largest first. */
export const MAX_LOSS_SERIES = 100
const MINUTE_MS = 60_000
/** A group of errors is new for an hour, as in its list. */
const NEW_MS = BAR_MINUTES * MINUTE_MS
/** The number of runs is read from the disk at most this often. */
const RUNS_MS = 10_000

/** A verdict on the whole record, and when it was requested. */
export type LastVerdict = Omit<NonNullable<Figures['navigation']['contract']>, 'isStale'>

interface FigureParts {
  readonly record: Pick<Spool, 'storage' | 'totals' | 'recent'>
  readonly index: Pick<TelemetryIndex, 'traceMinutes' | 'discards' | 'newGroups' | 'values'>
  readonly activeLimits: () => Promise<readonly unknown[]>
  readonly lastVerdict: () => LastVerdict | null
  readonly runs: () => Promise<{ readonly runs: readonly unknown[] }>
  readonly now: () => number
}

/** Counts per minute in memory, from the facts of each commit and the bodies that were appended. */
export interface FigureCounts {
  readonly noteReceived: (record: ReceivedRecord) => void
  readonly noteNews: (news: Pick<SpoolNews, 'facts' | 'totals'>, atMs: number) => void
  /** Counts what was recorded before the start. @param upTo the journal number of the last fact before it */
  readonly restore: (record: Pick<Spool, 'recent'>, upTo: number, nowMs: number) => Promise<void>
  readonly read: (parts: FigureParts, withMinutes: boolean) => Promise<Figures>
}

export function createFigures(): FigureCounts {
  const counts = new MinuteCounts()
  const senders = new Map<string, number>()
  let lastEnvelope: number | null = null
  /** Receipt of the newest telemetry, own telemetry included. */
  let newest = 0
  /** The traces up to this list position are counted. */
  let tracesUpTo: number | null = null
  /** When the last query left out traces. */
  let partAt = Number.NEGATIVE_INFINITY
  let runs = { at: Number.NEGATIVE_INFINITY, count: 0 }
  /** Discards up to this journal number were reported before the start, and are not counted yet. */
  let discardsUpTo: number | null = null

  function noteReceived({ at, endpoint, project, sender, own, quantities }: ReceivedRecord): void {
    // A copy repeats what another envelope brings.
    if (endpoint === 'stream') return
    newest = Math.max(newest, at)
    if (own) {
      counts.add('own', at)
      return
    }
    counts.add('envelopes', at)
    lastEnvelope = Math.max(lastEnvelope ?? 0, at)
    counts.add('received', at, quantities.length)
    for (const { category, quantity } of quantities)
      counts.add(`category ${DATA_CATEGORIES.has(category) ? category : 'other'}`, at, quantity)
    const key = `${project} ${sender ?? ''}`
    if (senders.has(key) || senders.size < MAX_SENDERS) senders.set(key, Math.max(senders.get(key) ?? 0, at))
  }

  function noteTotals({ category, entry, reason, quantity, items }: SpoolNews['totals'][number], at: number): void {
    if (entry === 'accepted') counts.add('accepted', at, items)
    if (entry === 'rate_limited') counts.add('limited', at, items)
    const by = lostBy(entry, reason)
    if (by === null) return
    counts.add('lost', at, items)
    counts.add(`loss ${JSON.stringify([category, reason === '' ? entry : reason, by])}`, at, quantity)
  }

  async function countTraces({ index, now }: FigureParts): Promise<void> {
    const found = await index.traceMinutes(tracesUpTo, startOfMinutes(now(), COUNTED_MINUTES))
    // Two polls at the same time read the same traces: the first one counts them.
    if (found.after !== tracesUpTo) return
    tracesUpTo = found.upTo
    if (found.isPart) partAt = now()
    for (const { minute, traces } of found.minutes) counts.add('traces', minute * MINUTE_MS, traces)
  }

  /** Of `network_error` no one knows here which items arrived after all. */
  async function countDiscards({ index, now }: FigureParts): Promise<void> {
    const upTo = discardsUpTo
    discardsUpTo = null
    if (upTo === null) return
    for (const { at, ...discard } of await index.discards(upTo, startOfMinutes(now(), COUNTED_MINUTES)))
      if (discard.reason !== NETWORK_ERROR) noteTotals({ ...discard, entry: 'client_discard', items: 0 }, at)
  }

  async function countRuns({ runs: list, now }: FigureParts): Promise<number> {
    if (now() - runs.at >= RUNS_MS) runs = { at: now(), count: (await list()).runs.length }
    return runs.count
  }

  function appsSince(since: number): number {
    for (const [key, at] of senders) if (at < since) senders.delete(key)
    return senders.size
  }

  function lossesOf(now: number, minutes: number, most: number) {
    return counts
      .names('loss ')
      .map((name) => {
        const [category, reason, by] = JSON.parse(name) as [string, string, Loss['by']]
        const series = counts.series(`loss ${name}`, now, minutes)
        return { category, reason, by, minutes: series, quantity: series.reduce((sum, one) => sum + one, 0) }
      })
      .filter(({ quantity }) => quantity > 0)
      .sort((one, other) => other.quantity - one.quantity)
      .slice(0, most)
  }

  function minutesOf(now: number): FigureMinutes {
    const series = (name: string): number[] => counts.series(name, now, COUNTED_MINUTES)
    return {
      from: startOfMinutes(now, COUNTED_MINUTES),
      envelopes: series('envelopes'),
      refused: series('refused'),
      received: series('received'),
      accepted: series('accepted'),
      limited: series('limited'),
      lost: series('lost'),
      losses: lossesOf(now, COUNTED_MINUTES, MAX_LOSS_SERIES).map(({ quantity: _, ...loss }) => loss),
      traces: series('traces'),
      errors: series('category error'),
      logs: series('category log_item'),
      categories: Object.fromEntries(counts.names('category ').map((name) => [name, series(`category ${name}`)])),
    }
  }

  return {
    noteReceived,
    noteNews: ({ facts, totals }, atMs) => {
      for (const { kind, at } of facts) if (kind === 'refused') counts.add('refused', at)
      for (const one of totals) noteTotals(one, atMs)
    },
    restore: async (record, upTo, nowMs) => {
      const { received, settled, refused } = await record.recent(startOfMinutes(nowMs, COUNTED_MINUTES), upTo)
      for (const one of received) noteReceived(one)
      for (const one of settled) noteTotals({ ...one, reason: one.reason ?? '' }, one.at)
      for (const at of refused) counts.add('refused', at)
      discardsUpTo = upTo
    },
    read: async (parts, withMinutes) => {
      const [{ status }, { items, unexplained }, limits, runCount, newGroups, projects] = await Promise.all([
        parts.record.storage(),
        parts.record.totals(),
        parts.activeLimits(),
        countRuns(parts),
        parts.index.newGroups(parts.now() - NEW_MS),
        parts.index.values('envelopes', 'project', { kind: null, own: false }),
        countTraces(parts),
        countDiscards(parts),
      ])
      const now = parts.now()
      const verdict = parts.lastVerdict()
      const since = startOfMinutes(now, FIGURES_MINUTES)
      const sum = (name: string): number => counts.sum(name, now, FIGURES_MINUTES)
      return {
        now,
        since,
        navigation: {
          traces: sum('traces'),
          errors: sum('category error'),
          newGroups,
          logs: sum('category log_item'),
          envelopes: sum('envelopes'),
          openDeliveries: status.pending.records + status.deadLetters.records,
          losses: lossesOf(now, FIGURES_MINUTES, MOST_LOSSES).map(({ minutes: _, ...loss }) => loss),
          refused: sum('refused'),
          activeLimits: limits.length,
          storageUsed: Math.round(100 * usedShare(status)),
          contract: verdict && { ...verdict, isStale: newest > verdict.at },
          runs: runCount,
        },
        line: {
          apps: appsSince(since),
          received: sum('received'),
          accepted: sum('accepted'),
          pending: items.pending,
          limited: sum('limited'),
          lost: sum('lost'),
          lastEnvelope,
          unexplained,
        },
        projects: projects.values.map(({ value }) => value),
        own: sum('own'),
        isPart: partAt >= since,
        minutes: withMinutes ? minutesOf(now) : null,
      }
    },
  }
}

/** The use of the disk budget, or that of a shared database if it is nearer to its own. */
function usedShare({ used, cap, store }: Storage): number {
  const { bytes = 0, budgetBytes = null } = store?.usage ?? {}
  return Math.max(used / cap, budgetBytes === null ? 0 : bytes / budgetBytes)
}
