import type { Verdict } from '../../lib/verdict/verdict'

/** Exit codes of a verdict. */
export const VERDICT_EXIT_CODES = { pass: 0, fail: 1, incomplete: 3 } as const satisfies Readonly<
  Record<Verdict['verdict'], number>
>
/** A wrong argument or setting. */
export const USAGE_ERROR = 2
/** No collector answers, or there is no recording: nothing could be judged. */
export const NO_COLLECTOR = VERDICT_EXIT_CODES.incomplete
