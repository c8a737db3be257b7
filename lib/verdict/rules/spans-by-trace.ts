import type { Evidence, SeenSpan } from '../evidence/evidence'

/** Several rules ask the same of the same evidence, which never changes. */
const TRACES = new WeakMap<Evidence, readonly (readonly SeenSpan[])[]>()

/**
 * Spans that came on the path, those of one trace together, in the order in which they came. Ids are of their trace, so a
 * rule looks them up among a few dozen, and not among all that was recorded.
 */
export function spansByTrace(evidence: Evidence): readonly (readonly SeenSpan[])[] {
  const known = TRACES.get(evidence)
  if (known !== undefined) return known
  const traces = new Map<string, SeenSpan[]>()
  let lastTrace = ''
  let lastSpans: SeenSpan[] = []
  for (const span of evidence.spans) {
    if (span.copy) continue
    // A submission tells of one trace, nearly always.
    if (span.traceId !== lastTrace) {
      lastTrace = span.traceId
      lastSpans = traces.get(lastTrace) ?? []
      if (lastSpans.length === 0) traces.set(lastTrace, lastSpans)
    }
    lastSpans.push(span)
  }
  const told = [...traces.values()]
  TRACES.set(evidence, told)
  return told
}
