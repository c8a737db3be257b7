import { type AllowedError, checkAllowed, unexpectedErrors } from '../../verdict/expectations/unexpected-errors'
import { checkNames } from '../check-options'
import { judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

export interface ErrorsOptions {
  /** Allowed errors: a part of the title, a regular expression for it, or an entry with end date and reason. */
  readonly allow?: readonly (string | RegExp | AllowedError)[]
}

export async function toHaveNoUnexpectedErrors(
  this: MatcherState,
  received: unknown,
  options: ErrorsOptions = {},
): Promise<MatcherResult> {
  const recording = recordingOf('toHaveNoUnexpectedErrors', received)
  checkNames('toHaveNoUnexpectedErrors', options, ['allow'])
  const allow = allowedOf(options)
  for (const entry of allow) checkAllowed(entry)
  recording.reportAllowed(allow)
  const all = [...allow, ...recording.allowed()]
  const judge = () =>
    unexpectedErrors(recording.evidence(), { allow: all, now: recording.clock.today() }, recording.boards)
  const answer = await judgeSettled(recording, 'fail', judge)
  if (this.isNot) return resultOf(answer, this)
  const hints = await recording.trackExpectation(recording.errorHints(answer.verdict))
  return resultOf({ ...answer, message: [answer.message, ...hints].join('\n\n') }, this)
}

function allowedOf({ allow = [] }: ErrorsOptions): readonly AllowedError[] {
  if (!Array.isArray(allow))
    throw new TypeError("toHaveNoUnexpectedErrors: allow must be a list such as ['ResizeObserver', /^Abort/]")
  return allow.map((entry) => (typeof entry === 'string' || entry instanceof RegExp ? { error: entry } : entry))
}
