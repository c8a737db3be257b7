import type { Database } from 'better-sqlite3'
import type { Outcome } from '../../../lib/protocol/outcome'
import { type ReceivedRecord, readQuantities } from '../stored-content'
import { EVERY_ITEM } from '../submission'
import { IS_OWN } from './read-submissions'

/** Records that are counted again after a start: reading this many takes 70 ms. */
export const MAX_RECENT_RECORDS = 5000
/** Facts of the journal that are searched for refusals. */
const MAX_RECENT_FACTS = 50_000

interface RecentRecords {
  readonly received: readonly ReceivedRecord[]
  readonly settled: readonly {
    readonly at: number
    readonly category: string
    readonly entry: Outcome
    readonly reason: string | null
    readonly quantity: number
    readonly items: number
  }[]
  /** Times of refused requests. */
  readonly refused: readonly number[]
}

/** The newest records, outcomes and refusals since a time, up to a journal number; bounded. */
export function readRecent(db: Database, since: number, upTo: number): RecentRecords {
  const records = db.prepare(RECEIVED).all({ since, upTo, most: MAX_RECENT_RECORDS }) as RecentRow[]
  const quantitiesOf = new Map(records.map(({ seq, quantities }) => [seq, readQuantities(quantities)]))
  const outcomes = db.prepare(OUTCOMES).iterate(since, JSON.stringify([...quantitiesOf.keys()]))
  return {
    received: records.map(({ seq, own, ...record }) => ({
      ...record,
      own: own === 1,
      quantities: quantitiesOf.get(seq) ?? [],
    })),
    settled: [...(outcomes as IterableIterator<OutcomeRow>)].flatMap(({ seq, item, at, entry, reason }) => {
      const all = quantitiesOf.get(seq) ?? []
      const decided = item === EVERY_ITEM ? all : all.slice(item, item + 1)
      return decided.map((one) => ({ ...one, at, entry, reason, items: 1 }))
    }),
    refused: db.prepare(REFUSED).pluck().all({ since, upTo, most: MAX_RECENT_FACTS }) as number[],
  }
}

interface RecentRow extends Omit<ReceivedRecord, 'own' | 'quantities'> {
  readonly seq: number
  readonly own: number
  readonly quantities: string
}

interface OutcomeRow {
  readonly seq: number
  readonly item: number
  readonly at: number
  readonly entry: Outcome
  readonly reason: string | null
}

const RECEIVED = `SELECT seq, received_at AS at, endpoint, project, quantities, ${IS_OWN} AS own,
    CASE WHEN json_valid(facts) THEN coalesce(facts ->> 'origin', facts ->> 'userAgent') END AS sender
  FROM (SELECT * FROM submissions ORDER BY seq DESC LIMIT @most) WHERE received_at >= @since AND journal <= @upTo`
const OUTCOMES = `SELECT seq, item, at, outcome AS entry, reason FROM outcomes
  WHERE at >= ? AND seq IN (SELECT value FROM json_each(?))`
const REFUSED = `SELECT at FROM journal WHERE n > @upTo - @most AND n <= @upTo AND kind = 'refused' AND at >= @since`
