import type { Answer } from '../../expectations/answer'
import { elseLines, paragraphs } from '../../expectations/explain'
import { type Trace, tracesOf, whyUnfinished } from '../../expectations/trace'
import type { Recording } from '../recording'

/**
 * Judges each trace of a recording: what is looked for may be in any of them.
 * @param nearest picks whose words are told where none has it
 */
export function inAnyTrace<Told extends Answer>(
  recording: Recording,
  judge: (trace: Trace) => Told,
  nearest: (one: Told, other: Told) => Told,
): Answer {
  const evidence = recording.evidence()
  const traces = tracesOf(evidence)
  // One that an error alone tells of makes nothing unsure that others tell of.
  const telling = traces.filter((trace) => trace.spans.length > 0 || whyUnfinished(trace) !== null)
  const answers = (telling.length > 0 ? telling : traces).map(judge)
  const [first, ...rest] = answers
  if (first === undefined) {
    const why = 'no trace was recorded'
    return { verdict: { verdict: 'incomplete', why }, told: paragraphs([[why], elseLines(evidence)]), toldNot: '' }
  }
  const found = answers.find(({ verdict }) => verdict.verdict === 'pass')
  if (found !== undefined) return found
  const { told } = rest.reduce(nearest, first)
  // One that is not whole may have it still.
  const unsure = answers.find(({ verdict }) => verdict.verdict === 'incomplete')
  return { ...(unsure ?? first), told }
}
