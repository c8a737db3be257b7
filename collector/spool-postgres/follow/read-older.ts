import type { JournalFact } from '../../../lib/wire/journal'
import type { MirroredOutcome, OlderPage, OlderRecord } from '../../spool/mirror/journal-page'
import type { Query, StoreConnection } from '../connection'
import { readOldest } from '../housekeeping/drop-partitions'

/** Stored bytes of one page, unless one record alone is larger. */
const PAGE_BYTES = 8 * 1024 * 1024

/**
 * The facts and records before a number, as they are in one snapshot of the shared record.
 * @param from the number that they precede. @param most numbers of the page
 * @returns `null` when the shared record has nothing before it (any more)
 */
export const readOlder = (connection: StoreConnection, from: number, most: number): Promise<OlderPage | null> =>
  connection.snapshot(async (query) => {
    const upTo = from - 1
    // Of the journal first: a partition whose facts are in this snapshot keeps its rows until the snapshot ends.
    const oldest = await readOldest({ query })
    if (oldest === null || oldest > upTo) return null
    const first = await firstOfPage(query, Math.max(oldest, from - most), upTo)
    const values = [first, upTo]
    const read = <Row extends object>(name: string, text: string): Promise<readonly Row[]> =>
      query<Row>({ name, text, values })
    const [facts, records, attempts, outcomes, [at]] = await Promise.all([
      read<JournalFact>('older_facts', FACTS),
      read<OlderRecord>('older_records', RECORDS),
      read<OlderPage['attempts'][number]>('older_attempts', ATTEMPTS),
      read<MirroredOutcome>('older_outcomes', OUTCOMES),
      query<OlderPage['at']>({
        name: 'newest_commit',
        text: 'SELECT last AS n, batch FROM waystation.commits ORDER BY last DESC LIMIT 1',
        values: [],
      }),
    ])
    return at === undefined ? null : { at, first, upTo, oldest, facts, records, attempts, outcomes }
  })

async function firstOfPage(query: Query, first: number, upTo: number): Promise<number> {
  const [row] = await query<{ readonly seq: number | null }>({
    name: 'older_sizes',
    text: `SELECT max(seq) AS seq FROM (
        SELECT seq, sum(stored_bytes) OVER (ORDER BY seq DESC) AS size FROM waystation.records WHERE seq BETWEEN $1 AND $2
      ) s WHERE size > ${PAGE_BYTES}`,
    values: [first, upTo],
  })
  const tooMuch = row?.seq ?? null
  if (tooMuch === null) return first
  return Math.min(tooMuch + 1, upTo)
}

const FACTS = 'SELECT n, at, kind, seq FROM waystation.journal WHERE n BETWEEN $1 AND $2 ORDER BY n'
const RECORDS = `SELECT r.seq, r.receipt, r.received_at AS "receivedAt", r.endpoint, r.project, r.public_key AS "publicKey",
    r.stamp, r.facts, r.quantities, r.reported_limits AS "reportedLimits", r.bytes, r.deflated, r.checksum, r.body, r.status,
    r.stored_bytes AS "storedBytes", p.seq IS NOT NULL AS "isPending", d.at AS "diedAt", d.status AS "diedWith"
  FROM waystation.records r LEFT JOIN waystation.pending_deliveries p USING (seq) LEFT JOIN waystation.dead_letters d USING (seq)
  WHERE r.seq BETWEEN $1 AND $2 ORDER BY r.seq`
const ATTEMPTS = `SELECT n, attempt FROM waystation.attempts WHERE seq BETWEEN $1 AND $2 ORDER BY n`
const OUTCOMES = `SELECT seq, item, outcome, reason, at FROM waystation.outcomes WHERE seq BETWEEN $1 AND $2 ORDER BY seq, item`
