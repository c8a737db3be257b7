import type { Answer } from '../../expectations/answer'
import { paragraphs } from '../../expectations/explain'
import { CollectorError } from '../../wire/collector-error'
import type { Recording } from '../recording'

const NOT_JUDGED = 'this cannot be judged: '

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
 * Judges a recording, again and again where that may change the answer: at once, and when it is quiet. What is doubtful
 * because more may come, or because not all could be read, is incomplete.
 * @param certain the verdict that nothing can change that comes later: what was found is there, and what was lost is lost
 * @param keepPages the test goes on with its pages; else they are closed first, for what they send while they close
 */
export async function judgeSettled(
  recording: Recording,
  certain: 'pass' | 'fail',
  judge: () => Answer | Promise<Answer>,
  keepPages = false,
): Promise<Answer> {
  const atOnce = await judgedBy(judge)
  if (atOnce.verdict.verdict === certain) return atOnce
  const { settled, sentence } = await recording.settle({ keepPages })
  // Of a collector that answered neither, a third answer is not waited for.
  const answer = !settled && atOnce.told.startsWith(NOT_JUDGED) ? atOnce : await judgedBy(judge)
  const doubts = [...new Set([...(settled ? [] : [sentence]), ...recording.gaps()])]
  if (doubts.length === 0 || answer.verdict.verdict === certain) return answer
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
