import { plural } from '../../format'
import { groupBy } from '../../group-by'
import type { Evidence, SeenBreadcrumb } from '../evidence/evidence'
import { formatValue } from '../text'
import { type Boards, type ExpectationResult, verdictOf } from '../verdict'
import { type Criteria, describeCriteria, matches, nearestMiss } from './criteria'
import { arrivedLines, differenceLines, linkLines, namesOf, paragraphs } from './explain'
import { checkCriteriaFor, itemLabel } from './kinds'

/** The breadcrumbs of one event, or of all events without duplicates. */
interface Trail {
  readonly of: string
  readonly crumbs: readonly SeenBreadcrumb[]
}

interface TrailMatch extends Trail {
  /** Indexes of the found breadcrumbs, in order. */
  readonly at: readonly number[]
}

/**
 * Were the expected breadcrumbs left in this order? Others may be between them. Searches the list of each event, and all
 * lists merged by time without duplicates.
 * @param eventId limits the search to one event.
 * @throws TypeError for invalid criteria.
 */
export function breadcrumbsInOrder(
  evidence: Evidence,
  expected: readonly Criteria<SeenBreadcrumb>[],
  boards: Boards,
  { eventId }: { readonly eventId?: string } = {},
): ExpectationResult {
  if (!Array.isArray(expected) || expected.length === 0)
    throw new TypeError(
      `expected breadcrumbs must be a non-empty list such as [{ category: 'ui.click' }, { category: 'fetch' }], got ${formatValue(expected)}`,
    )
  for (const criteria of expected) checkCriteriaFor('breadcrumb', criteria)
  const trails = trailsOf(evidence, eventId)
  if (trails.length === 0) {
    const why = `no ${eventId === undefined ? 'event' : `event ${eventId}`} with breadcrumbs arrived; breadcrumbs are sent with an error`
    return {
      verdict: { verdict: 'incomplete', why },
      message: paragraphs([[why], arrivedLines(evidence)]),
      negatedMessage: '',
    }
  }
  const longest = trails
    .map((trail) => follow(trail, expected))
    .reduce((best, one) => (one.at.length > best.at.length ? one : best))
  const found = longest.at.length
  const judged = longest.crumbs.length
  const first = longest.crumbs[longest.at[0] ?? 0]
  if (found === expected.length)
    return {
      verdict: verdictOf(judged, [], ''),
      message: '',
      negatedMessage: paragraphs([
        [`${longest.of} has these breadcrumbs in this order; expected not to have them`],
        longest.at.map((index) => crumbLine(longest, index)),
        linkLines(placeIn(first), boards),
      ]),
    }
  const missing = expected[found]
  const words = `breadcrumb ${found + 1} of ${expected.length}, ${describeCriteria(missing)}`
  const after = (longest.at.at(-1) ?? -1) + 1
  const message = paragraphs([
    [`${longest.of} has no ${words}${found === 0 ? '' : ', after the previous one'}`],
    longest.at.map((index) => `found ${crumbLine(longest, index)}`),
    laterLines(longest, after),
    ...(missing === undefined ? [] : [nearestLines(longest, after, missing), earlierLines(longest, after, missing)]),
    linkLines(placeIn(first), boards),
  ])
  const finding = {
    about: longest.of,
    at: placeIn(first),
    path: found === 0 ? 'breadcrumbs' : `breadcrumbs.${longest.at.at(-1) ?? 0}`,
    actual: `${plural(found, 'breadcrumb')} in this order`,
    expected: words,
  }
  return { verdict: verdictOf(judged, [finding], ''), message, negatedMessage: '' }
}

const MOST_AFTER = 5

function laterLines({ crumbs }: Trail, from: number): readonly string[] {
  const rest = crumbs.slice(from)
  const title = from === 0 ? 'all breadcrumbs' : 'later breadcrumbs'
  if (rest.length === 0) return [`${title}: none`]
  const lines = rest.slice(0, MOST_AFTER).map((crumb) => `  ${itemLabel('breadcrumb', crumb)}`)
  return [`${title}:`, ...lines, ...(rest.length > MOST_AFTER ? [`  and ${rest.length - MOST_AFTER} more`] : [])]
}

/** The list of later breadcrumbs is shortened and may not contain it. */
function nearestLines(trail: TrailMatch, from: number, missing: Criteria<SeenBreadcrumb>): readonly string[] {
  // A predicate gives no reason, so no breadcrumb is nearer than the others.
  const nearest = typeof missing === 'function' ? null : nearestMiss<SeenBreadcrumb>(trail.crumbs.slice(from), missing)
  if (nearest === null) return []
  const { item, differences } = nearest
  return [
    `nearest: ${crumbLine(trail, trail.crumbs.indexOf(item))}`,
    ...differenceLines(differences, namesOf(trail.crumbs)),
  ]
}

function earlierLines(trail: TrailMatch, until: number, missing: Criteria<SeenBreadcrumb>): readonly string[] {
  const index = trail.crumbs
    .slice(0, until)
    .findLastIndex((crumb, at) => !trail.at.includes(at) && matches(crumb, missing))
  return index === -1 ? [] : [`a match came earlier: ${crumbLine(trail, index)}`]
}

function crumbLine({ crumbs }: Trail, index: number): string {
  const crumb = crumbs[index]
  return `${index + 1}. ${crumb === undefined ? '' : itemLabel('breadcrumb', crumb)}`
}

const placeIn = (crumb: SeenBreadcrumb | undefined) =>
  crumb === undefined ? null : { seq: crumb.seq, item: crumb.item, eventId: crumb.eventId }

function follow(trail: Trail, expected: readonly Criteria<SeenBreadcrumb>[]): TrailMatch {
  const at: number[] = []
  for (const [index, crumb] of trail.crumbs.entries()) {
    const next = expected[at.length]
    if (next === undefined) break
    if (matches(crumb, next)) at.push(index)
  }
  return { ...trail, at }
}

function trailsOf({ events, breadcrumbs }: Evidence, eventId: string | undefined): readonly Trail[] {
  const titles = new Map(events.map((event) => [event.eventId, event]))
  // A copy of the event, or the event sent twice, has a list of its own.
  const lists = groupBy(breadcrumbs, (crumb) =>
    eventId === undefined || crumb.eventId === eventId ? `${crumb.eventId} ${crumb.seq} ${crumb.item}` : null,
  )
  const each = [...lists.values()].map((crumbs): Trail => {
    const event = titles.get(crumbs[0]?.eventId ?? '')
    return { of: event === undefined ? 'an event' : `error ${itemLabel('error', event)}`, crumbs }
  })
  return each.length < 2
    ? each
    : [...each, { of: `the trail of ${each.length} errors`, crumbs: byTime([...lists.values()]) }]
}

/** Equal breadcrumbs in one list are different ones (two requests at the same time); in another list they are duplicates. */
function byTime(lists: readonly (readonly SeenBreadcrumb[])[]): readonly SeenBreadcrumb[] {
  const each = new Map<string, SeenBreadcrumb>()
  for (const crumbs of lists) {
    const alike = new Map<string, number>()
    for (const crumb of crumbs) {
      const { timestampUs, category, type, message, data } = crumb
      const words = JSON.stringify([timestampUs, category, type, message, data])
      const before = alike.get(words) ?? 0
      alike.set(words, before + 1)
      each.set(`${before} ${words}`, crumb)
    }
  }
  return [...each.values()].sort((one, other) => (one.timestampUs ?? 0) - (other.timestampUs ?? 0))
}
