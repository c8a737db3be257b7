import type { Database } from 'better-sqlite3'

/**
 * `spool.db` is the record: what was received, what is still owed, what became of it. Everything in `telemetry.db` can
 * be made from it again; nothing here can. Forward migrations only: entry N brings version N to N + 1.
 */
const MIGRATIONS: readonly string[] = [
  `
  -- One received body. Never updated. \`body\` is as it was after its content encoding, deflated where that helps.
  CREATE TABLE submissions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    receipt TEXT NOT NULL UNIQUE,
    journal INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    door TEXT NOT NULL CHECK (door IN ('envelope', 'tunnel', 'stream', 'store')),
    project TEXT NOT NULL,
    public_key TEXT NOT NULL,
    stamp TEXT,
    facts TEXT NOT NULL,
    quantities TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    deflated INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;

  -- One narrow row per post still owed; gone when decided.
  CREATE TABLE owed (seq INTEGER PRIMARY KEY, public_key TEXT NOT NULL, project TEXT NOT NULL) STRICT;
  CREATE INDEX owed_by_upstream ON owed (public_key, project, seq);

  -- What became of an item: set once. \`item\` -1 speaks for every item of the submission.
  CREATE TABLE outcomes (
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (seq, item)
  ) STRICT, WITHOUT ROWID;

  -- One attempt and its answer.
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    upstream TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    rate_limits TEXT,
    retry_after TEXT,
    answer TEXT,
    form TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    maybe_delivered INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_seq ON deliveries (seq, attempt);

  CREATE TABLE limits (
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    category TEXT NOT NULL,
    until INTEGER NOT NULL,
    told_at INTEGER NOT NULL,
    reason TEXT,
    PRIMARY KEY (public_key, project, category)
  ) STRICT, WITHOUT ROWID;

  -- Each fact takes the next number; the cursor of everybody who waits.
  CREATE TABLE journal (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    seq INTEGER
  ) STRICT;

  -- received, and each outcome, per category. Written with the fact itself, never derived from rows.
  CREATE TABLE books (
    category TEXT NOT NULL,
    entry TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (category, entry)
  ) STRICT, WITHOUT ROWID;

  -- What the door refused: envelopes and bytes, for what was refused has no items.
  CREATE TABLE refusals (reason TEXT PRIMARY KEY, envelopes INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;

  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  `
  -- Doors are the program's to know: a check in the table could not be widened without copying every record. Taking it
  -- out of the text of the schema is the way that SQLite describes ("ALTER TABLE", section 8).
  PRAGMA writable_schema = ON;
  UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (door IN (''envelope'', ''tunnel'', ''stream'', ''store''))', '')
    WHERE type = 'table' AND name = 'submissions';
  PRAGMA writable_schema = RESET;
  -- How long the collector had been running, in all its lives, when this became owed (ms): a clock that jumps ages nothing.
  ALTER TABLE owed ADD COLUMN ran_at INTEGER NOT NULL DEFAULT 0;
  -- Stored bytes of what is owed, so that its share of the cap is known without a scan.
  ALTER TABLE owed ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE owed SET stored_bytes = (SELECT length(body) FROM submissions s WHERE s.seq = owed.seq);
  `,
  `
  -- What is counted for as long as the folder lives: what was evicted, what overflowed, how long it ran.
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- What is looked for because it is rare: nothing is written for what went as it goes most often.
  CREATE INDEX outcomes_unusual ON outcomes (outcome, seq, item) WHERE outcome NOT IN ('accepted', 'kept');
  CREATE INDEX deliveries_unusual ON deliveries (status) WHERE status IS NOT 200;
  INSERT INTO counters SELECT 'copies', count(*) FROM submissions WHERE door = 'stream';
  `,
]

/** The data folder was written by a newer Waystation: reading it with this one could lose what it does not know. */
export class NewerSchemaError extends Error {
  constructor(found: number) {
    super(
      `spool.db has version ${found}, this Waystation knows ${MIGRATIONS.length}: use the newer one, or another data folder`,
    )
    this.name = 'NewerSchemaError'
  }
}

/** Brings the file to today's version, one migration after the other, each in a transaction of its own. */
export function migrate(db: Database): void {
  const found = Number(db.pragma('user_version', { simple: true }))
  if (found > MIGRATIONS.length) throw new NewerSchemaError(found)
  for (const [offset, statements] of MIGRATIONS.slice(found).entries()) {
    // Only unsafe mode lets a migration touch the schema's text.
    db.unsafeMode(true)
    db.transaction(() => {
      db.exec(statements)
      db.pragma(`user_version = ${found + offset + 1}`)
    }).immediate()
    db.unsafeMode(false)
  }
}
