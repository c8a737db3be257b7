import type { Discard, SubmissionContent } from '../../lib/protocol/submission'
import type { UpstreamKey } from '../spool/deliveries'
import type { LaneKey } from '../spool/lanes'
import { DISCARDED } from '../spool/ledger/ledger-entries'
import type { UnseenRecord } from '../spool/ledger/unseen-answers'
import { type DeadItems, LIST_BYTES, type Pending, toDeadItems } from '../spool/read/read-pending'
import type { SettingRow } from '../spool/read/read-settings'
import { BodyDamagedError, type CheckedRow, readBody, readBodyUnlessDamaged } from '../spool/record-body'
import {
  contentFrom,
  MAX_INLINE_BODY_BYTES,
  type PendingSubmission,
  parseFacts,
  readQuantities,
  type StoredContent,
} from '../spool/stored-content'
import type { StoredLimit } from '../spool/submission'
import type { KnownRecord } from './batch'
import type { StoreConnection } from './connection'

type StoredRecord = Omit<StoredContent, 'body'> & Omit<CheckedRow, 'deflated'> & { readonly deflated: boolean }

const CONTENT = `r.received_at AS "receivedAt", r.endpoint, r.receipt, r.stamp, r.facts, r.quantities, r.bytes, r.deflated,
  r.checksum`

const checked = (row: StoredRecord): CheckedRow => ({ ...row, deflated: row.deflated ? 1 : 0 })

/** @returns `null` when there is no such record (any more). @throws BodyDamagedError */
export async function readRecord(connection: StoreConnection, seq: number): Promise<SubmissionContent | null> {
  const [row] = await connection.query<StoredRecord>({
    name: 'record',
    text: `SELECT ${CONTENT}, r.body FROM waystation.records r WHERE r.seq = $1`,
    values: [seq],
  })
  return row === undefined ? null : contentFrom({ ...row, body: readBody(checked(row)) })
}

/** Whether a stored record has these bytes. A damaged one has not: its sender's next copy is stored beside it. */
export async function sameBody(connection: StoreConnection, seq: number, body: Uint8Array): Promise<boolean> {
  try {
    const record = await readRecord(connection, seq)
    // A record that was dropped with its partition was the same as far as anybody knows.
    return record === null || Buffer.compare(record.body, body) === 0
  } catch (error) {
    if (error instanceof BodyDamagedError) return false
    throw error
  }
}

export async function readKnown(
  connection: StoreConnection,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, KnownRecord>> {
  if (seqs.length === 0) return new Map()
  const rows = await connection.query<Omit<KnownRecord, 'journal'> & { readonly seq: number }>({
    name: 'known',
    text: `SELECT seq, stamp, public_key AS "publicKey", project, quantities FROM waystation.records WHERE seq = ANY ($1)`,
    values: [seqs],
  })
  return new Map(rows.map(({ seq, ...row }) => [seq, { ...row, journal: seq }]))
}

/**
 * The record of a receipt, for its unseen answer. @returns `null` for a copy, and when there is no such record (any more).
 * @throws BodyDamagedError if its facts are not JSON
 */
export async function readUnseen(connection: StoreConnection, receipt: string): Promise<UnseenRecord | null> {
  const [row] = await connection.query<
    Omit<UnseenRecord, 'page' | 'quantities'> & { readonly facts: string; readonly quantities: string }
  >({
    name: 'unseen',
    text: `SELECT r.seq AS journal, r.stamp, r.public_key AS "publicKey", r.project, r.facts, r.quantities
      FROM waystation.receipts x JOIN waystation.records r USING (seq) WHERE x.receipt = $1 AND r.endpoint <> 'stream'`,
    values: [receipt],
  })
  if (row === undefined) return null
  // SQL cannot read the page: PostgreSQL rejects JSON with an escaped NUL in any of its strings.
  const { facts, quantities, ...rest } = row
  return { ...rest, page: parseFacts(facts).page, quantities: readQuantities(quantities) }
}

/** The pending records of an upstream or of one of its lanes, oldest first; fewer than `limit` when their bodies are large. */
export async function readPending(
  connection: StoreConnection,
  { publicKey, project, lane }: UpstreamKey & Partial<LaneKey>,
  after: number,
  limit: number,
): Promise<readonly PendingSubmission[]> {
  const of =
    lane === undefined
      ? { name: 'pending', text: pendingOf('') }
      : { name: 'pending_in', text: pendingOf('AND lane = $5') }
  const values = [publicKey, project, after, limit, ...(lane === undefined ? [] : [lane])]
  const rows = await connection.query<StoredRecord & { readonly seq: number; readonly body: Uint8Array | null }>({
    ...of,
    values,
  })
  return rows.map(({ seq, ...row }) => {
    const { receivedAt, endpoint, receipt, stamp, facts, quantities, bytes } = row
    const body = row.body === null ? null : readBodyUnlessDamaged(checked(row))
    if (body === null) return { seq, bytes }
    return { seq, bytes, stored: { receivedAt, endpoint, receipt, stamp, facts, quantities, body } }
  })
}

// The first row is always among them.
const pendingOf = (condition: string): string => `WITH listed AS (
    SELECT p.seq, sum(CASE WHEN r.bytes <= ${MAX_INLINE_BODY_BYTES} THEN r.bytes ELSE 0 END) OVER (ORDER BY p.seq) AS size
    FROM (SELECT seq FROM waystation.pending_deliveries
        WHERE public_key = $1 AND project = $2 ${condition} AND seq > $3 ORDER BY seq LIMIT $4) p
      JOIN waystation.records r USING (seq))
  SELECT r.seq, ${CONTENT}, CASE WHEN r.bytes <= ${MAX_INLINE_BODY_BYTES} THEN r.body END AS body
  FROM listed JOIN waystation.records r USING (seq) WHERE listed.size <= ${LIST_BYTES} ORDER BY r.seq`

export async function countPending(connection: StoreConnection, publicKey: string, project: string): Promise<Pending> {
  const [row] = await connection.query<Pending>({
    name: 'count_pending',
    text: `SELECT
      (SELECT count(*) FROM waystation.pending_deliveries WHERE public_key = $1 AND project = $2) AS pending,
      (SELECT count(*) FROM waystation.dead_letters WHERE public_key = $1 AND project = $2) AS "deadLetters"`,
    values: [publicKey, project],
  })
  return row ?? { pending: 0, deadLetters: 0 }
}

/** Pending records of keys and projects that are not configured. */
export async function readStranded(
  connection: StoreConnection,
  configured: readonly UpstreamKey[],
): Promise<readonly (UpstreamKey & { readonly records: number })[]> {
  const rows = await connection.query<UpstreamKey & { readonly records: number }>({
    name: 'stranded',
    text: `SELECT public_key AS "publicKey", project, count(*) AS records FROM waystation.pending_deliveries
      GROUP BY public_key, project ORDER BY public_key, project`,
    values: [],
  })
  return rows.filter(
    ({ publicKey, project }) => !configured.some((one) => one.publicKey === publicKey && one.project === project),
  )
}

export async function readDeadSeqs(connection: StoreConnection): Promise<readonly number[]> {
  const rows = await connection.query<{ readonly seq: number }>({
    text: 'SELECT seq FROM waystation.dead_letters ORDER BY seq',
  })
  return rows.map(({ seq }) => seq)
}

export async function readDeadItems(
  connection: StoreConnection,
  seqs: readonly number[],
): Promise<readonly DeadItems[]> {
  const rows = await connection.query<Omit<DeadItems, 'categories'> & { readonly quantities: string }>({
    text: `SELECT d.seq, d.public_key AS "publicKey", d.project, r.quantities
      FROM waystation.dead_letters d JOIN waystation.records r USING (seq) WHERE d.seq = ANY ($1) ORDER BY d.seq`,
    values: [seqs],
  })
  return rows.map(toDeadItems)
}

/** Items left out of posts that no client report to upstream has counted yet. */
export async function readUnreported(
  connection: StoreConnection,
  publicKey: string,
  project: string,
): Promise<readonly Discard[]> {
  const rows = await connection.query<Discard>({
    text: `SELECT reason, category, sum(quantity)::int8 AS quantity FROM waystation.unreported
      WHERE public_key = $1 AND project = $2 GROUP BY reason, category HAVING sum(quantity) > 0 ORDER BY reason, category`,
    values: [publicKey, project],
  })
  return rows
}

/** All stored limits, expired ones included. */
export async function readLimits(connection: StoreConnection): Promise<readonly StoredLimit[]> {
  const rows = await connection.query<StoredLimit>({
    text: `SELECT public_key AS "publicKey", project, category, until, received_at AS "receivedAt", reason, scope,
      source_seq AS "sourceSeq" FROM waystation.limits ORDER BY until DESC`,
  })
  return rows
}

export async function readSetting(connection: StoreConnection, name: string): Promise<string | null> {
  const [row] = await connection.query<{ readonly value: string }>({
    text: 'SELECT value FROM waystation.settings WHERE name = $1',
    values: [name],
  })
  return row?.value ?? null
}

/** Settings whose names begin with a prefix, without it, ordered by name. */
export function readSettings(connection: StoreConnection, prefix: string): Promise<readonly SettingRow[]> {
  return connection.query<SettingRow>({
    name: 'settings',
    text: `SELECT substr(name, length($1) + 1) AS name, value FROM waystation.settings
      WHERE starts_with(name, $1) ORDER BY name COLLATE "C"`,
    values: [prefix],
  })
}

/** Number of the newest fact; 0 when there is none. */
export async function readHead(connection: StoreConnection): Promise<number> {
  const [row] = await connection.query<{ readonly head: number }>({
    name: 'head',
    text: 'SELECT coalesce(max(last), 0) AS head FROM waystation.commits',
    values: [],
  })
  return row?.head ?? 0
}

/** Names that have totals already, of categories and of reasons of discards. */
export async function readNames(
  connection: StoreConnection,
): Promise<{ readonly categories: readonly string[]; readonly reasons: readonly string[] }> {
  const rows = await connection.query<{ readonly category: string; readonly reason: string | null }>({
    text: `SELECT DISTINCT category, CASE WHEN entry = '${DISCARDED}' THEN reason END AS reason
      FROM (SELECT category, entry, reason FROM waystation.totals_added
        UNION ALL SELECT category, entry, reason FROM waystation.ledger_totals) t`,
  })
  return {
    categories: [...new Set(rows.map(({ category }) => category))],
    reasons: [...new Set(rows.flatMap(({ reason }) => (reason === null ? [] : [reason])))],
  }
}
