import { nameHint } from '../../config/nearest'
import { plural } from '../../format'
import type { Evidence } from '../evidence/evidence'
import { durationText, listFirst, truncate, withoutSecrets } from '../text'
import { type Boards, boardLink, type Finding, type FoundAt, positionText } from '../verdict'
import { type Criteria, type Difference, describeCriteria, matches, nearestMiss } from './criteria'
import { itemLabel, itemsOfKind, KINDS, type Kind, type Kinds, kindNoun } from './kinds'

interface Missing<Name extends Kind> {
  readonly kind: Name
  readonly criteria: Criteria<Kinds[Name]>
  readonly evidence: Evidence
  /** How long it was waited for, in ms; `null` without waiting. */
  readonly waitedMs: number | null
}

/** The criteria, the nearest miss with its differing fields and a link, and what else arrived. Safe to print. */
export function explainMissing<Name extends Kind>(missing: Missing<Name>, boards: Boards): string {
  const { kind, criteria, evidence, waitedMs } = missing
  const items = itemsOfKind(evidence, kind)
  const within = waitedMs === null ? '' : ` within ${durationText(waitedMs * 1000)}`
  return paragraphs([
    [`no ${kindNoun(kind)} ${describeCriteria(criteria)} arrived${within}`],
    nearestLines(kind, items, criteria, boards),
    arrivedLines(evidence, kind),
  ])
}

export function nearestLines<Name extends Kind>(
  kind: Name,
  items: readonly Kinds[Name][],
  criteria: Criteria<Kinds[Name]>,
  boards: Boards,
): readonly string[] {
  const nearest = nearestMiss(items, criteria)
  if (nearest === null) return []
  const { item, differences } = nearest
  // A predicate gives no reason, so no item is nearer than the others.
  const title = differences.some(({ path }) => path === '') ? 'last arrived' : 'nearest'
  return [
    `${title}: ${itemLabel(kind, item)} (${positionText(item)})`,
    ...differenceLines(differences, namesOf(items)),
    ...linkLines(positionOf(item), boards),
  ]
}

/** Differences in columns. A field that no item has gets a hint with a similar name. */
export function differenceLines(differences: readonly Difference[], known: readonly string[]): readonly string[] {
  const listed = differences.slice(0, MOST_DIFFERENCES).filter(({ path }) => path !== '')
  const width = Math.min(40, Math.max(0, ...listed.map(({ path }) => path.length)))
  const lines = listed.map(({ path, actual, expected }) => {
    const top = path.split('.')[0] ?? path
    const hint =
      known.length === 0 || known.includes(top)
        ? ''
        : ` (no item has ${truncate(top, 40)}; ${nameHint(top, known, MOST_FIELDS)})`
    return `  ${truncate(path, 80).padEnd(width)}  expected ${expected}, got ${actual}${hint}`
  })
  const rest = differences.length - MOST_DIFFERENCES
  return rest > 0 ? [...lines, `  and ${plural(rest, 'more difference')}`] : lines
}
const MOST_DIFFERENCES = 10
/** Fields of the items that arrived. */
const MOST_FIELDS = 12

export function findingLines(
  findings: readonly Finding[],
  found: number,
  boards: Boards,
  most = 10,
): readonly string[] {
  const lines = findings
    .slice(0, most)
    .flatMap(({ about, at, path, actual, expected }) => [
      `${truncate(withoutSecrets(about))}${at === null ? '' : ` (${positionText(at)})`}`,
      `  ${path === '' ? '' : `${truncate(path, 80)}: `}expected ${truncate(expected)}, got ${truncate(withoutSecrets(actual))}`,
      ...linkLines(at, boards),
    ])
  const rest = found - Math.min(findings.length, most)
  return rest > 0 ? [...lines, `and ${rest} more`] : lines
}

export function arrivedLines(evidence: Evidence, expected: Kind = 'item'): readonly string[] {
  const others = KINDS.filter((kind) => kind !== 'item' && kind !== expected)
  const lines = (expected === 'item' ? others : [expected, ...others]).flatMap((kind) => {
    const items = itemsOfKind(evidence, kind)
    if (items.length === 0) return []
    const names = [...new Set(items.slice(0, MOST_NAMED).map((item) => itemLabel(kind, item)))]
    return [
      `  ${plural(items.length, kindNoun(kind))}: ${listFirst(
        names.map((name) => truncate(name, 40)),
        kind === expected ? 8 : 3,
      )}`,
    ]
  })
  if (lines.length > 0) return ['what arrived:', ...lines]
  const { envelopes, items } = evidence
  if (envelopes.length === 0) return ['nothing arrived']
  return [
    'what arrived:',
    `  ${plural(envelopes.length, 'envelope')}: ${listFirst([...new Set(items.map(({ type }) => truncate(type, 40)))], 3)}`,
  ]
}
const MOST_NAMED = 200

export function linkLines(at: FoundAt | null, boards: Boards): readonly string[] {
  const link = boardLink(at, boards)
  return link === null ? [] : [`  ${link}`]
}

export const paragraphs = (parts: readonly (readonly string[])[]): string =>
  parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')

export function positionOf(item: Kinds[Kind]): FoundAt {
  const { seq, item: index } = item
  if ('segmentId' in item && !('spanId' in item))
    return { seq, item: index, traceId: item.traceId, spanId: item.segmentId }
  if ('exceptions' in item) return { seq, item: index, traceId: item.traceId, eventId: item.eventId }
  // A breadcrumb is shown on the page of its event.
  if ('index' in item) return { seq, item: index, eventId: item.eventId }
  if ('isSegment' in item) return { seq, item: index, traceId: item.traceId, spanId: item.spanId }
  return { seq, item: index }
}

export const namesOf = (items: readonly object[]): readonly string[] => [
  ...new Set(items.slice(0, MOST_NAMED).flatMap((item) => Object.keys(item))),
]

export type WaitEnd =
  | { readonly ended: 'late'; readonly afterMs: number }
  /** The test aborted it, the collector is gone, or the recording was closed. */
  | { readonly ended: 'over'; readonly why: string }

const NOT_REACHED = (url: string): string =>
  `the collector at ${url} has never received anything: does the app’s DSN have this address? waystation run sets SENTRY_DSN, but a DSN in the code overrides it, and an app that was started before the run does not have it`

/** A predicate of the test may throw, which must not replace the message of the wait. */
function isMatch<Item extends object>(item: Item, criteria: Criteria<Item>): boolean {
  try {
    return matches(item, criteria)
  } catch {
    return false
  }
}

function evidenceSince(evidence: Evidence, since: number): Evidence {
  const later = <Seen extends { readonly receivedAt: number }>(list: readonly Seen[]): readonly Seen[] =>
    list.filter(({ receivedAt }) => receivedAt >= since)
  return {
    envelopes: later(evidence.envelopes),
    items: later(evidence.items),
    events: later(evidence.events),
    segments: later(evidence.segments),
    spans: later(evidence.spans),
    breadcrumbs: later(evidence.breadcrumbs),
    signals: later(evidence.signals),
  }
}

/** @param wait `emptyCollector` is the address of a collector whose record was empty when the recording began */
export function explainWait<Name extends Kind>(
  wait: {
    readonly kind: Name
    readonly criteria: Criteria<Kinds[Name]>
    readonly evidence: Evidence
    /** When the test began, in ms since the epoch; what arrived earlier does not count. `null`: everything counts. */
    readonly startedAt?: number | null
    readonly emptyCollector?: string | null
    readonly emptyHint: string | null
  },
  end: WaitEnd,
  boards: Boards,
): string {
  const { kind, criteria, startedAt = null } = wait
  const waitedMs = end.ended === 'late' ? end.afterMs : null
  const evidence = startedAt === null ? wait.evidence : evidenceSince(wait.evidence, startedAt)
  const earlier = itemsOfKind(wait.evidence, kind).findLast(
    (item) => startedAt !== null && item.receivedAt < startedAt && isMatch(item, criteria),
  )
  const missing = paragraphs([
    [explainMissing({ kind, criteria, evidence, waitedMs }, boards)],
    earlier === undefined
      ? []
      : [
          `a match arrived before this test began: ${itemLabel(kind, earlier)} (${positionText(earlier)}); { past: true } includes it`,
        ],
  ])
  if (end.ended === 'over') return `${end.why}\n\n${missing}`
  if (wait.evidence.envelopes.length > 0) return missing
  const { emptyCollector = null, emptyHint } = wait
  const hints = [emptyCollector === null ? null : NOT_REACHED(emptyCollector), emptyHint]
  return [missing, ...hints.filter((hint) => hint !== null)].join('\n')
}
