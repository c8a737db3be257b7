import type { Database } from 'better-sqlite3'
import type { DeadLetter, DeadLettersPage } from '../../../lib/wire/delivery'
import { type ListPosition, type PageRequest, writeCursor } from '../../../lib/wire/list-paging'
import { prepareOnce } from '../../runtime/database'
import { isDamage } from '../../runtime/sqlite-errors'
import { transfer } from '../../runtime/thread-call'
import type { UpstreamKey } from '../deliveries'
import { readBodyUnlessDamaged } from '../record-body'
import { MAX_INLINE_BODY_BYTES, type PendingSubmission, readQuantities, type StoredContent } from '../stored-content'
import { journalHead } from './read-journal'

export const LIST_BYTES = 1024 * 1024

/** The records of one upstream that wait for delivery, and its dead letters, which wait for a person. */
export interface Pending {
  readonly pending: number
  readonly deadLetters: number
}

/**
 * The records that are pending for one upstream, oldest first, with their bodies in one transferred buffer: one call
 * between threads for each would cost more than reading it. Fewer than `limit` when the bodies are large.
 */
export function readPending(
  db: Database,
  publicKey: string,
  project: string,
  after: number,
  limit: number,
): readonly PendingSubmission[] {
  try {
    return packed(readWithRecords(db, publicKey, project, after, limit))
  } catch (error) {
    if (!isDamage(error)) throw error
    // The relay reads each of them alone, so that a damaged page ends only the records on it.
    return readPendingSeqs(db, publicKey, project, after, limit)
  }
}

/** With their stored sizes: the received ones are in the damaged pages. */
const readPendingSeqs = (
  db: Database,
  ...key: readonly [string, string, number, number]
): readonly PendingSubmission[] =>
  prepareOnce(
    db,
    `SELECT seq, stored_bytes AS bytes FROM pending_deliveries
      WHERE public_key = ? AND project = ? AND seq > ? ORDER BY seq LIMIT ?`,
  ).all(...key) as PendingSubmission[]

function readWithRecords(
  db: Database,
  publicKey: string,
  project: string,
  after: number,
  limit: number,
): readonly PendingRow[] {
  const sql = `SELECT o.seq AS seq, s.bytes AS bytes, s.received_at AS receivedAt, s.endpoint AS endpoint, s.receipt AS receipt,
      s.stamp AS stamp, s.facts AS facts, s.quantities AS quantities, s.deflated AS deflated, s.checksum AS checksum,
      CASE WHEN s.bytes <= ${MAX_INLINE_BODY_BYTES} THEN s.body END AS body
    FROM pending_deliveries o JOIN submissions s USING (seq)
    WHERE o.public_key = ? AND o.project = ? AND o.seq > ? ORDER BY o.seq LIMIT ?`
  const rows: PendingRow[] = []
  let size = 0
  for (const row of prepareOnce(db, sql).iterate(publicKey, project, after, limit) as IterableIterator<PendingRow>) {
    if (row.body !== null) size += row.bytes
    if (size > LIST_BYTES) break
    rows.push(row)
  }
  return rows
}

interface PendingRow extends PendingSubmission, Omit<StoredContent, 'body'> {
  readonly deflated: number
  readonly checksum: number | null
  readonly body: Uint8Array | null
}

function packed(rows: readonly PendingRow[]): readonly PendingSubmission[] {
  const buffer = new Uint8Array(rows.reduce((sum, { bytes, body }) => sum + (body === null ? 0 : bytes), 0))
  let end = 0
  const listed = rows.map(({ seq, bytes, deflated, checksum, body, ...stored }): PendingSubmission => {
    const { facts, quantities } = stored
    const read = body === null ? null : readBodyUnlessDamaged({ bytes, deflated, checksum, body, facts, quantities })
    if (read === null) return { seq, bytes }
    buffer.set(read, end)
    end += bytes
    return { seq, bytes, stored: { ...stored, body: buffer.subarray(end - bytes, end) } }
  })
  return transfer(listed, [buffer.buffer])
}

export function countPending(db: Database, publicKey: string, project: string): Pending {
  const sql = `SELECT (SELECT count(*) FROM pending_deliveries WHERE public_key = @publicKey AND project = @project) AS pending,
    (SELECT count(*) FROM dead_letters WHERE public_key = @publicKey AND project = @project) AS deadLetters`
  return prepareOnce(db, sql).get({ publicKey, project }) as Pending
}

/** Pending records of keys and projects that are not configured, so that no relay posts them. */
export function readStranded(
  db: Database,
  configured: readonly UpstreamKey[],
): readonly (UpstreamKey & { readonly records: number })[] {
  const isConfigured = ({ publicKey, project }: UpstreamKey): boolean =>
    configured.some((one) => one.publicKey === publicKey && one.project === project)
  return keysPending(db)
    .filter((one) => !isConfigured(one))
    .map((one) => ({ ...one, records: countPending(db, one.publicKey, one.project).pending }))
}

/** Every key and project with pending records: one index lookup for each instead of a scan, because there are few. */
function keysPending(db: Database): readonly UpstreamKey[] {
  const sql = `SELECT public_key AS publicKey, project FROM pending_deliveries
    WHERE (public_key, project) > (?, ?) ORDER BY public_key, project LIMIT 1`
  const found: UpstreamKey[] = []
  for (let last: UpstreamKey = { publicKey: '', project: '' }; ; ) {
    const next = prepareOnce(db, sql).get(last.publicKey, last.project) as UpstreamKey | undefined
    if (next === undefined) return found
    found.push(next)
    last = next
  }
}

interface DeadRow extends Omit<DeadLetter, 'items'> {
  readonly quantities: string
}

/** Dead letters, the newest envelope first. */
export function readDeadLetters(db: Database, position: ListPosition, page: PageRequest): DeadLettersPage {
  const below = position.id === '' ? Number.MAX_SAFE_INTEGER : Number.parseInt(position.id, 16)
  // One row more than requested shows that there is a next page.
  const rows = prepareOnce(db, PAGE).all(below, page.limit + 1) as DeadRow[]
  const deadLetters = rows.slice(0, page.limit).map(toDeadLetter)
  const last = deadLetters.at(-1)
  const next =
    rows.length > page.limit && last !== undefined
      ? writeCursor({ journal: last.journal, id: last.seq.toString(16) })
      : null
  return { deadLetters, next, journal: journalHead(db) }
}

export const readDeadSeqs = (db: Database): readonly number[] =>
  prepareOnce(db, 'SELECT seq FROM dead_letters ORDER BY seq').pluck().all() as number[]

/** The fields of a dead letter that rate limits depend on. */
export interface DeadItems {
  readonly seq: number
  readonly publicKey: string
  readonly project: string
  readonly categories: readonly string[]
}

export function readDeadItems(db: Database, seqs: readonly number[]): readonly DeadItems[] {
  const rows = prepareOnce(db, ITEMS).all(JSON.stringify(seqs)) as (Omit<DeadItems, 'categories'> & {
    readonly quantities: string
  })[]
  return rows.map(toDeadItems)
}

/** @param quantities as stored: JSON */
export const toDeadItems = ({
  quantities,
  ...row
}: Omit<DeadItems, 'categories'> & { readonly quantities: string }): DeadItems => ({
  ...row,
  categories: [...new Set(readQuantities(quantities).map(({ category }) => category))],
})

const ITEMS = `SELECT d.seq AS seq, d.public_key AS publicKey, d.project AS project, s.quantities AS quantities
  FROM dead_letters d CROSS JOIN submissions s USING (seq)
  WHERE d.seq IN (SELECT value FROM json_each(?)) ORDER BY d.seq`

const toDeadLetter = ({ quantities, ...row }: DeadRow): DeadLetter => ({
  ...row,
  items: [...readQuantities(quantities)],
})

/** The last attempt is the one that was refused. */
const PAGE = `SELECT d.seq AS seq, s.journal AS journal, s.received_at AS receivedAt, d.at AS at, a.upstream AS upstream,
    d.status AS status, a.answer AS answer, a.attempt AS attempts, s.bytes AS bytes, s.quantities AS quantities
  FROM dead_letters d CROSS JOIN submissions s USING (seq)
    JOIN deliveries a ON a.seq = d.seq
      AND a.attempt = (SELECT max(attempt) FROM deliveries WHERE seq = d.seq)
  WHERE d.seq < ? ORDER BY d.seq DESC LIMIT ?`
