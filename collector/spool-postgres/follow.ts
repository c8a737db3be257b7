import type { JournalFact } from '../../lib/wire/journal'
import type {
  JournalPage,
  MirrorCursor,
  MirroredAttempt,
  MirroredChange,
  MirroredOutcome,
  MirroredRecord,
  MirroredTotal,
} from '../spool/mirror/journal-page'
import type { StoreConnection } from './connection'

/** The shared record does not have the batch at which a mirror stands: it was restored, or another server took over. */
export class CursorLostError extends Error {
  static readonly NAME = 'CursorLostError'

  constructor({ n }: MirrorCursor) {
    super(`the shared record has no batch that ends with fact ${n}, at which this mirror stands`)
    this.name = CursorLostError.NAME
  }
}

/**
 * Whole batches after a cursor. They are committed in the order of their numbers, so no number below the newest can
 * appear later. @param limit facts at most, but always one batch. @returns `null` when there is nothing after it.
 * @throws CursorLostError
 */
export async function readPage(
  connection: StoreConnection,
  from: MirrorCursor,
  limit: number,
): Promise<JournalPage | null> {
  const commits = await connection.query<{ readonly last: number; readonly batch: string }>({
    name: 'commits',
    text: `SELECT last, batch FROM waystation.commits WHERE last >= $1 ORDER BY last LIMIT $2`,
    values: [from.n, limit + 1],
  })
  const known = commits[0]?.last === from.n ? commits[0] : undefined
  if (from.n > 0 && known?.batch !== from.batch) throw new CursorLostError(from)
  const after = commits.filter(({ last }) => last > from.n)
  const end = after.findLast(({ last }) => last <= from.n + limit) ?? after[0]
  if (end === undefined) return null

  const values = [from.n, end.last]
  const read = <Row extends object>(name: string, text: string): Promise<readonly Row[]> =>
    connection.query<Row>({ name, text, values })
  const [facts, records, attempts, outcomes, totals, changes] = await Promise.all([
    read<JournalFact>('page_facts', FACTS),
    read<MirroredRecord>('page_records', RECORDS),
    read<MirroredAttempt>('page_attempts', ATTEMPTS),
    read<MirroredOutcome>('page_outcomes', OUTCOMES),
    read<MirroredTotal>('page_totals', TOTALS),
    read<{ readonly change: MirroredChange }>('page_changes', CHANGES),
  ])
  return {
    from,
    upTo: { n: end.last, batch: end.batch },
    facts,
    records,
    attempts,
    outcomes,
    totals,
    changes: changes.map(({ change }) => change),
  }
}

const FACTS = 'SELECT n, at, kind, seq FROM waystation.journal WHERE n > $1 AND n <= $2 ORDER BY n'
const RECORDS = `SELECT seq, receipt, received_at AS "receivedAt", endpoint, project, public_key AS "publicKey", stamp, facts,
    quantities, reported_limits AS "reportedLimits", bytes, deflated, checksum, body, status, stored_bytes AS "storedBytes"
  FROM waystation.records WHERE seq > $1 AND seq <= $2 ORDER BY seq`
const ATTEMPTS = `SELECT a.n, a.attempt, a.became_dead AS "becameDead"
  FROM waystation.journal j JOIN waystation.attempts a ON a.seq = j.seq AND a.n = j.n
  WHERE j.n > $1 AND j.n <= $2 AND j.kind = 'delivered' ORDER BY a.n`
const OUTCOMES = `SELECT o.seq, o.item, o.outcome, o.reason, o.at
  FROM waystation.journal j JOIN waystation.outcomes o ON o.seq = j.seq
  WHERE j.n > $1 AND j.n <= $2 AND j.kind = 'decided' ORDER BY j.n, o.item`
/** A mirror begins the totals of a stamp with the first record or discard that it counts, so these come first. */
const TOTALS = `SELECT stamp, journal, category, entry, reason, quantity, items FROM waystation.totals_added
  WHERE n > $1 AND n <= $2 ORDER BY n, journal, entry NOT IN ('received', 'client_discard')`
const CHANGES = 'SELECT change FROM waystation.changes WHERE n > $1 AND n <= $2 ORDER BY n, ordinal'
