import { type AllowedError, checkAllowed, unexpectedErrors } from '../../verdict/expectations/unexpected-errors'
import { checkNames } from '../check-options'
import { judgeSettled, type MatcherResult, type MatcherState, recordingOf, resultOf } from './matcher'

export interface ErrorsOptions {
  /** Errors that are known: a text or a regular expression of the title, or a list with until when and why. */
  readonly allow?: readonly (string | RegExp | AllowedError)[]
}

/** Did no error arrive that nobody allows? @throws TypeError where an argument is wrong */
export async function toHaveNoUnexpectedErrors(
  this: MatcherState,
  received: unknown,
  options: ErrorsOptions = {},
): Promise<MatcherResult> {
  const recording = recordingOf('toHaveNoUnexpectedErrors', received)
  checkNames('toHaveNoUnexpectedErrors', options, ['allow'])
  const allow = allowedOf(options)
  for (const entry of allow) checkAllowed(entry)
  const all = [...allow, ...(recording.allowed?.() ?? [])]
  const judge = () =>
    unexpectedErrors(recording.evidence(), { allow: all, now: recording.clock.today() }, recording.boards)
  return resultOf(await judgeSettled(recording, 'fail', judge), this)
}

function allowedOf({ allow = [] }: ErrorsOptions): readonly AllowedError[] {
  if (!Array.isArray(allow))
    throw new TypeError("toHaveNoUnexpectedErrors: allow is meant as a list: allow: ['ResizeObserver', /^Abort/]")
  return allow.map((entry) => (typeof entry === 'string' || entry instanceof RegExp ? { error: entry } : entry))
}
