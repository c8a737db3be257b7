import type { SeenSpan } from '../evidence/evidence'
import { type Finding, verdictOf } from '../verdict'
import { atSpan, spanWords } from './describe'
import { cutTraces, orCut, spansByTrace } from './group-spans'
import type { Rule } from './rule'

/**
 * Judged from the spans below a segment: one sender made them all, so the parent that each names is a span of that trace.
 *
 * - A segment's own parent is not looked for. It is of another sender, which may be sampled out or record elsewhere; a page
 *   that was cached names the server's span of long ago; and an SDK that has no span open sends an id that no span has.
 * - Streamed spans come before their parents, and before their segment. As long as the segment is not recorded, a parent may
 *   still come: that is incomplete.
 * - A segment that was cut at the most spans that a recorder holds has orphans, too: the cut ones may have been parents.
 * - A streamed trace of which a part may not be in the evidence is not judged.
 * - A child that names no parent in a transaction hangs from its segment, as Sentry takes it.
 */
export const orphansRule: Rule = {
  id: 'orphans',
  title: 'Every span hangs from one of its trace',
  why: 'A span without its parent falls out of the tree, and with it the reason why the page was slow.',
  setting: null,
  judgedFrom: ['telemetry'],
  severity: 'warning',
  fix: 'Look for what throws spans away on the way: a beforeSend hook, ignoreSpans, a limit of spans; a client report counts them.',
  judge: (given) => {
    const cut = cutTraces(given)
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
    return verdictOf(judged, findings, orCut('No span was recorded.', leftOut))
  },
}

const orphan = (span: SeenSpan, parentSpanId: string): Finding => ({
  about: spanWords(span),
  at: atSpan(span),
  path: 'parent_span_id',
  actual: `${parentSpanId}, which is no span of trace ${span.traceId}`,
  expected: 'a span of its trace',
})

function unfinished(span: SeenSpan, waits: number): string {
  const spans = waits === 1 ? 'One span waits' : `${waits} spans wait`
  return `${spans} for parent and segment, the first ${spanWords(span)} of trace ${span.traceId}: nobody can tell yet whether they come.`
}
