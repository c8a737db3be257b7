import type { Visit, Visits } from '../../lib/wire/visits'

/** Visits that are requested at first; “Show more” doubles their number. */
export const FIRST_VISITS = 20
/** The collector describes no more; its constant would load the schemas of the wire. */
export const MOST_SHOWN = 1000

export interface FeedState {
  readonly shown: Visits
  /** A newer answer with activity that is not visible yet. */
  readonly waiting: Visits | null
}

/**
 * The feed after an answer. With `hold` no visible row moves: visits without new activity change in place, unless `all` is
 * held, older visits are added at the end, and new activity waits.
 */
export function nextFeed(feed: FeedState | null, fresh: Visits, hold: boolean | 'all'): FeedState {
  if (feed === null) return { shown: fresh, waiting: null }
  const { shown } = feed
  const isEmpty = (of: Visits): boolean => of.visits.length === 0 && of.apart.traceCount === 0
  // Journal numbers only grow: a lower one belongs to another data folder.
  const isRestarted = fresh.journal < shown.journal || isEmpty(fresh) || isEmpty(shown)
  const isStill = hold !== 'all' && countNew(shown, fresh) === 0
  if (hold === false || isRestarted || isStill)
    return { shown: { ...fresh, visits: keepUnchanged(shown.visits, fresh.visits) }, waiting: null }
  const now = new Map(fresh.visits.map((visit) => [visit.id, visit]))
  const update = (visit: Visit): Visit => {
    const next = now.get(visit.id)
    return next?.journal === visit.journal && !isSame(visit, next) ? next : visit
  }
  const known = new Set(shown.visits.map(({ id }) => id))
  const last = lastJournal(shown)
  const older = fresh.visits.filter(({ id, journal }) => !known.has(id) && journal < last)
  const visible = hold === 'all' ? shown.visits : shown.visits.map(update)
  return { shown: { ...shown, visits: [...visible, ...older] }, waiting: fresh }
}

/** Shows what waits. */
export const revealFeed = (feed: FeedState): FeedState =>
  feed.waiting === null ? feed : nextFeed({ ...feed, waiting: null }, feed.waiting, false)

/** How many visits have activity that is not shown; traces without a page visit count as one. */
export function countNew(shown: Visits, fresh: Visits): number {
  const journals = new Map(shown.visits.map(({ id, journal }) => [id, journal]))
  const last = lastJournal(shown)
  const visits = fresh.visits.filter(({ id, journal }) => journal > (journals.get(id) ?? last)).length
  return visits + ((fresh.apart.newest ?? 0) > (shown.apart.newest ?? 0) ? 1 : 0)
}

const lastJournal = ({ visits }: Visits): number => visits.at(-1)?.journal ?? 0

/** Keeps the objects of unchanged visits, so that their rows do not render again. */
function keepUnchanged(before: readonly Visit[], fresh: readonly Visit[]): Visit[] {
  const known = new Map(before.map((visit) => [visit.id, visit]))
  return fresh.map((visit) => {
    const old = known.get(visit.id)
    return old !== undefined && isSame(old, visit) ? old : visit
  })
}

/** Without a newer submission only the delivery of a visit changes, or eviction removes something. */
const isSame = (one: Visit, other: Visit): boolean =>
  one.journal === other.journal &&
  one.deliveryStatus.name === other.deliveryStatus.name &&
  one.deliveryStatus.reason === other.deliveryStatus.reason &&
  one.pageCount === other.pageCount &&
  one.traceCount === other.traceCount &&
  one.errorCount === other.errorCount
