import type { Database } from 'better-sqlite3'
import { type FateName, OUR_REASONS } from '../../lib/protocol/outcome'
import { type Fate, worstFate } from '../../lib/wire/fate'
import { EVERY_ITEM } from '../spool/submission'

/** What became of one submission's items, as far as it is decided. */
export interface Fates {
  readonly of: (item: number) => Fate
  /** When the last item was decided by upstream's answer; `null` while any is pending, and where nothing was owed. */
  readonly relayedAt: number | null
}

interface OutcomeRow {
  readonly seq: number
  readonly item: number
  readonly outcome: FateName
  readonly reason: string | null
  readonly at: number
}

const PENDING: Fate = { name: 'pending', reason: null }
/** Upstream refused it for what it is: a person decides. */
export const DEAD_LETTER: Fate = { name: 'pending', reason: 'dead_letter' }
const COPY: Fate = { name: 'copy', reason: null }
const RELAYED = new Set<FateName>(['accepted', 'rate_limited', 'invalid'])

/** The fates of some submissions, in one query. Submissions that came as a copy have the fate `copy`. */
export function readFates(db: Database, seqs: readonly number[]): (seq: number) => Fates {
  const list = JSON.stringify([...new Set(seqs)])
  const rows = db
    .prepare(`SELECT seq, item, outcome, reason, at FROM spool.outcomes WHERE seq IN (SELECT value FROM json_each(?))`)
    .all(list) as OutcomeRow[]
  const copies = new Set(
    db
      .prepare(`SELECT seq FROM spool.submissions WHERE door = 'stream' AND seq IN (SELECT value FROM json_each(?))`)
      .pluck()
      .all(list) as number[],
  )
  const dead = new Set(
    db
      .prepare('SELECT seq FROM spool.dead_letters WHERE seq IN (SELECT value FROM json_each(?))')
      .pluck()
      .all(list) as number[],
  )
  const bySeq = groupBySeq(rows)
  return (seq) => fatesOf(bySeq.get(seq) ?? [], copies.has(seq), dead.has(seq) ? DEAD_LETTER : PENDING)
}

function fatesOf(rows: readonly OutcomeRow[], copy: boolean, undecided: Fate): Fates {
  const toFate = (row: OutcomeRow): Fate => ({ name: row.outcome, reason: row.reason })
  const whole = rows.find((row) => row.item === EVERY_ITEM)
  const relayed = rows.filter((row) => RELAYED.has(row.outcome) && !OUR_REASONS.has(row.reason)).map((row) => row.at)
  return {
    of: (item) => {
      if (copy) return COPY
      const row = rows.find((one) => one.item === item) ?? whole
      return row === undefined ? undecided : toFate(row)
    },
    relayedAt: relayed.length === 0 ? null : Math.max(...relayed),
  }
}

/** The fate of an envelope: that of its items together; one without items has its own. */
export const envelopeFate = (fates: Fates, itemCount: number): Fate =>
  itemCount === 0 ? fates.of(EVERY_ITEM) : worstFate(Array.from({ length: itemCount }, (_, item) => fates.of(item)))

function groupBySeq(rows: readonly OutcomeRow[]): Map<number, OutcomeRow[]> {
  const groups = new Map<number, OutcomeRow[]>()
  for (const row of rows) groups.set(row.seq, [...(groups.get(row.seq) ?? []), row])
  return groups
}
