import { formatCount, formatSeconds, plural } from '../../lib/format'
import type { DeadLetterOrder, DeadLettersDone } from '../../lib/wire/delivery'
import { printable } from '../ui/printable'

type Do = DeadLetterOrder['do']

/** How far an order is. */
export const progressText = (does: Do, done: number, of: number | null): string =>
  `${does === 'send' ? 'Sending again' : 'Dropping'} …${of === null ? '' : ` ${formatCount(done)} of ${formatCount(of)}`}`

export const NOTHING_DONE: DeadLettersDone = { done: 0, limited: [] }

/** What came of two orders together. */
export function bothDone(one: DeadLettersDone, other: DeadLettersDone): DeadLettersDone {
  const limited = new Map(one.limited.map((entry) => [entry.category, entry]))
  for (const { category, seconds, many } of other.limited)
    limited.set(category, { category, seconds, many: many + (limited.get(category)?.many ?? 0) })
  return { done: one.done + other.done, limited: [...limited.values()] }
}

/**
 * What came of an order. Those that it was not done to are told: they are limited just now, somebody else was there
 * first, or what is pending has its share of the disk.
 */
export function doneText(does: Do, { done, limited }: DeadLettersDone, of: number | null): string {
  const left = limited.reduce((sum, { many }) => sum + many, 0)
  const isOfOthers = done > 0 || left === 0 || (of !== null && of > left)
  return [
    ...(isOfOthers ? [doneCountText(does, done, of === null ? null : of - left)] : []),
    ...limited.map(limitedText),
  ].join(' ')
}

/** Where a category is limited just now: what is sent would be cut, and is not. */
function limitedText({ category, seconds, many }: DeadLettersDone['limited'][number]): string {
  const [are, them] = many === 1 ? ['is', 'it'] : ['are', 'them']
  const limit = `${printable(category)} is limited for ${formatSeconds(seconds)} more`
  return `${plural(many, 'envelope')} ${are} left here: ${limit}; send ${them} after that.`
}

function doneCountText(does: Do, done: number, of: number | null): string {
  const what =
    does === 'send'
      ? `${plural(done, 'envelope')} ${done === 1 ? 'is' : 'are'} pending again. What upstream refuses once more comes back here.`
      : `${plural(done, 'envelope')} dropped.`
  const missed = of === null ? 0 : of - done
  if (missed <= 0) return what
  const why = does === 'send' ? ', or what is pending has its share of the disk' : ''
  return `${what} ${formatCount(missed)} ${missed === 1 ? 'was' : 'were'} left: no dead letter any more${why}.`
}

/** What goes and what stays when letters are dropped. `count` is `null` where all are meant, also those not shown. */
export function dropText(count: number | null): {
  readonly goes: string
  readonly stays: string
  readonly warning: string
  readonly keep: string
} {
  const what = count === null ? 'All dead letters' : plural(count, 'dead letter')
  return {
    warning: `${what} will never reach upstream. ${count === 1 ? 'It ends' : 'They end'} as dropped.`,
    goes: `The ledger of losses counts ${count === 1 ? 'it' : 'them'} as lost by a person.`,
    stays:
      count === 1
        ? 'Its record stays here and can be read, until it makes room.'
        : 'Their records stay here and can be read, until they make room.',
    keep: count === 1 ? 'Keep it' : 'Keep them',
  }
}

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
export function sentText(
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
