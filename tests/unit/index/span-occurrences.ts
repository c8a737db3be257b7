import { traverseRecord } from '../../../collector/index/traverse-record'
import type { SubmissionRow } from '../../../collector/spool/read/read-submissions'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { SegmentSpan } from '../../../lib/protocol/trace/segment'
import type { Source } from '../../../lib/protocol/traversal/rows'

export interface Occurrence {
  readonly span: SegmentSpan
  readonly position: number
  readonly source: Source
}

/** All spans in the records, by the whole traversal; none from an unreadable record. */
export function occurrencesIn(records: readonly SubmissionRow[]): readonly Occurrence[] {
  const ignore = (): void => undefined
  return records.flatMap((record) => {
    const occurrences: Occurrence[] = []
    const span = (...[one, position, source]: [SegmentSpan, number, Source]) =>
      occurrences.push({ span: one, position, source })
    try {
      traverseRecord(
        record,
        { envelope: ignore, item: ignore, segment: ignore, event: ignore, signal: ignore, span },
        0,
        SIZE_LIMITS,
      )
      return occurrences
    } catch {
      return []
    }
  })
}

/** The shown occurrence of each span: relayed before copies, the later end, then the later position in the record. */
export function shownOf(occurrences: readonly Occurrence[]): readonly Occurrence[] {
  const best = [...occurrences].sort(
    (a, b) =>
      Number(a.source.copy) - Number(b.source.copy) ||
      b.span.endUs - a.span.endUs ||
      b.source.seq - a.source.seq ||
      b.source.item - a.source.item ||
      b.position - a.position,
  )
  const first = new Map<string, Occurrence>()
  for (const one of best) {
    const key = `${one.span.traceId}/${one.span.spanId}`
    if (!first.has(key)) first.set(key, one)
  }
  return [...first.values()]
}
