import { isOfTheDsn, isPassing } from '../../lib/protocol/answer-status'
import type { Delivery } from '../../lib/wire/delivery'
import { plural } from './quantities'

export interface AnswerWords {
  /** The status, or why there is none. */
  readonly word: string
  readonly tone: 'good' | 'warn' | 'bad'
  /** What follows from it, in one sentence. */
  readonly means: string
}

/**
 * What upstream answered to a post, and what follows from it.
 * @param wasPosted false of a record that could not be read: nothing of it went out
 */
export function answerWords({ status, error }: Pick<Delivery, 'status' | 'error'>, wasPosted = true): AnswerWords {
  if (!wasPosted)
    return {
      word: error ?? 'not posted',
      tone: 'bad',
      means: 'Its bytes on disk are damaged, so that nothing could be posted: that is final.',
    }
  if (status === null)
    return { word: error ?? 'no answer', tone: 'warn', means: 'No answer came: it is posted again by itself.' }
  return { word: String(status), ...statusWords(status) }
}

function statusWords(status: number): Omit<AnswerWords, 'word'> {
  if (status >= 200 && status < 300) return { tone: 'good', means: 'Upstream took it.' }
  if (status === 429)
    return { tone: 'warn', means: 'Upstream limits what is in it: that is final, and upstream counts it.' }
  if (isPassing(status))
    return { tone: 'warn', means: 'Upstream cannot take it just now: it is posted again by itself.' }
  if (isOfTheDsn(status))
    return {
      tone: 'warn',
      means: 'Upstream refuses the DSN, and no envelope in particular: nothing is lost, it is tried once a minute.',
    }
  if (status >= 500)
    return {
      tone: 'bad',
      means: 'Upstream itself failed at it, and promised nothing: a person decides whether it is sent again.',
    }
  return { tone: 'bad', means: 'Upstream refused this envelope for what it is.' }
}

/** `1 try`, `3 tries` */
export const triesWords = (count: number): string => plural(count, 'try', 'tries')
