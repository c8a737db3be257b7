import type { Database } from 'better-sqlite3'

/**
 * Rows are only ever made of what is on record, and numbers are not given twice. Where rows reach further than the
 * record, its end was lost: a log was deleted, or an older copy was put back. Going on would give those numbers to other
 * envelopes.
 * @throws a sentence that says so and what to do.
 */
export function refuseLostRecord(spool: Database, cursor: number): void {
  const last = Number(spool.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'submissions'").pluck().get() ?? 0)
  if (cursor <= last) return
  throw new Error(
    `the end of the record is missing: telemetry.db was made of ${cursor} envelopes and spool.db knows ${last}; ` +
      'put back the spool.db and spool.db-wal that belong to it, or delete telemetry.db to go on with what is there',
  )
}
