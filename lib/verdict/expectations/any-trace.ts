import type { Evidence } from '../evidence/evidence'
import type { ExpectationResult } from '../verdict'
import { arrivedLines, paragraphs } from './explain'
import { type Trace, tracesOf, unfinishedReason } from './trace'

/**
 * Judges each trace until one passes. Traces with errors only are left out if others have spans.
 * @param judge judges one trace
 * @param explain creates the message if no trace passes
 * @returns the first pass, else the verdict of an incomplete trace (it may still contain the expected spans), else the
 * first verdict; incomplete if there is no trace
 */
export function judgeAnyTrace<One extends ExpectationResult>(
  evidence: Evidence,
  judge: (trace: Trace) => One,
  explain: (answers: readonly [One, ...One[]]) => string,
): ExpectationResult {
  const traces = tracesOf(evidence)
  const withSpans = traces.filter((trace) => trace.spans.length > 0 || unfinishedReason(trace) !== null)
  const answers: One[] = []
  for (const trace of withSpans.length > 0 ? withSpans : traces) {
    const answer = judge(trace)
    if (answer.verdict.verdict === 'pass') return answer
    answers.push(answer)
  }
  const [first, ...rest] = answers
  if (first === undefined) {
    const why = 'no trace was recorded'
    const message = paragraphs([[why], arrivedLines(evidence)])
    return { verdict: { verdict: 'incomplete', why }, message, negatedMessage: '' }
  }
  const { verdict } = answers.find((one) => one.verdict.verdict === 'incomplete') ?? first
  return { verdict, message: explain([first, ...rest]), negatedMessage: '' }
}

/** The answer that matched the longest part of a pattern; of several, the first. */
export const nearestMatch = <One extends { readonly matched: readonly unknown[] }>([first, ...rest]: readonly [
  One,
  ...One[],
]): One => rest.reduce((one, other) => (other.matched.length > one.matched.length ? other : one), first)
