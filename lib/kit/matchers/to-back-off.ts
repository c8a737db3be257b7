import { backsOff } from '../../verdict/expectations/back-off'
import { caseOf, judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

export async function toBackOff(this: MatcherState, received: unknown, category: string): Promise<MatcherResult> {
  const recording = recordingOf('toBackOff', received)
  const judge = async () => backsOff(await caseOf(recording), category, recording.boards)
  return resultOf(await judgeSettled(recording, 'fail', judge, { keepPages: true }), this)
}
