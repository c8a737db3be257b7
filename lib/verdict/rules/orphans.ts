import { plural } from '../../format'
import type { SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, spanLabel } from './describe'
import { incompleteTraces, orSkipped, spansByTrace } from './group-spans'
import type { Rule } from './rule'

/**
 * Checks that the parent of each span below a segment was recorded. One sender creates all spans of a segment.
 * - The parent of a segment is not checked: its sender may be sampled out or record elsewhere, a cached page names an old
 *   server span, and an SDK without an open span sends an unused id.
 * - Streamed spans arrive before their parents and before their segment. Until the segment is recorded, a missing parent
 *   makes the verdict incomplete.
 * - A segment at the limit of the span recorder has orphans, because dropped spans may have been parents.
 * - Incomplete traces are skipped.
 * - A child without a parent id in a transaction is a child of the segment, as in Sentry.
 */
export const orphansRule: Rule = {
  id: 'orphans',
  title: 'Every span has its parent in the trace',
  why: 'A span without its parent is missing in the trace tree, and may be the reason for a slow page.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Look for code that drops spans: a beforeSend hook, ignoreSpans, a span limit. Client reports count dropped spans.',
  judge: (given) => {
    const cut = incompleteTraces(given)
    let leftOut = 0
    const findings: Finding[] = []
    let judged = 0
    let waiting: SeenSpan | null = null
    let waits = 0
    for (const spans of spansByTrace(given.evidence)) {
      if (cut.has(spans[0]?.traceId ?? '')) {
        leftOut += spans.length
        continue
      }
      const ids = new Set(spans.map(({ spanId }) => spanId))
      for (const span of spans) {
        const { isSegment, parentSpanId, segmentId } = span
        const isThere = isSegment || (parentSpanId !== null && ids.has(parentSpanId))
        if (!isThere && !(segmentId !== null && ids.has(segmentId))) {
          waits += 1
          waiting ??= span
          continue
        }
        judged += 1
        if (!isThere && parentSpanId !== null) findings.push(orphan(span, parentSpanId))
      }
    }
    if (findings.length === 0 && waiting !== null) return { verdict: 'incomplete', why: unfinished(waiting, waits) }
    return verdictOf(judged, findings, orSkipped('No span was recorded.', leftOut))
  },
}

const orphan = (span: SeenSpan, parentSpanId: string): Finding => ({
  about: spanLabel(span),
  at: atSpan(span),
  path: 'parent_span_id',
  actual: `${parentSpanId}, which is not in trace ${span.traceId}`,
  expected: 'the id of a span in the trace',
})

function unfinished(span: SeenSpan, waits: number): string {
  return `Parent and segment of ${plural(waits, 'span')} have not arrived yet; the first is ${spanLabel(span)} in trace ${span.traceId}.`
}
