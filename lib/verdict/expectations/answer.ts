import type { Verdict } from '../verdict'

/**
 * What an expectation answers: the verdict, and the words for it either way. A matcher that is negated turns `pass` and
 * `fail` round; `incomplete` stays what it is.
 */
export interface Answer {
  readonly verdict: Verdict
  /** What is said where it is expected and does not hold, or could not be judged. Of several lines, safe to print. */
  readonly told: string
  /** What is said where it is expected not to hold, and holds. */
  readonly toldNot: string
}

/** Where boards are: `http://localhost:3000`; `null` where nobody serves them, and nothing is linked. */
export interface Boards {
  readonly appUrl: string | null
}

export const NO_BOARDS: Boards = { appUrl: null }
