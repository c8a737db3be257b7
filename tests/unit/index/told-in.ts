import { type SpoolRecord, traverseRecord } from '../../../collector/index/traverse-record'
import { LIMITS } from '../../../lib/protocol/limits'
import type { SegmentSpan } from '../../../lib/protocol/trace/segment'
import type { Source } from '../../../lib/protocol/traversal/rows'

export interface Told {
  readonly span: SegmentSpan
  readonly position: number
  readonly source: Source
}

/** All that records tell of spans, found by the whole walk; a record that cannot be read tells nothing. */
export function toldIn(records: readonly SpoolRecord[]): readonly Told[] {
  const nothing = (): void => undefined
  return records.flatMap((record) => {
    const told: Told[] = []
    const span = (...[one, position, source]: [SegmentSpan, number, Source]) =>
      told.push({ span: one, position, source })
    try {
      traverseRecord(
        record,
        { envelope: nothing, item: nothing, segment: nothing, event: nothing, signal: nothing, span },
        0,
        LIMITS,
      )
      return told
    } catch {
      return []
    }
  })
}

/** Of each span the telling that is shown: path before copy, the later end, then the later place in the record. */
export function shownOf(told: readonly Told[]): readonly Told[] {
  const best = [...told].sort(
    (a, b) =>
      Number(a.source.copy) - Number(b.source.copy) ||
      b.span.endUs - a.span.endUs ||
      b.source.seq - a.source.seq ||
      b.source.item - a.source.item ||
      b.position - a.position,
  )
  const first = new Map<string, Told>()
  for (const one of best) {
    const key = `${one.span.traceId}/${one.span.spanId}`
    if (!first.has(key)) first.set(key, one)
  }
  return [...first.values()]
}
