import type { Submission } from '../../lib/protocol/submission'
import { BATCH_RECORDS, MAX_VISITOR_DELETIONS, VISITOR_DELETED, wasSentBefore } from '../spool/visitors'
import type { StoreConnection } from './connection'

/** Records by the reason for which they may be erased, oldest first, a batch at a time. */
export function createErasable(connection: StoreConnection) {
  const seqs = async (text: string, values: readonly unknown[]): Promise<readonly number[]> => {
    const rows = await connection.query<{ readonly seq: number }>({ text, values: [...values] })
    return rows.map(({ seq }) => seq)
  }
  return {
    /** Neither pending nor dead letters. */
    settledRecords: (upTo: number) => seqs(SETTLED, [upTo]),
    deadLetterRecords: (upTo: number) =>
      seqs(`SELECT seq FROM waystation.dead_letters WHERE seq <= $1 ORDER BY seq LIMIT ${BATCH_RECORDS}`, [upTo]),
    pendingRecords: (upTo: number) =>
      seqs(`SELECT seq FROM waystation.pending_deliveries WHERE seq <= $1 ORDER BY seq LIMIT ${BATCH_RECORDS}`, [upTo]),
    /** @param visitors hashes of their cookies */
    visitorRecords: (visitors: readonly string[], upTo: number) => seqs(OF_VISITORS, [visitors, upTo]),
    /** How many of these upstream received, or may have received. */
    countPosted: async (given: readonly number[]) => {
      const posted = await seqs(POSTED, [given])
      return posted.length
    },
    /** Remembers that visitors deleted everything that they sent before a time. @param at ms since the epoch */
    addVisitorDeletion: async (visitors: readonly string[], at: number) => {
      await connection.query({
        text: REMEMBER,
        values: [visitors.map((visitor) => VISITOR_DELETED + visitor), String(at)],
      })
      await connection.query({ text: FORGET, values: [MAX_VISITOR_DELETIONS] })
    },
  }
}

const SETTLED = `SELECT r.seq FROM waystation.records r WHERE r.seq <= $1
    AND NOT EXISTS (SELECT FROM waystation.pending_deliveries p WHERE p.seq = r.seq)
    AND NOT EXISTS (SELECT FROM waystation.dead_letters d WHERE d.seq = r.seq)
  ORDER BY r.seq LIMIT ${BATCH_RECORDS}`
const OF_VISITORS = `SELECT seq FROM waystation.records WHERE visitor = ANY ($1) AND seq <= $2 ORDER BY seq LIMIT ${BATCH_RECORDS}`
const POSTED = `SELECT DISTINCT seq FROM waystation.attempts WHERE seq = ANY ($1)
  AND ((attempt->>'status')::int4 BETWEEN 200 AND 299 OR (attempt->>'maybeDelivered')::bool)`
const REMEMBER = `INSERT INTO waystation.settings SELECT name, $2 FROM unnest($1::text[]) AS name
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const FORGET = `DELETE FROM waystation.settings WHERE name IN (SELECT name FROM waystation.settings
  WHERE name LIKE '${VISITOR_DELETED.replace('_', '\\_')}%' ORDER BY value::int8 DESC OFFSET $1)`

/** The submissions whose visitor deleted everything after they were sent. */
export async function deletedByVisitors(
  connection: StoreConnection,
  submissions: readonly Submission[],
): Promise<ReadonlySet<Submission>> {
  const names = submissions.flatMap(({ facts }) =>
    facts.visitor === undefined ? [] : [VISITOR_DELETED + facts.visitor],
  )
  if (names.length === 0) return new Set()
  const rows = await connection.query<{ readonly name: string; readonly value: string }>({
    name: 'deleted_visitors',
    text: 'SELECT name, value FROM waystation.settings WHERE name = ANY ($1)',
    values: [names],
  })
  const deletedAt = new Map(rows.map(({ name, value }) => [name, Number(value)]))
  return new Set(
    submissions.filter((submission) => {
      const { visitor } = submission.facts
      const at = visitor === undefined ? undefined : deletedAt.get(VISITOR_DELETED + visitor)
      return at !== undefined && wasSentBefore(submission, at)
    }),
  )
}
