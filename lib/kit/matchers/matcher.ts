import type { Answer } from '../../verdict/expectations/answer'
import { paragraphs } from '../../verdict/expectations/explain'
import { CollectorError } from '../../wire/errors'
import { pause } from '../clock'
import { saying } from '../if-nothing-came'
import type { Recording } from '../recording'
import type { SettleOptions } from '../settle'

const NOT_JUDGED = 'this cannot be judged: '
/** So often it is looked whether anything came. */
const LOOK_AGAIN_MS = 25

/** What a runner says of the expectation that it asks for, as `this`. */
export interface MatcherState {
  readonly isNot?: boolean
}

/** What a runner is answered: with `.not` it fails where `pass` is true. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** An answer as runners take it. What could not be judged fails both ways. */
export function resultOf({ verdict, told, toldNot }: Answer, { isNot = false }: MatcherState): MatcherResult {
  if (verdict.verdict === 'incomplete') return { pass: isNot, message: () => told }
  const pass = verdict.verdict === 'pass'
  return { pass, message: () => (pass ? toldNot : told) }
}

/**
 * Looks for what is to be there, as long as a wait lasts and at once where it is: what a page tells of itself comes when it
 * has been idle. What is to be absent is judged when it is quiet.
 */
export function judgeFound(
  recording: Recording,
  { isNot = false }: MatcherState,
  judge: () => Answer | Promise<Answer>,
): Promise<Answer> {
  return isNot ? judgeSettled(recording, 'pass', judge) : recording.judging(judgeInTime(recording, judge))
}

async function judgeInTime(recording: Recording, judge: () => Answer | Promise<Answer>): Promise<Answer> {
  const { clock, evidence, waitMs, over } = recording
  const until = clock.now() + waitMs
  let read = evidence()
  let answer = await judgedBy(judge)
  while (answer.verdict.verdict !== 'pass' && clock.now() < until && over() === null) {
    await pause(clock, LOOK_AGAIN_MS)
    if (evidence() === read) continue
    read = evidence()
    answer = await judgedBy(judge)
  }
  // Its time is over: what is recorded by now is read, and nothing more is waited for.
  return answer.verdict.verdict === 'pass'
    ? answer
    : judgeQuiet(recording, 'pass', judge, { keepPages: true, quiet: 0 })
}

/**
 * Judges a recording, again and again where that may change the answer: at once, and when it is quiet. What is doubtful
 * because more may come, or because not all could be read, is incomplete.
 * @param certain the verdict that nothing can change that comes later: what was found is there, and what was lost is lost
 * @param settling the test's pages are closed first, for what they send while they close, unless it says otherwise
 */
export function judgeSettled(
  recording: Recording,
  certain: 'pass' | 'fail',
  judge: () => Answer | Promise<Answer>,
  settling: SettleOptions = { keepPages: false },
): Promise<Answer> {
  return recording.judging(judgeQuiet(recording, certain, judge, settling))
}

async function judgeQuiet(
  recording: Recording,
  certain: 'pass' | 'fail',
  judge: () => Answer | Promise<Answer>,
  settling: SettleOptions,
): Promise<Answer> {
  const atOnce = await judgedBy(judge)
  if (atOnce.verdict.verdict === certain) return atOnce
  const { settled, sentence } = await recording.settle(settling)
  // Of a collector that answered neither, a third answer is not waited for.
  const answer = !settled && atOnce.told.startsWith(NOT_JUDGED) ? atOnce : await judgedBy(judge)
  const doubts = [...new Set([...(settled ? [] : [sentence]), ...recording.gaps()])]
  if (doubts.length === 0 || answer.verdict.verdict === certain)
    return recording.evidence().envelopes.length > 0 ? answer : saying(answer, recording.ifNothingCame)
  const why = doubts.join('; ')
  // What it would be without the doubt is told all the same, where that is more than the same mishap.
  const says = answer.verdict.verdict !== 'pass' && !answer.told.startsWith(NOT_JUDGED)
  const also = says ? answer.told.split('\n') : []
  return {
    verdict: { verdict: 'incomplete', why },
    told: paragraphs([[`${NOT_JUDGED}${why}`], also]),
    toldNot: '',
  }
}

async function judgedBy(judge: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await judge()
  } catch (error) {
    if (!(error instanceof CollectorError)) throw error
    const why = error.message
    return { verdict: { verdict: 'incomplete', why }, told: `${NOT_JUDGED}${why}`, toldNot: '' }
  }
}
