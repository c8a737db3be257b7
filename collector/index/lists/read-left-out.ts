import type { Database } from 'better-sqlite3'
import type { SignalKind } from '../../../lib/protocol/items/signal'
import type { LeftOut } from '../../../lib/wire/values'
import { readEvicted } from '../../spool/local'
import { ownRecordsExpression } from '../rows/terms-records'
import { OWN_ROWS } from '../rows/terms-traces'
import { readRowCounts } from '../rows/write-staged'

/** Own rows are counted up to this number. */
export const MAX_OWN_COUNTED = 1000
/** Envelopes are counted up to this number: other lists have maintained counts. */
export const MAX_ENVELOPES_COUNTED = 5000

/** Lists that say what they leave out. */
type LeftOutList = 'traces' | 'segments' | 'events' | 'signals' | 'envelopes'

/** Counts the rows that a list leaves out. @param kind of signals */
export function readLeftOut(db: Database, list: LeftOutList, kind: SignalKind | null): Omit<LeftOut, 'hidden'> {
  const own = countOwn(db, list, kind)
  return {
    own: Math.min(own, MAX_OWN_COUNTED),
    ownIsAtLeast: own > MAX_OWN_COUNTED,
    stored: countStored(db, list, kind),
    ...readEvicted(db),
  }
}

function countStored(db: Database, list: LeftOutList, kind: SignalKind | null): number {
  if (list === 'envelopes') return countUpTo(db, 'SELECT 1 FROM envelopes', MAX_ENVELOPES_COUNTED)
  const counts = readRowCounts(db)
  if (list === 'signals') return kind === null ? 0 : counts[kind]
  return counts[list === 'traces' ? 'trace' : list === 'segments' ? 'segment' : 'event']
}

function countOwn(db: Database, list: LeftOutList, kind: SignalKind | null): number {
  const most = MAX_OWN_COUNTED + 1
  if (list === 'envelopes') return countUpTo(db, 'SELECT 1 FROM envelopes WHERE own = 1', most)
  if (list === 'traces' || list === 'segments') {
    const terms = list === 'traces' ? 'trace_terms' : 'segment_terms'
    return countUpTo(db, `SELECT 1 FROM ${terms} WHERE ${terms} MATCH ?`, most, OWN_ROWS)
  }
  const match = ownRecordsExpression(list === 'events' ? 'event' : (kind ?? 'log'))
  return countUpTo(db, 'SELECT 1 FROM record_terms WHERE record_terms MATCH ?', most, match)
}

const countUpTo = (db: Database, rows: string, most: number, ...bound: readonly string[]): number =>
  Number(
    db
      .prepare(`SELECT count(*) FROM (${rows} LIMIT ${most})`)
      .pluck()
      .get(...bound),
  )
