import type { SeenSpan } from '../../verdict/evidence/evidence'
import type { Criteria } from '../../verdict/expectations/criteria'
import { explainMissing } from '../../verdict/expectations/explain'
import { findSpan } from '../../verdict/expectations/find-span'
import { checkCriteriaFor } from '../../verdict/expectations/kinds'
import { boardsOf, withTraceHint } from '../item-context'
import {
  inAnyTrace,
  isTrace,
  judgeFound,
  type MatcherResult,
  type MatcherState,
  recordingOf,
  resultOf,
} from './matcher'

export function toHaveSpan(
  this: MatcherState,
  received: unknown,
  criteria: Criteria<SeenSpan>,
): MatcherResult | Promise<MatcherResult> {
  checkCriteriaFor('span', criteria)
  if (isTrace(received))
    return resultOf(withTraceHint(received, findSpan(received, criteria, boardsOf(received))), this)
  const recording = recordingOf('toHaveSpan', received, 'a trace (await telemetry.trace(…)) or a recording (telemetry)')
  const { boards } = recording
  const ofAll = () => explainMissing({ kind: 'span', criteria, evidence: recording.evidence(), waitedMs: null }, boards)
  const judge = () =>
    inAnyTrace(
      recording,
      (trace) => findSpan(trace, criteria, boards),
      ([first, ...rest]) => (rest.length === 0 ? first.message : ofAll()),
    )
  return judgeFound(recording, this, judge).then((answer) => resultOf(answer, this))
}
