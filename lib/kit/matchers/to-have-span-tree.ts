import { nearestMatch } from '../../verdict/expectations/any-trace'
import { hasMaximum, parseSpanPattern } from '../../verdict/expectations/span-pattern'
import { matchSpanTree } from '../../verdict/expectations/span-tree'
import { boardsOf, withTraceHint } from '../item-context'
import {
  inAnyTrace,
  isTrace,
  judgeFound,
  judgeSettled,
  type MatcherResult,
  type MatcherState,
  recordingOf,
  resultOf,
} from './matcher'

export function toHaveSpanTree(
  this: MatcherState,
  received: unknown,
  pattern: string,
): MatcherResult | Promise<MatcherResult> {
  const steps = parseSpanPattern(pattern)
  if (isTrace(received))
    return resultOf(withTraceHint(received, matchSpanTree(received, pattern, boardsOf(received))), this)
  const meant = 'a trace (await telemetry.trace(…)) or a recording (telemetry)'
  const recording = recordingOf('toHaveSpanTree', received, meant)
  const judge = () =>
    inAnyTrace(
      recording,
      (trace) => matchSpanTree(trace, pattern, recording.boards),
      (answers) => nearestMatch(answers).message,
    )
  // A later span may exceed a maximum.
  const answered = hasMaximum(steps) ? judgeSettled(recording, null, judge) : judgeFound(recording, this, judge)
  return answered.then((answer) => resultOf(answer, this))
}
