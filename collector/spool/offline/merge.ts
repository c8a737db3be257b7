import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { openForWriting } from '../../runtime/database'
import { GROUP_PREFIX } from '../read/read-settings'
import { BodyDamagedError, type CheckedRow, readBody } from '../record-body'
import { migrate } from '../schema'
import { correctLedger, type SharedSources, sumLedger } from './merge-ledger'

export interface MergedSpools {
  readonly submissions: number
  /** Submissions whose receipt and bytes equal those of another one; each is left out. */
  readonly duplicates: number
}

/**
 * Writes the records of several spools into one, as if one collector had received everything. Submissions get new numbers
 * in the order of arrival; what refers to them follows. Of equal submissions the first one with an outcome stays.
 * Ledger totals, refusals and evicted totals are added.
 * @param shards folders with a `spool.db` of this version, that nobody else uses
 * @param to an empty folder
 * @param onProgress called with the number of copied submissions
 * @throws the error of SQLite or of the system
 */
export function mergeSpools(
  shards: readonly string[],
  to: string,
  onProgress: (done: number, of: number) => void,
): MergedSpools {
  const db = openForWriting(join(to, 'spool.db'), 'FULL')
  try {
    migrate(db)
    // Nobody reads the file before it is complete.
    db.pragma('journal_mode = MEMORY')
    db.pragma('synchronous = OFF')
    // Migrations write rows of their own.
    db.exec(`DELETE FROM counters; ${WORKING_TABLES}`)
    eachShard(db, shards, (shard) => {
      for (const sql of READ_ARRIVALS) db.prepare(sql).run({ shard })
    })
    markDuplicates(db, shards)
    db.exec(NUMBER)
    const numberOf = (sql: string): number => Number(db.prepare(sql).pluck().get())
    const submissions = numberOf('SELECT count(*) FROM temp.records WHERE is_kept')
    const shared: SharedSources = new Map()
    eachShard(db, shards, (shard) => {
      for (const sql of COPY) db.prepare(sql).run({ shard })
      sumLedger(db, shard)
      correctLedger(db, shard, shared)
      onProgress(numberOf('SELECT count(*) FROM submissions'), submissions)
    })
    db.exec(FINISH)
    return { submissions, duplicates: numberOf('SELECT count(*) FROM temp.records WHERE NOT is_kept') }
  } finally {
    db.close()
  }
}

/** Attaches one shard after the other as `shard`: SQLite attaches at most ten files. */
function eachShard(db: Database, shards: readonly string[], work: (shard: number) => void): void {
  for (const [shard, folder] of shards.entries()) {
    db.prepare('ATTACH ? AS shard').run(join(folder, 'spool.db'))
    db.transaction(() => work(shard))()
    db.exec('DETACH shard')
  }
}

/** Marks all but one of the submissions with the same receipt and bytes. A damaged one is equal to none. */
function markDuplicates(db: Database, shards: readonly string[]): void {
  if (db.prepare(REPEATED).get() === undefined) return
  eachShard(db, shards, (shard) => {
    const write = db.prepare('UPDATE temp.records SET digest = ? WHERE shard = ? AND old = ?')
    const rows = db.prepare(BODIES).all({ shard }) as { readonly seq: number }[]
    const read = db.prepare(
      'SELECT bytes, deflated, body, facts, quantities, checksum FROM shard.submissions WHERE seq = ?',
    )
    for (const { seq } of rows) write.run(digestOf(read.get(seq) as CheckedRow), shard, seq)
  })
  db.exec(MARK)
}

function digestOf(row: CheckedRow): string | null {
  try {
    return createHash('sha256').update(readBody(row)).digest('hex')
  } catch (error) {
    if (error instanceof BodyDamagedError) return null
    throw error
  }
}

/**
 * `facts` has the journals of all shards, and `records` their submissions: `old` is a number in the shard, `n` and `seq` the
 * new one. `reached` orders facts of several shards by time, and keeps the order within a shard whose clock was set.
 */
const WORKING_TABLES = `
  CREATE TEMP TABLE facts (shard INTEGER, old INTEGER, at INTEGER, kind TEXT, old_seq INTEGER, reached INTEGER, n INTEGER,
    PRIMARY KEY (shard, old)) WITHOUT ROWID;
  CREATE TEMP TABLE records (shard INTEGER, old INTEGER, journal INTEGER, receipt TEXT, is_settled INTEGER,
    digest TEXT, is_kept INTEGER NOT NULL DEFAULT 1, seq INTEGER, PRIMARY KEY (shard, old)) WITHOUT ROWID;
  CREATE INDEX temp.records_by_receipt ON records (receipt);
  CREATE TEMP TABLE periods AS SELECT * FROM limit_periods;`

/** Old facts are deleted from the journal while their records stay: these take the times of the records. */
const READ_ARRIVALS = [
  `INSERT INTO temp.facts (shard, old, at, kind, old_seq, reached)
    SELECT @shard, n, at, kind, seq, max(at) OVER (ORDER BY n) FROM (
      SELECT n, at, kind, seq FROM shard.journal WHERE kind <> 'digested'
      UNION ALL SELECT journal, received_at, 'received', seq FROM shard.submissions
        WHERE journal NOT IN (SELECT n FROM shard.journal)
      UNION ALL SELECT journal, ended_at, 'delivered', seq FROM shard.deliveries
        WHERE journal NOT IN (SELECT n FROM shard.journal))`,
  `INSERT INTO temp.records (shard, old, journal, receipt, is_settled)
    SELECT @shard, seq, journal, receipt, seq NOT IN (SELECT seq FROM shard.pending_deliveries)
      AND seq NOT IN (SELECT seq FROM shard.dead_letters) FROM shard.submissions`,
]

const REPEATED = 'SELECT receipt FROM temp.records GROUP BY receipt HAVING count(*) > 1'
const BODIES = `SELECT old AS seq FROM temp.records WHERE shard = @shard AND receipt IN (${REPEATED}) ORDER BY old`
const MARK = `UPDATE temp.records SET is_kept = 0 WHERE (shard, old) IN (SELECT shard, old FROM
  (SELECT r.shard, r.old, row_number() OVER (PARTITION BY receipt, digest ORDER BY is_settled DESC, reached, r.shard) AS place
    FROM temp.records r JOIN temp.facts f ON f.shard = r.shard AND f.old = r.journal WHERE digest IS NOT NULL)
  WHERE place > 1)`

/** One receipt of two bodies: the later submission gets another, as at intake. */
const NUMBER = `
  DELETE FROM temp.facts WHERE old_seq IS NOT NULL AND kind <> 'evicted' AND NOT EXISTS
    (SELECT 1 FROM temp.records r WHERE r.shard = facts.shard AND r.old = facts.old_seq AND r.is_kept);
  UPDATE temp.facts SET n = placed.n
    FROM (SELECT shard, old, row_number() OVER (ORDER BY reached, shard, old) AS n FROM temp.facts) placed
    WHERE placed.shard = facts.shard AND placed.old = facts.old;
  UPDATE temp.records SET seq = placed.seq
    FROM (SELECT r.shard, r.old, row_number() OVER (ORDER BY f.n) AS seq
      FROM temp.records r JOIN temp.facts f ON f.shard = r.shard AND f.old = r.journal WHERE r.is_kept) placed
    WHERE placed.shard = records.shard AND placed.old = records.old;
  UPDATE temp.records SET receipt = receipt || '+' || seq WHERE is_kept AND EXISTS
    (SELECT 1 FROM temp.records o WHERE o.receipt = records.receipt AND o.is_kept AND o.seq < records.seq);
  INSERT INTO journal (n, at, kind, seq)
    SELECT f.n, f.at, f.kind, r.seq FROM temp.facts f LEFT JOIN temp.records r ON r.shard = f.shard AND r.old = f.old_seq
    ORDER BY f.n;`

const OF_SHARD = 'temp.records r ON r.shard = @shard AND r.is_kept AND r.old'
/** The new number of a submission that a row names; `otherwise` if it was evicted. */
const numberOf = (column: string, otherwise: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN coalesce((SELECT seq FROM temp.records WHERE shard = @shard AND old = ${column}), ${otherwise}) END`

/** The number 0 belongs to no submission: a page keeps its violation when the envelope is gone. */
const COPY = [
  `INSERT INTO submissions (seq, receipt, journal, received_at, endpoint, project, public_key, stamp, facts, quantities, bytes, deflated, body, checksum)
    SELECT r.seq, r.receipt, f.n, received_at, endpoint, project, public_key, stamp, facts, quantities, bytes, deflated, body, checksum
    FROM shard.submissions s JOIN ${OF_SHARD} = s.seq JOIN temp.facts f ON f.shard = r.shard AND f.old = r.journal`,
  `INSERT INTO outcomes (seq, item, outcome, reason, at)
    SELECT r.seq, item, outcome, reason, at FROM shard.outcomes o JOIN ${OF_SHARD} = o.seq`,
  `INSERT INTO pending_deliveries (seq, public_key, project, ran_at, stored_bytes)
    SELECT r.seq, public_key, project, ran_at, stored_bytes FROM shard.pending_deliveries p JOIN ${OF_SHARD} = p.seq`,
  `INSERT INTO dead_letters (seq, public_key, project, ran_at, stored_bytes, at, status)
    SELECT r.seq, public_key, project, ran_at, stored_bytes, at, status FROM shard.dead_letters d JOIN ${OF_SHARD} = d.seq`,
  // Lists of deliveries are in the order of their ids, so each takes the number of its fact.
  `INSERT INTO deliveries (id, journal, seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered, left_out, removed)
    SELECT f.n, f.n, r.seq, attempt, upstream, started_at, ended_at, status, error, rate_limits, retry_after, answer, form, sha256, bytes, maybe_delivered, left_out, removed
    FROM shard.deliveries d JOIN ${OF_SHARD} = d.seq JOIN temp.facts f ON f.shard = r.shard AND f.old = d.journal`,
  `INSERT INTO limits (public_key, project, category, until, received_at, reason, scope, source_seq)
    SELECT public_key, project, category, until, received_at, reason, scope, ${numberOf('source_seq', 'NULL')} FROM shard.limits WHERE true
    ON CONFLICT DO UPDATE SET until = excluded.until, received_at = excluded.received_at, reason = excluded.reason,
      scope = excluded.scope, source_seq = excluded.source_seq WHERE excluded.until > until`,
  `INSERT INTO temp.periods SELECT id, public_key, project, category, scope, reason, ${numberOf('source_seq', 'NULL')}, received_at, until, cut
    FROM shard.limit_periods`,
  `INSERT OR IGNORE INTO page_limits (public_key, project, page, category, sent_at, until, sent_with, violated_seq, violated_at, resumed_seq, resumed_at)
    SELECT public_key, project, page, category, sent_at, until, ${numberOf('sent_with', '0')}, ${numberOf('violated_seq', '0')}, violated_at,
      ${numberOf('resumed_seq', '0')}, resumed_at FROM shard.page_limits`,
  // Its rows are made again, so none is evicted any more.
  `INSERT INTO counters (name, value) SELECT name, value FROM shard.counters WHERE name <> 'rows_only'
    ON CONFLICT DO UPDATE SET value = value + excluded.value`,
  `INSERT INTO refusals (reason, envelopes, bytes) SELECT reason, envelopes, bytes FROM shard.refusals WHERE true
    ON CONFLICT DO UPDATE SET envelopes = envelopes + excluded.envelopes, bytes = bytes + excluded.bytes`,
  `INSERT INTO refused_paths (reason, path, envelopes) SELECT reason, path, envelopes FROM shard.refused_paths WHERE true
    ON CONFLICT DO UPDATE SET envelopes = envelopes + excluded.envelopes`,
  // The other settings belong to a collector that receives and relays.
  `INSERT OR IGNORE INTO settings (name, value) SELECT name, value FROM shard.settings
    WHERE substr(name, 1, ${GROUP_PREFIX.length}) = '${GROUP_PREFIX}'`,
]

/** A period that two shards have is one that both took from an earlier merge. */
const FINISH = `
  INSERT INTO limit_periods (public_key, project, category, scope, reason, source_seq, received_at, until, cut)
    SELECT public_key, project, category, scope, reason, max(source_seq), received_at, until, max(cut) FROM temp.periods
    GROUP BY public_key, project, category, scope, reason, received_at, until ORDER BY received_at, min(id);
  DELETE FROM counters WHERE name IN ('copies', 'copy_bytes');
  INSERT INTO counters (name, value) SELECT 'copies', count(*) FROM submissions WHERE endpoint = 'stream';
  INSERT INTO counters (name, value) SELECT 'copy_bytes', coalesce(sum(length(body)), 0) FROM submissions WHERE endpoint = 'stream';`
