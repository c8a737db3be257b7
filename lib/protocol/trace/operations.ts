import { groupBy } from '../../group-by'
import { normaliseName } from './span-name'
import { type SpanTotals, totalsOf } from './span-totals'
import type { AnalysedSpan } from './time-tree'

/** All spans of a trace with one service, op and normalised name. */
export interface Operation extends SpanTotals {
  /** Identifies the row while spans are added. */
  readonly key: string
  readonly service: string
  readonly op: string | null
  /** The name without ids, numbers and quoted texts. */
  readonly name: string
  /** In the order of the given spans. */
  readonly spanIds: readonly string[]
  /** The sum of the times in which no child runs, in µs. */
  readonly selfUs: number
}

/** The key of the operation to which a span belongs. */
export const operationKey = ({ service, op, name }: Pick<AnalysedSpan, 'service' | 'op' | 'name'>): string =>
  `${service}\n${op ?? ''}\n${normaliseName(name)}`

/** The table by operation, the longest self time first. @param selfUs self times by span id, see `selfTimes` */
export function operationsOf(spans: Iterable<AnalysedSpan>, selfUs: ReadonlyMap<string, number>): readonly Operation[] {
  const operations: Operation[] = []
  for (const [key, alike] of groupBy(spans, operationKey)) {
    const [first] = alike
    if (first === undefined) continue
    const { service, op } = first
    const spanIds = alike.map(({ spanId }) => spanId)
    const own = spanIds.reduce((sum, id) => sum + (selfUs.get(id) ?? 0), 0)
    operations.push({ key, service, op, name: normaliseName(first.name), ...totalsOf(alike), spanIds, selfUs: own })
  }
  return operations.sort((a, b) => b.selfUs - a.selfUs)
}
