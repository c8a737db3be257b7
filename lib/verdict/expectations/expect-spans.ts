import type { Evidence, SeenSpan } from '../evidence/evidence'
import { truncate } from '../text'
import type { Boards } from '../verdict'
import { judgeAnyTrace, nearestMatch } from './any-trace'
import { itemLabel } from './kinds'
import { matchSpanTree } from './span-tree'

/** A span of the match, or of the matched beginning of the pattern; outermost first. */
interface MatchedSpan {
  readonly label: string
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  readonly seq: number
  readonly item: number
}

export interface ExpectedSpans {
  /** `nothing recorded`: no envelope, or only copies, so that nothing could be judged. */
  readonly answer: 'match' | 'no match' | 'nothing recorded'
  readonly matched: readonly MatchedSpan[]
  /** The nearest miss in several lines, safe to print; empty for a match. */
  readonly message: string
}

/**
 * Searches all traces for a span tree. An incomplete trace without it is no match: more may arrive, so search again.
 * @param pattern see `PatternStep` for the grammar
 * @throws TypeError for an invalid pattern
 */
export function expectSpans(evidence: Evidence, pattern: string, boards: Boards): ExpectedSpans {
  let matched: readonly SeenSpan[] = []
  const { verdict, message } = judgeAnyTrace(
    evidence,
    (trace) => {
      const answer = matchSpanTree(trace, pattern, boards)
      if (answer.verdict.verdict === 'pass') matched = answer.matched
      return answer
    },
    (answers) => {
      const nearest = nearestMatch(answers)
      matched = nearest.matched
      return nearest.message
    },
  )
  if (verdict.verdict === 'pass') return { answer: 'match', matched: matched.map(matchedSpan), message: '' }
  const isEmpty = evidence.items.every(({ copy }) => copy)
  return { answer: isEmpty ? 'nothing recorded' : 'no match', matched: matched.map(matchedSpan), message }
}

const matchedSpan = (span: SeenSpan): MatchedSpan => ({
  label: itemLabel('span', span),
  service: truncate(span.service),
  traceId: span.traceId,
  spanId: span.spanId,
  seq: span.seq,
  item: span.item,
})
