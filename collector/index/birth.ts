import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { headOf, rowsFrom } from './records'
import type { StoreBirth } from './schema'

/** What a file of rows that is made now is told: where it begins, and what it has to catch up with. */
export function birthOf(parts: {
  readonly spool: Database
  readonly limits: ReadLimits
  readonly now: () => number
}): StoreBirth {
  const from = rowsFrom(parts.spool)
  const head = headOf(parts.spool)
  return { from, goal: head > from ? head : 0, limits: limitsWord(parts.limits), at: parts.now() }
}

/** By which limits payloads are read: all of those that reading goes by, and no other. */
function limitsWord(limits: ReadLimits): string {
  const { depth, tags }: Required<ReadLimits> = limits
  return JSON.stringify({ depth, tags } satisfies Required<ReadLimits>)
}
