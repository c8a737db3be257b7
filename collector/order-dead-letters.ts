import type { DeadLetterOrder } from '../lib/wire/dead-letter'
import type { Spool } from './spool/spool'
import type { Reader } from './store/reader'

/** So many in one transaction, so that whoever waits for an answer does not wait for all of them. */
const TOGETHER = 500

/**
 * A person sends dead letters again, or drops them. `all` are those there are now: one that is refused again meanwhile
 * is not sent a second time.
 * @returns how many; who is no dead letter any more is passed over, and who does not fit into what may be owed stays.
 */
export async function orderDeadLetters(
  parts: { readonly spool: Pick<Spool, 'sendAgain' | 'drop'>; readonly reader: Pick<Reader, 'deadSeqs'> },
  order: DeadLetterOrder,
): Promise<number> {
  const { spool, reader } = parts
  const seqs = order.which === 'all' ? await reader.deadSeqs() : order.which
  let done = 0
  for (let at = 0; at < seqs.length; at += TOGETHER) {
    const next = seqs.slice(at, at + TOGETHER)
    done += order.do === 'drop' ? await spool.drop(next) : (await spool.sendAgain(next)).length
  }
  return done
}
