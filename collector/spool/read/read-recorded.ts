import type { Database } from 'better-sqlite3'
import type { Recorded, RecordedPage } from '../../../lib/wire/journal'
import { prepareOnce } from '../../runtime/database'
import { readStored, STORED_COLUMNS, type StoredRow } from '../stored-content'
import { journalHead } from './read-journal'

/** Selects submissions with a stamp, without any stamp, both, or all. */
export interface RecordedFilter {
  readonly stamp: string | null
  readonly unstamped: boolean
}

const RECORDED_BOUNDS = {
  /** Bytes of bodies before base64. Returns at least one submission, even if it exceeds this. */
  bytes: 4 * 1024 * 1024,
  scanned: 10_000,
} as const

/**
 * Submissions that were received after a journal number, oldest first, read from the record without waiting for the
 * digest. `limit` 0 returns only the end of the record.
 */
export function readRecorded(
  db: Database,
  after: number,
  filter: RecordedFilter,
  limit: number,
  bounds: { readonly bytes: number; readonly scanned: number } = RECORDED_BOUNDS,
): RecordedPage {
  // Read before the submissions: later ones have higher numbers.
  const head = journalHead(db)
  const oldest = Number(prepareOnce(db, 'SELECT journal FROM submissions ORDER BY seq LIMIT 1').pluck().get() ?? 0)
  if (limit === 0) return { recorded: [], damaged: [], next: after, journal: head, oldest }
  const from = firstAfter(db, after)
  const left = prepareOnce(db, STOPPED_AT).get(from, bounds.scanned) as { seq: number; journal: number } | undefined
  const recorded: Recorded[] = []
  const damaged: number[] = []
  let bytes = 0
  let last = after
  const bound = { from, upTo: left?.seq ?? Number.MAX_SAFE_INTEGER, stamp: filter.stamp, which: whichOf(filter) }
  for (const row of prepareOnce(db, SUBMISSIONS).iterate(bound) as IterableIterator<StoredRow>) {
    const isFull = recorded.length + damaged.length >= limit || (bytes > 0 && bytes + row.bytes > bounds.bytes)
    if (isFull) return { recorded, damaged, next: row.journal - 1, journal: Math.max(head, row.journal), oldest }
    last = row.journal
    const read = recordedOf(row)
    if (read === null) damaged.push(row.seq)
    else {
      recorded.push(read)
      bytes += row.bytes
    }
  }
  if (left !== undefined)
    return { recorded, damaged, next: left.journal - 1, journal: Math.max(head, left.journal), oldest }
  const next = Math.max(head, last)
  return { recorded, damaged, next, journal: next, oldest }
}

const STOPPED_AT = 'SELECT seq, journal FROM submissions WHERE seq >= ? ORDER BY seq LIMIT 1 OFFSET ?'

const SUBMISSIONS = `SELECT ${STORED_COLUMNS} FROM submissions
  WHERE seq >= @from AND seq < @upTo
    AND CASE @which WHEN 'all' THEN 1 WHEN 'stamped' THEN stamp IS @stamp WHEN 'unstamped' THEN stamp IS NULL
      ELSE stamp IS NULL OR stamp = @stamp END
  ORDER BY seq`

const whichOf = ({ stamp, unstamped }: RecordedFilter): 'all' | 'stamped' | 'unstamped' | 'either' => {
  if (stamp === null) return unstamped ? 'unstamped' : 'all'
  return unstamped ? 'either' : 'stamped'
}

export const newestRecorded = (db: Database): number =>
  Number(prepareOnce(db, 'SELECT max(seq) FROM submissions').pluck().get() ?? 0)

/** The first submission after a journal number, by binary search: both numbers grow, but only `seq` has an index. */
function firstAfter(db: Database, after: number): number {
  const at = prepareOnce(db, 'SELECT seq, journal FROM submissions WHERE seq >= ? ORDER BY seq LIMIT 1')
  let low = Number(prepareOnce(db, 'SELECT min(seq) FROM submissions').pluck().get() ?? 0)
  let high = newestRecorded(db) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = at.get(middle) as { readonly seq: number; readonly journal: number } | undefined
    if (found === undefined || found.journal > after) high = middle
    else low = found.seq + 1
  }
  return low
}

/** @returns `null` when the record is damaged. */
function recordedOf(row: StoredRow): Recorded | null {
  const stored = readStored(row)
  if (stored === null) return null
  const { buffer, byteOffset, length } = stored.body
  return { ...stored, body: Buffer.from(buffer, byteOffset, length).toString('base64') }
}
