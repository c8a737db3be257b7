import type { DeadLetterOrder } from '../../../lib/wire/dead-letter'
import { formatCount, plural } from '../../words/quantities'

type Do = DeadLetterOrder['do']

/** How far an order is. */
export const progressWords = (does: Do, done: number, of: number | null): string =>
  `${does === 'send' ? 'Sending again' : 'Dropping'} …${of === null ? '' : ` ${formatCount(done)} of ${formatCount(of)}`}`

/**
 * What came of an order. Those that it was not done to are told: somebody else was there first, or what is owed has its
 * share of the disk.
 */
export function doneWords(does: Do, done: number, of: number | null): string {
  const what =
    does === 'send'
      ? `${plural(done, 'envelope')} ${done === 1 ? 'is' : 'are'} owed again. What upstream refuses once more comes back here.`
      : `${plural(done, 'envelope')} dropped.`
  const missed = of === null ? 0 : of - done
  if (missed <= 0) return what
  const why = does === 'send' ? ', or what is owed has its share of the disk' : ''
  return `${what} ${formatCount(missed)} ${missed === 1 ? 'was' : 'were'} left: no dead letter any more${why}.`
}

/** What goes and what stays when letters are dropped. `count` is `null` where all are meant, also those not shown. */
export function dropWords(count: number | null): {
  readonly goes: string
  readonly stays: string
  readonly warning: string
} {
  const what = count === null ? 'All dead letters' : plural(count, 'dead letter')
  return {
    warning: `${what} will never reach upstream. ${count === 1 ? 'It ends' : 'They end'} as dropped.`,
    goes: 'The ledger of losses counts them as lost by a person.',
    stays: 'Their records stay here and can be read, until they make room.',
  }
}
