import { groupBy, numberOf } from '../../group-by'
import { normaliseName } from './span-name'
import { type SpanTotals, totalsOf } from './span-totals'
import type { AnalysedSpan, TimeTree } from './time-tree'

/** Fewer siblings stay rows of their own. */
const FEWEST_MEMBERS = 3
/** So many calls in a row are the pattern of a loop (N+1). */
export const FEWEST_SEQUENTIAL = 5
/** SDKs and browsers round timestamps; a smaller overlap is none. */
export const ROUNDED_US = 1_000

/** Siblings that are drawn as one row: `12 × GET /api/item/?`. Times are µs. */
export interface SiblingGroup extends SpanTotals {
  /** `group:` and the id of its first span: the same while spans are added. */
  readonly id: string
  readonly parentId: string
  readonly service: string
  readonly op: string | null
  /** The name of all members, else their name without values. */
  readonly name: string
  /** In order of their start. */
  readonly memberIds: readonly string[]
  /** The earliest start and the latest end of a member. */
  readonly startUs: number
  readonly endUs: number
  /** At least five calls of a database follow each other without overlapping. */
  readonly isNPlusOne: boolean
}

/**
 * Groups three or more children of one span with the same service, op and name; ids, numbers and quoted texts in names do
 * not count. Members may have children. @returns parents before their children; of one parent by the first member's start
 */
export function siblingGroups<Span extends AnalysedSpan>(tree: TimeTree<Span>): readonly SiblingGroup[] {
  const groups: SiblingGroup[] = []
  const [services, ops] = [new Map<string, number>(), new Map<string | null, number>()]
  // Exact, because both are below 2^26.
  const kindOf = ({ service, op }: Span): number => numberOf(services, service) * 2 ** 26 + numberOf(ops, op)
  for (const node of tree.nodes) {
    const { span: parent } = node
    const children = tree.childrenOf(node)
    if (children.length < FEWEST_MEMBERS) continue
    const spans = children.map(({ span }) => span)
    // Normalising costs more than comparing.
    for (const alike of groupBy(spans, kindOf).values())
      if (alike.length >= FEWEST_MEMBERS)
        for (const members of groupBy(alike, ({ name }) => normaliseName(name)).values())
          if (members.length >= FEWEST_MEMBERS) groups.push(groupOf(parent.spanId, members))
  }
  return groups
}

function groupOf<Span extends AnalysedSpan>(parentId: string, members: readonly Span[]): SiblingGroup {
  const [first] = members
  if (first === undefined) throw new TypeError('a group needs a member')
  const { spanId, service, op, name, startUs } = first
  return {
    id: `group:${spanId}`,
    parentId,
    service,
    op,
    name: members.every((one) => one.name === name) ? name : normaliseName(name),
    memberIds: members.map((one) => one.spanId),
    startUs,
    endUs: members.reduce((latest, { endUs }) => Math.max(latest, endUs), first.endUs),
    ...totalsOf(members),
    isNPlusOne: /^db\b/.test(op ?? '') && longestRow(members) >= FEWEST_SEQUENTIAL,
  }
}

/** The most spans that follow each other without overlapping. @param spans in order of their start */
function longestRow(spans: readonly AnalysedSpan[]): number {
  let [longest, row, endUs] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const span of spans) {
    row = span.startUs >= endUs - ROUNDED_US ? row + 1 : 1
    endUs = span.endUs
    longest = Math.max(longest, row)
  }
  return longest
}
