import { plural } from '../../format'
import { countedDiscard } from '../../protocol/outcome'
import type { RecordedPage } from '../../wire/journal'
import type { Overview } from '../../wire/overview'
import type { Storage } from '../../wire/storage'
import type { Evidence } from '../evidence/evidence'
import { errorEvents } from '../rules/coverage'
import type { TimeRange } from '../rules/rule'
import { listFirst, truncate } from '../text'
import type { CheckPlan } from './check-plan'
import { DELIBERATE_DISCARD_REASONS } from './no-loss'

/** How the collector stands at one moment. */
export interface CollectorSnapshot {
  readonly overview: Pick<Overview, 'startedAt' | 'refusals'>
  readonly storage: Pick<Storage, 'evicted' | 'refused'>
}

/** What was looked at. */
export interface CheckedWindow {
  /** When it began; `null` where nobody looked then: it is the folder's whole life. */
  readonly before: CollectorSnapshot | null
  readonly after: CollectorSnapshot
  /** All pages that were read. */
  readonly pages: readonly Pick<RecordedPage, 'damaged'>[]
  /** Submissions that were left out because there were too many, the oldest of them. */
  readonly skipped?: number
}

/**
 * Why what was recorded is not all that was sent; empty where nothing says so. What is only still pending is recorded: of
 * that the losses tell.
 */
export function gapsOf({ before, after, pages, skipped: leftOut = 0 }: CheckedWindow): readonly string[] {
  const evicted = after.storage.evicted.records - (before?.storage.evicted.records ?? 0)
  const full = after.storage.refused - (before?.storage.refused ?? 0)
  const damaged = pages.reduce((sum, page) => sum + page.damaged.length, 0)
  const refusals = refusedSince(before?.overview.refusals ?? [], after.overview.refusals)
  const refused = refusals.reduce((sum, { envelopes }) => sum + envelopes, 0)
  const reasons = listFirst(refusals.map(({ reason, envelopes }) => `${envelopes} ${truncate(reason, 40)}`))
  return [
    ...(before !== null && before.overview.startedAt !== after.overview.startedAt
      ? ['the collector was started again meanwhile: what was sent while it was away may not have arrived']
      : []),
    ...(evicted > 0 ? [`${plural(evicted, 'submission')} made room for newer ones: raise WAYSTATION_MAX_DISK`] : []),
    ...(full > 0 ? [`${plural(full, 'submission')} found no room: raise WAYSTATION_MAX_DISK`] : []),
    ...(refused > 0
      ? [`${plural(refused, 'envelope')} ${refused === 1 ? 'was' : 'were'} refused at the endpoint: ${reasons}`]
      : []),
    ...(damaged > 0 ? [`${plural(damaged, 'submission')} cannot be read any more: the bytes on disk are damaged`] : []),
    ...(leftOut > 0
      ? [
          `${plural(leftOut, 'submission')}, the oldest, ${leftOut === 1 ? 'was' : 'were'} not looked at: there are too many`,
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

/** What was asked for, and is not in what is judged. */
export interface Missing {
  /** When the newest submission came of those that are older than all that is judged; `null` where none is left out. */
  readonly olderUntil: number | null
  /** Submissions in between that cannot be read any more. */
  readonly damaged: readonly number[]
}

/** When what is not judged came: of a damaged submission that is known from those before and after it. */
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

/**
 * What an SDK leaves out on honest pages, too: an error that came a moment ago, browsers' known noise, a request without a
 * parent, an idle navigation. Of these nobody has to look at anything.
 */
const OF_NO_NEWS: ReadonlySet<string> = new Set(['event_processor', 'ignored', 'no_parent_span', 'insufficient_data'])

const NETWORK_ERROR = 'network_error'
const SPAN_CATEGORIES: readonly string[] = ['span', 'transaction']

/**
 * Why it is not known that no error came up: client reports tell of some that were not sent. `null` where none does. A page
 * that is left tells of a `network_error` for what did arrive, so that one counts only where no error arrived.
 */
export function discardedErrorsReason(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  const arrived = errorEvents(evidence).length > 0
  const gone = discardsOf(evidence, ['error'], losses).filter(({ reason }) => !(arrived && reason === NETWORK_ERROR))
  if (gone.length === 0) return null
  const count = sumOf(gone)
  return `${plural(count, 'error')} ${count === 1 ? 'was' : 'were'} discarded by the SDK (${reasonsOf(gone)}), and nobody saw ${count === 1 ? 'it' : 'them'}; ${acceptedBy(gone)}`
}

/** Why nothing is known of spans: some were made, and none arrived. `null` where that is not so. */
export function discardedSpansReason(evidence: Evidence, losses: CheckPlan['losses']): string | null {
  if (evidence.items.some(({ copy, category }) => !copy && SPAN_CATEGORIES.includes(category))) return null
  const gone = discardsOf(evidence, SPAN_CATEGORIES, losses)
  if (gone.length === 0) return null
  // A transaction that is discarded is told as its spans, too.
  const spans = gone.filter(({ category }) => category === 'span')
  const made = spans.length > 0 ? plural(sumOf(spans), 'span') : plural(sumOf(gone), 'transaction')
  return `${made} ${made.startsWith('1 ') ? 'was' : 'were'} made, and none arrived: ${reasonsOf(gone)}; ${acceptedBy(gone)}`
}

interface Discard {
  readonly category: string
  readonly reason: string
  readonly quantity: number
}

/** What client reports say of these categories, less what a plan that names its reasons accepts. */
function discardsOf(
  { signals }: Evidence,
  categories: readonly string[],
  losses: CheckPlan['losses'],
): readonly Discard[] {
  if (losses === 'ignore') return []
  // What is allowed where nobody names anything is no loss on the way; that nothing can be judged by it is another thing.
  const accepted = losses.allow === DELIBERATE_DISCARD_REASONS ? [] : losses.allow
  return signals.flatMap(({ kind, copy, fields: { category, reason, quantity } }): readonly Discard[] => {
    const told = kind === 'client_report' && !copy ? countedDiscard({ category, reason, quantity }) : null
    if (told === null || !categories.includes(told.category)) return []
    return OF_NO_NEWS.has(told.reason) || accepted.includes(told.reason) ? [] : [told]
  })
}

const sumOf = (gone: readonly Discard[]): number => gone.reduce((sum, { quantity }) => sum + quantity, 0)
const namesOf = (gone: readonly Discard[]): readonly string[] => [
  ...new Set(gone.map(({ reason }) => truncate(reason, 40))),
]
const reasonsOf = (gone: readonly Discard[]): string => listFirst(namesOf(gone))
const acceptedBy = (gone: readonly Discard[]): string =>
  `losses: { allow: [${namesOf(gone)
    .map((name) => `'${name}'`)
    .join(', ')}, …] } in the configuration accepts that`
