import { formatCount, formatSeconds, plural } from '../../lib/format'
import type { DeadLetterOrder, DeadLettersDone } from '../../lib/wire/delivery'
import { printable } from '../ui/printable'

type Do = DeadLetterOrder['do']

export const progressText = (does: Do, done: number, of: number | null): string =>
  `${does === 'send' ? 'Sending again' : 'Dropping'} …${of === null ? '' : ` ${formatCount(done)} of ${formatCount(of)}`}`

export const NOTHING_DONE: DeadLettersDone = { done: 0, limited: [] }

export function bothDone(one: DeadLettersDone, other: DeadLettersDone): DeadLettersDone {
  const limited = new Map(one.limited.map((entry) => [entry.category, entry]))
  for (const { category, seconds, many } of other.limited)
    limited.set(category, { category, seconds, many: many + (limited.get(category)?.many ?? 0) })
  return { done: one.done + other.done, limited: [...limited.values()] }
}

/** The result of an order, with the letters that were left: limited, handled by another person, or backlog full. */
export function doneText(does: Do, { done, limited }: DeadLettersDone, of: number | null): string {
  const left = limited.reduce((sum, { many }) => sum + many, 0)
  const isOfOthers = done > 0 || left === 0 || (of !== null && of > left)
  return [
    ...(isOfOthers ? [doneCountText(does, done, of === null ? null : of - left)] : []),
    ...limited.map(limitedText),
  ].join(' ')
}

/** Letters that were not sent because their category is limited and they would be cut. */
function limitedText({ category, seconds, many }: DeadLettersDone['limited'][number]): string {
  const [are, them] = many === 1 ? ['is', 'it'] : ['are', 'them']
  const limit = `${printable(category)} is limited for ${formatSeconds(seconds)} more`
  return `${plural(many, 'envelope')} ${are} not sent: ${limit}. Send ${them} after that.`
}

function doneCountText(does: Do, done: number, of: number | null): string {
  const what =
    does === 'send'
      ? `${plural(done, 'envelope')} became pending again. The attempts show the answers; those refused again return here.`
      : `${plural(done, 'envelope')} dropped.`
  const missed = of === null ? 0 : of - done
  if (missed <= 0) return what
  const why = does === 'send' ? ', or the backlog is full' : ''
  return `${what} ${formatCount(missed)} skipped: no longer ${missed === 1 ? 'a dead letter' : 'dead letters'}${why}.`
}

/** The confirmation of dropping. `count` is `null` for all, including those not loaded. */
export function dropText(count: number | null): {
  readonly goes: string
  readonly stays: string
  readonly warning: string
  readonly keep: string
} {
  const what = count === null ? 'All dead letters' : plural(count, 'dead letter')
  return {
    warning: `${what} will never reach upstream. ${count === 1 ? 'It counts' : 'They count'} as dropped.`,
    goes: `The ledger counts ${count === 1 ? 'it' : 'them'} as dropped by a person.`,
    stays:
      count === 1
        ? 'Its record stays readable until it is evicted.'
        : 'Their records stay readable until they are evicted.',
    keep: count === 1 ? 'Keep it' : 'Keep them',
  }
}

/** Up to this many are listed one by one. */
const MOST_NAMED = 5

/** The envelopes that an order sent again; empty when they are many, or when not all were sent. */
export function sentAgain(
  does: DeadLetterOrder['do'],
  orders: readonly DeadLetterOrder['which'][],
  { done }: Pick<DeadLettersDone, 'done'>,
): readonly number[] {
  const seqs = orders.flatMap((which) => (which === 'all' ? [] : which))
  return does === 'send' && done === seqs.length && seqs.length <= MOST_NAMED ? seqs : []
}

/** The text before and after the numbers of the sent envelopes. @param isOver all were posted since */
export function sentText(
  { length }: readonly number[],
  isOver: boolean,
): { readonly before: string; readonly after: string } {
  const one = length === 1
  return {
    before: one ? 'Envelope' : 'Envelopes',
    after: isOver
      ? one
        ? 'was posted again. Its page shows the answer.'
        : 'were posted again. Their pages show the answers.'
      : `${one ? 'is' : 'are'} pending again. If upstream refuses again, dead letters return here.`,
  }
}
