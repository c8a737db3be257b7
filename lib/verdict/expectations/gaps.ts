import { plural } from '../../format'
import { isForeignRefusal } from '../../protocol/outcome'
import type { RecordedPage } from '../../wire/journal'
import type { Overview } from '../../wire/overview'
import type { Storage } from '../../wire/storage'
import type { Evidence } from '../evidence/evidence'
import { reportedDiscard } from '../evidence/reported-discard'
import { errorEvents } from '../rules/coverage'
import type { TimeRange } from '../rules/rule'
import { listFirst, truncate } from '../text'
import type { CheckPlan } from './check-plan'

export interface CollectorSnapshot {
  readonly overview: Pick<Overview, 'startedAt' | 'refusals'>
  readonly storage: Pick<Storage, 'evicted' | 'refused'>
}

interface CheckedWindow {
  /** Counters at the start of the window; `null` for the whole record. */
  readonly before: CollectorSnapshot | null
  readonly after: CollectorSnapshot
  readonly pages: readonly Pick<RecordedPage, 'damaged'>[]
  /** Number of oldest submissions that were not read, because there were too many. */
  readonly skipped?: number
}

/** Reasons why the record may be incomplete. Pending envelopes are recorded, so they are no gap. */
export function gapsOf({ before, after, pages, skipped = 0 }: CheckedWindow): readonly string[] {
  const evicted = after.storage.evicted.records - (before?.storage.evicted.records ?? 0)
  const full = after.storage.refused - (before?.storage.refused ?? 0)
  const damaged = pages.reduce((sum, page) => sum + page.damaged.length, 0)
  const refusals = refusedSince(before?.overview.refusals ?? [], after.overview.refusals).filter(
    ({ reason }) => !isForeignRefusal(reason),
  )
  const refused = refusals.reduce((sum, { envelopes }) => sum + envelopes, 0)
  const reasons = listFirst(refusals.map(({ reason, envelopes }) => `${envelopes} ${truncate(reason, 40)}`))
  return [
    ...(before !== null && before.overview.startedAt !== after.overview.startedAt
      ? ['the collector was restarted; telemetry sent while it was down may be missing']
      : []),
    ...(evicted > 0
      ? [
          `${plural(evicted, 'envelope')} ${evicted === 1 ? 'was' : 'were'} evicted to free disk space; raise WAYSTATION_MAX_DISK`,
        ]
      : []),
    ...(full > 0
      ? [
          `${plural(full, 'envelope')} ${full === 1 ? 'was' : 'were'} refused because the disk budget was used up; raise WAYSTATION_MAX_DISK`,
        ]
      : []),
    ...(refused > 0
      ? [`${plural(refused, 'envelope')} ${refused === 1 ? 'was' : 'were'} refused at the endpoint: ${reasons}`]
      : []),
    ...(damaged > 0 ? [`${plural(damaged, 'envelope')} cannot be read: the bytes on disk are damaged`] : []),
    ...(skipped > 0
      ? [
          `the oldest ${plural(skipped, 'envelope')} ${skipped === 1 ? 'was' : 'were'} not checked, because there are too many`,
        ]
      : []),
  ]
}

function refusedSince(before: Overview['refusals'], after: Overview['refusals']): Overview['refusals'] {
  const counts = new Map(before.map(({ reason, envelopes }) => [reason, envelopes]))
  return after
    .map(({ reason, envelopes }) => ({ reason, envelopes: envelopes - (counts.get(reason) ?? 0) }))
    .filter(({ envelopes }) => envelopes > 0)
}

interface Missing {
  /** When the newest of the skipped older submissions arrived; `null` if none was skipped. */
  readonly olderUntil: number | null
  readonly damaged: readonly number[]
}

/** The time ranges of missing submissions. A damaged one arrived between its neighbours. */
export function missingRanges(
  { envelopes }: Pick<Evidence, 'envelopes'>,
  { olderUntil, damaged }: Missing,
): readonly TimeRange[] {
  const older = olderUntil === null ? [] : [{ from: 0, until: olderUntil }]
  return [
    ...older,
    ...damaged.map((seq) => ({
      from: envelopes.findLast((one) => one.seq < seq)?.receivedAt ?? 0,
      until: envelopes.find((one) => one.seq > seq)?.receivedAt ?? Number.POSITIVE_INFINITY,
    })),
  ]
}

/** Reasons of discards that happen on every page: repeated errors, known browser noise, requests without a parent span. */
const HARMLESS_REASONS: ReadonlySet<string> = new Set([
  'event_processor',
  'ignored',
  'no_parent_span',
  'insufficient_data',
])

const NETWORK_ERROR = 'network_error'
const SPAN_CATEGORIES: readonly string[] = ['span', 'transaction']

/** A closing page reports `network_error` even for requests that arrived: it counts only if no error arrived. */
export function discardedErrorsReason(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  const arrived = errorEvents(evidence).length > 0
  const discards = discardsOf(evidence, ['error'], losses).filter(
    ({ reason }) => !(arrived && reason === NETWORK_ERROR),
  )
  if (discards.length === 0) return null
  const count = sumOf(discards)
  return `${plural(count, 'error')} ${count === 1 ? 'was' : 'were'} discarded by the SDK (${reasonsOf(discards)}) and could not be checked; ${acceptedBy(discards)}`
}

export function discardedSpansReason(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  if (evidence.items.some(({ copy, category }) => !copy && SPAN_CATEGORIES.includes(category))) return null
  const discards = discardsOf(evidence, SPAN_CATEGORIES, losses)
  if (discards.length === 0) return null
  // The SDK reports a discarded transaction also as its spans.
  const spans = discards.filter(({ category }) => category === 'span')
  const made = spans.length > 0 ? plural(sumOf(spans), 'span') : plural(sumOf(discards), 'transaction')
  return `${made} ${made.startsWith('1 ') ? 'was' : 'were'} created, and none arrived (${reasonsOf(discards)}); ${acceptedBy(discards)}`
}

interface Discard {
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

function discardsOf(
  { signals }: Evidence,
  categories: readonly string[],
  losses: CheckPlan['losses'],
): readonly Discard[] {
  if (losses === 'ignore') return []
  return signals.flatMap((signal): readonly Discard[] => {
    const discard = reportedDiscard(signal)
    if (discard === null || !categories.includes(discard.category)) return []
    return HARMLESS_REASONS.has(discard.reason) || losses.allow.includes(discard.reason) ? [] : [discard]
  })
}

const sumOf = (discards: readonly Discard[]): number => discards.reduce((sum, { quantity }) => sum + quantity, 0)
const namesOf = (discards: readonly Discard[]): readonly string[] => [
  ...new Set(discards.map(({ reason }) => truncate(reason, 40))),
]
const reasonsOf = (discards: readonly Discard[]): string => listFirst(namesOf(discards))
const acceptedBy = (discards: readonly Discard[]): string =>
  `losses: { allow: [${namesOf(discards)
    .map((name) => `'${name}'`)
    .join(', ')}, …] } in the configuration allows that`
