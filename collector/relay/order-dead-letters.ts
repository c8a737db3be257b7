import { takes } from '../../lib/protocol/upstream-answer'
import type { DeadLetterOrder, DeadLettersDone } from '../../lib/wire/dead-letter'
import type { DeadItems } from '../index/read-dead-letters'
import type { Reader } from '../index/reader'
import type { Spool } from '../spool/spool'
import type { RateLimits } from './limits'

/** So many in one transaction, so that whoever waits for an answer does not wait for all of them. */
const TOGETHER = 500

export interface DeadLetterParts {
  readonly spool: Pick<Spool, 'sendAgain' | 'drop'>
  readonly reader: Pick<Reader, 'deadSeqs' | 'deadItems'>
  readonly limits: Pick<RateLimits, 'active' | 'activeFor'>
  /** ms since the epoch. */
  readonly now: () => number
}

/**
 * A person sends dead letters again, or drops them. `all` are those there are now: one that is refused again meanwhile
 * is not sent a second time. One of which anything is limited just now is not sent: that would be cut, and final.
 * @returns how many; who is no dead letter any more is passed over, and who does not fit into what may be pending stays.
 */
export async function orderDeadLetters(parts: DeadLetterParts, order: DeadLetterOrder): Promise<DeadLettersDone> {
  const { spool, reader } = parts
  const seqs = order.which === 'all' ? await reader.deadSeqs() : order.which
  const limited = new Map<string, { readonly seconds: number; readonly many: number }>()
  let done = 0
  for (let at = 0; at < seqs.length; at += TOGETHER) {
    const next = seqs.slice(at, at + TOGETHER)
    if (order.do === 'drop') {
      done += await spool.drop(next)
      continue
    }
    const held = await limitedAmong(parts, next)
    for (const { category, seconds } of held.values()) {
      const before = limited.get(category) ?? { seconds: 0, many: 0 }
      limited.set(category, { seconds: Math.max(before.seconds, seconds), many: before.many + 1 })
    }
    const free = next.filter((seq) => !held.has(seq))
    if (free.length > 0) done += (await spool.sendAgain(free)).length
  }
  const told = [...limited].map(([category, of]) => ({ category, ...of }))
  return { done, limited: told.sort((one, other) => other.seconds - one.seconds) }
}

interface LimitedCategory {
  readonly category: string
  readonly seconds: number
}

/** Which of these dead letters have something that is limited just now. Where nothing is, nothing is read. */
async function limitedAmong(
  parts: DeadLetterParts,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, LimitedCategory>> {
  if (parts.limits.active().length === 0) return new Map()
  const letters = await parts.reader.deadItems(seqs)
  return new Map(
    letters.flatMap((letter) => {
      const limited = longestOf(parts, letter)
      return limited === null ? [] : [[letter.seq, limited]]
    }),
  )
}

/** Of its categories the one that is limited longest, of its own key and project; `null` where none is. */
function longestOf({ limits, now }: DeadLetterParts, letter: DeadItems): LimitedCategory | null {
  const running = limits.activeFor(letter.publicKey, letter.project)
  const ends = letter.categories.flatMap((category) => {
    const taking = running.filter((limit) => takes(limit.category, category)).map(({ until }) => until)
    return taking.length === 0 ? [] : [{ category, until: Math.max(...taking) }]
  })
  const [last] = ends.sort((one, other) => other.until - one.until)
  if (last === undefined) return null
  // Whatever runs does so for a second at least.
  return { category: last.category, seconds: Math.max(1, Math.ceil((last.until - now()) / 1000)) }
}
