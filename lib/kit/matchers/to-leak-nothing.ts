import { leaksNothing } from '../../verdict/expectations/leaks'
import { caseOf } from '../case-of'
import { checkNames } from '../check-names'
import { judgeSettled, type MatcherResult, type MatcherState, resultOf } from './matcher'
import { recordingOf } from './received'

/** Is no secret in anything that was sent? The failure says where and what kind, never the value. */
export async function toLeakNothing(
  this: MatcherState,
  received: unknown,
  ...options: readonly unknown[]
): Promise<MatcherResult> {
  checkNames('toLeakNothing', options[0], [])
  const recording = recordingOf('toLeakNothing', received)
  const judge = async () => leaksNothing(await caseOf(recording), recording.boards)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}
