import { limitAppliesTo } from '../../lib/protocol/rate-limits'
import type { DeadLetterOrder, DeadLettersDone } from '../../lib/wire/delivery'
import type { DeadItems, Spool } from '../spool/spool'
import type { RateLimits } from './running-limits'

/** Dead letters in one transaction: a person who waits for another answer must not wait for all of them. */
const BATCH = 500

interface DeadLetterParts {
  readonly spool: Pick<Spool, 'requeueDeadLetters' | 'dropDeadLetters' | 'deadSeqs' | 'deadItems'>
  readonly rateLimits: Pick<RateLimits, 'active' | 'activeFor'>
  readonly now: () => number
}

/**
 * By order of a person. `all` means those that exist now: one that is refused again is not sent twice. One with a
 * limited item is not sent: that item would be cut for good. @returns how many were ordered.
 */
export async function orderDeadLetters(parts: DeadLetterParts, order: DeadLetterOrder): Promise<DeadLettersDone> {
  const { spool } = parts
  const seqs = order.which === 'all' ? await spool.deadSeqs() : order.which
  const totals = new Map<string, { readonly seconds: number; readonly many: number }>()
  let done = 0
  for (let at = 0; at < seqs.length; at += BATCH) {
    const batch = seqs.slice(at, at + BATCH)
    if (order.do === 'drop') {
      done += await spool.dropDeadLetters(batch)
      continue
    }
    const limited = await limitedAmong(parts, batch)
    for (const { category, seconds } of limited.values()) {
      const before = totals.get(category) ?? { seconds: 0, many: 0 }
      totals.set(category, { seconds: Math.max(before.seconds, seconds), many: before.many + 1 })
    }
    const sendable = batch.filter((seq) => !limited.has(seq))
    if (sendable.length > 0) done += (await spool.requeueDeadLetters(sendable)).length
  }
  const limited = [...totals].map(([category, total]) => ({ category, ...total }))
  return { done, limited: limited.sort((one, other) => other.seconds - one.seconds) }
}

interface LimitedCategory {
  readonly category: string
  readonly seconds: number
}

/** The dead letters that have a limited item, with the category that is limited longest. Reads nothing without limits. */
async function limitedAmong(
  parts: DeadLetterParts,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, LimitedCategory>> {
  if (parts.rateLimits.active().length === 0) return new Map()
  const letters = await parts.spool.deadItems(seqs)
  return new Map(
    letters.flatMap((letter) => {
      const limited = longestLimit(parts, letter)
      return limited === null ? [] : [[letter.seq, limited]]
    }),
  )
}

function longestLimit({ rateLimits, now }: DeadLetterParts, letter: DeadItems): LimitedCategory | null {
  const active = rateLimits.activeFor(letter.publicKey, letter.project)
  const ends = letter.categories.flatMap((category) => {
    const untils = active.filter((limit) => limitAppliesTo(limit.category, category)).map(({ until }) => until)
    return untils.length === 0 ? [] : [{ category, until: Math.max(...untils) }]
  })
  const [last] = ends.sort((one, other) => other.until - one.until)
  if (last === undefined) return null
  return { category: last.category, seconds: Math.max(1, Math.ceil((last.until - now()) / 1000)) }
}
