import { leaksNothing } from '../../expectations/leaks'
import { caseOf } from '../case-of'
import { judgeSettled, type MatcherResult, type MatcherState, resultOf } from './matcher'
import { recordingOf } from './received'

/** Is no secret in anything that was sent? The failure says where and what kind, never the value. */
export async function toLeakNothing(this: MatcherState, received: unknown): Promise<MatcherResult> {
  const recording = recordingOf('toLeakNothing', received)
  const judge = async () => leaksNothing(await caseOf(recording), recording.boards)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}
