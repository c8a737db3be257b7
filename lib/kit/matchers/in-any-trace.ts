import type { Answer } from '../../verdict/expectations/answer'
import { elseLines, paragraphs } from '../../verdict/expectations/explain'
import { type Trace, tracesOf, whyUnfinished } from '../../verdict/expectations/trace'
import { saying } from '../if-nothing-came'
import type { Recording } from '../recording'

/**
 * Judges each trace of a recording, up to the first that has it: what is looked for may be in any of them.
 * @param words are told where none has it, and made once
 */
export function inAnyTrace<Told extends Answer>(
  recording: Recording,
  judge: (trace: Trace) => Told,
  words: (answers: readonly [Told, ...Told[]]) => string,
): Answer {
  const evidence = recording.evidence()
  const traces = tracesOf(evidence)
  const hint = evidence.spans.length > 0 ? null : recording.ifNothingCame
  // One that an error alone tells of makes nothing unsure that others tell of.
  const telling = traces.filter((trace) => trace.spans.length > 0 || whyUnfinished(trace) !== null)
  const answers: Told[] = []
  for (const trace of telling.length > 0 ? telling : traces) {
    const answer = judge(trace)
    if (answer.verdict.verdict === 'pass') return answer
    answers.push(answer)
  }
  const [first, ...rest] = answers
  if (first === undefined) {
    const why = 'no trace was recorded'
    const told = paragraphs([[why], elseLines(evidence)])
    return saying({ verdict: { verdict: 'incomplete', why }, told, toldNot: '' }, hint)
  }
  // One that is not whole may have it still.
  const { verdict } = answers.find((one) => one.verdict.verdict === 'incomplete') ?? first
  return saying({ verdict, told: words([first, ...rest]), toldNot: '' }, hint)
}
