import type { DeadLetterOrder, DeadLettersDone } from '../../lib/wire/dead-letter'

/** More than these are told as a number. */
const MOST_NAMED = 5

/** The envelopes that an order sent again, where they are few and it is known which: an order tells only how many. */
export function sentAgain(
  does: DeadLetterOrder['do'],
  orders: readonly DeadLetterOrder['which'][],
  { done }: Pick<DeadLettersDone, 'done'>,
): readonly number[] {
  const seqs = orders.flatMap((which) => (which === 'all' ? [] : which))
  return does === 'send' && done === seqs.length && seqs.length <= MOST_NAMED ? seqs : []
}

/** What stands before the numbers of what was sent again, and behind them. @param isOver all were posted since */
export function sentWords(
  { length }: readonly number[],
  isOver: boolean,
): { readonly before: string; readonly after: string } {
  const one = length === 1
  return {
    before: one ? 'Envelope' : 'Envelopes',
    after: isOver
      ? one
        ? 'was posted again: its page says what came of it.'
        : 'were posted again: their pages say what came of them.'
      : `${one ? 'is' : 'are'} pending again. What upstream refuses once more comes back here.`,
  }
}
