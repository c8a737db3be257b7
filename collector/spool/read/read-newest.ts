import type { Database } from 'better-sqlite3'
import type { StoredSubmission } from '../../../lib/protocol/submission'
import { prepareOnce } from '../../runtime/database'
import { readStored, STORED_COLUMNS, type StoredRow } from '../stored-content'

/** As evidence a body takes about ten times its bytes of memory. */
export const JUDGE_BOUNDS = {
  submissions: 2000,
  bytes: 32 * 1024 * 1024,
  /** Submissions to search for those of a stamp. */
  scanned: 50_000,
} as const

export interface SubmissionQuery {
  readonly stamp: string | null
  /** A journal number: only later submissions are read. */
  readonly after: number
  /** Only submissions without any stamp, instead of those with `stamp`. */
  readonly unstamped?: boolean
}

/** Ms since the epoch. */
interface TimeRange {
  readonly from: number
  readonly until: number
}

interface NewestSubmissions {
  /** Oldest first. */
  readonly submissions: readonly StoredSubmission[]
  readonly damaged: readonly number[]
  readonly isPart: boolean
  /** Times in which submissions on record are not among these: older and damaged ones. */
  readonly missing: readonly TimeRange[]
}

interface Older {
  readonly seq: number
  readonly receivedAt: number
}

/** Reads the newest submissions within the bounds; at least one, even if it exceeds the byte limit. */
export function newestSubmissions(
  spool: Database,
  { stamp, after, unstamped = false }: SubmissionQuery,
  bounds: { readonly submissions: number; readonly bytes: number; readonly scanned: number } = JUDGE_BOUNDS,
): NewestSubmissions {
  const submissions: StoredSubmission[] = []
  const damaged: number[] = []
  const missing: TimeRange[] = []
  const floor = prepareOnce(spool, FLOOR).get(bounds.scanned) as Older | undefined
  const end = (isPart: boolean, older?: Older): NewestSubmissions => {
    if (older !== undefined) missing.push({ from: 0, until: older.receivedAt })
    return { submissions: submissions.reverse(), damaged, isPart, missing }
  }
  let bytes = 0
  const selection = { floor: floor?.seq ?? 0, stamp, unstamped: unstamped ? 1 : 0 }
  const found = prepareOnce(spool, NEWEST).iterate(selection) as IterableIterator<StoredRow>
  for (const row of found) {
    if (row.journal <= after) return end(false, row)
    const isFull = submissions.length + damaged.length >= bounds.submissions
    if (isFull || (bytes > 0 && bytes + row.bytes > bounds.bytes)) return end(true, row)
    const read = readStored(row)
    if (read === null) {
      damaged.push(row.seq)
      missing.push({ from: row.receivedAt, until: row.receivedAt })
    } else {
      submissions.push(read)
      bytes += row.bytes
    }
  }
  return end(floor !== undefined, floor)
}

const FLOOR = 'SELECT seq, received_at AS receivedAt FROM submissions ORDER BY seq DESC LIMIT 1 OFFSET ?'

const NEWEST = `SELECT ${STORED_COLUMNS} FROM submissions
  WHERE seq > @floor AND CASE @unstamped WHEN 1 THEN stamp IS NULL ELSE @stamp IS NULL OR stamp = @stamp END
  ORDER BY seq DESC`
