import Sqlite, { type Database } from 'better-sqlite3'
import { codeOf } from '../runtime/sqlite-errors'

/**
 * Up to version 10, lab telemetry that was not relayed was `filtered`, which is a loss. Totals without a reason are of
 * version 4, which filtered nothing else. The second condition of the outcomes is that of the partial index: without it
 * SQLite reads them all.
 */
export const KEEP_LAB = `
  UPDATE outcomes SET outcome = 'kept'
    WHERE outcome = 'filtered' AND outcome NOT IN ('accepted', 'kept') AND reason = 'lab';
  INSERT INTO ledger_totals SELECT category, 'kept', 'lab', sum(quantity), sum(items) FROM ledger_totals
    WHERE entry = 'filtered' AND reason IN ('lab', '') GROUP BY category;
  DELETE FROM ledger_totals WHERE entry = 'filtered' AND reason IN ('lab', '');
  UPDATE stamp_ledger_totals SET entry = 'kept' WHERE entry = 'filtered' AND reason = 'lab';
  `

/**
 * `telemetry.db` can be rebuilt from `spool.db`, but that from nothing. Entry N migrates version N to N + 1. Never
 * change a released entry: only the last one has the names of today.
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
  `
  -- Refused by upstream for what they are: pending until a person decides, and not owed meanwhile.
  CREATE TABLE dead_letters (
    seq INTEGER PRIMARY KEY,
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    ran_at INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX dead_letters_by_upstream ON dead_letters (public_key, project, seq);

  -- What a post left out, and what scrubbing removed from it: JSON lists, NULL where nothing.
  ALTER TABLE deliveries ADD COLUMN left_out TEXT;
  ALTER TABLE deliveries ADD COLUMN removed TEXT;

  -- The books say why, too. Beside received and the outcomes there are \`pending\` (written when it becomes and when it
  -- ceases to be) and \`client_discard\` (what SDKs reported). \`reason\` is empty where the entry says it all.
  ALTER TABLE books RENAME TO books_without_reasons;
  CREATE TABLE books (
    category TEXT NOT NULL,
    entry TEXT NOT NULL,
    reason TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (category, entry, reason)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO books SELECT category, entry, '', quantity, items FROM books_without_reasons;
  INSERT INTO books
    SELECT category, 'pending', '', sum(CASE entry WHEN 'received' THEN quantity ELSE -quantity END),
      sum(CASE entry WHEN 'received' THEN items ELSE -items END)
    FROM books_without_reasons GROUP BY category;
  DROP TABLE books_without_reasons;

  -- The same for what came with a stamp, from the journal number \`since\` on. The stamps that were seen last are kept.
  CREATE TABLE stamp_books (
    stamp TEXT NOT NULL,
    category TEXT NOT NULL,
    entry TEXT NOT NULL,
    reason TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    items INTEGER NOT NULL,
    PRIMARY KEY (stamp, category, entry, reason)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE stamps (stamp TEXT PRIMARY KEY, journal INTEGER NOT NULL, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX stamps_by_journal ON stamps (journal);

  -- What was cut before it was relayed, until it is reported upstream.
  CREATE TABLE unreported (
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    reason TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (public_key, project, reason, category)
  ) STRICT, WITHOUT ROWID;

  -- Who told a limit, and for whom; \`told_by\` is the envelope whose answer it was.
  ALTER TABLE limits ADD COLUMN scope TEXT;
  ALTER TABLE limits ADD COLUMN told_by INTEGER;
  -- Each time a category was limited, from the first telling to the last end, and how much was cut meanwhile.
  CREATE TABLE limit_spells (
    id INTEGER PRIMARY KEY,
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    category TEXT NOT NULL,
    scope TEXT,
    reason TEXT,
    told_by INTEGER,
    told_at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    cut INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- What a page was told, and what came from it afterwards: \`broke\` while the limit ran, \`resumed\` when it had ended.
  CREATE TABLE told_pages (
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    page TEXT NOT NULL,
    category TEXT NOT NULL,
    told_at INTEGER NOT NULL,
    until INTEGER NOT NULL,
    told_with INTEGER NOT NULL,
    broke_seq INTEGER,
    broke_at INTEGER,
    resumed_seq INTEGER,
    resumed_at INTEGER,
    PRIMARY KEY (public_key, project, page, category)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX told_pages_by_time ON told_pages (told_at);
  `,
  `
  -- The names of the glossary: an intake endpoint, a pending delivery.
  ALTER TABLE submissions RENAME COLUMN door TO endpoint;
  ALTER TABLE owed RENAME TO pending_deliveries;
  DROP INDEX owed_by_upstream;
  CREATE INDEX pending_deliveries_by_upstream ON pending_deliveries (public_key, project, seq);
  UPDATE journal SET kind = 'pending' WHERE kind = 'owed';
  -- Ledger totals, for everything and per stamp.
  ALTER TABLE books RENAME TO ledger_totals;
  ALTER TABLE stamp_books RENAME TO stamp_ledger_totals;
  -- Upstream limits: when the answer that carried one was received, and the submission that it answered.
  ALTER TABLE limits RENAME COLUMN told_at TO received_at;
  ALTER TABLE limits RENAME COLUMN told_by TO source_seq;
  ALTER TABLE limit_spells RENAME TO limit_periods;
  ALTER TABLE limit_periods RENAME COLUMN told_at TO received_at;
  ALTER TABLE limit_periods RENAME COLUMN told_by TO source_seq;
  -- Limits that pages were sent, and the first envelope that violated each.
  ALTER TABLE told_pages RENAME TO page_limits;
  ALTER TABLE page_limits RENAME COLUMN told_at TO sent_at;
  ALTER TABLE page_limits RENAME COLUMN told_with TO sent_with;
  ALTER TABLE page_limits RENAME COLUMN broke_seq TO violated_seq;
  ALTER TABLE page_limits RENAME COLUMN broke_at TO violated_at;
  DROP INDEX told_pages_by_time;
  CREATE INDEX page_limits_by_time ON page_limits (sent_at);
  UPDATE counters SET name = 'sent_unnamed' WHERE name = 'told_unnamed';
  `,
  `
  -- Per page or stamp and category: quantities that arrived although their sender saw no answer, and quantities that a
  -- client report of the same sender counts as network_error. The smaller of the two is in the totals as answer_unseen.
  CREATE TABLE unseen_answers (
    public_key TEXT NOT NULL,
    project TEXT NOT NULL,
    source TEXT NOT NULL,
    category TEXT NOT NULL,
    arrived INTEGER NOT NULL,
    reported INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    PRIMARY KEY (public_key, project, source, category)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Method and path of requests to addresses that serve nothing, by the reason of their refusal.
  CREATE TABLE refused_paths (
    reason TEXT NOT NULL,
    path TEXT NOT NULL,
    envelopes INTEGER NOT NULL,
    PRIMARY KEY (reason, path)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- CRC-32 of body, facts and quantities as stored; NULL for records of earlier versions.
  ALTER TABLE submissions ADD COLUMN checksum INTEGER;
  `,
  `
  -- Copies have a share of the disk budget, and are found oldest first.
  CREATE INDEX copies ON submissions (endpoint) WHERE endpoint = 'stream';
  INSERT INTO counters (name, value)
    SELECT 'copy_bytes', sum(length(body)) FROM submissions WHERE endpoint = 'stream' HAVING count(*) > 0;
  `,
  KEEP_LAB,
  `
  -- The visitor who sent a record, by the hash of its cookie. Damage may have changed the facts.
  ALTER TABLE submissions ADD COLUMN visitor TEXT
    GENERATED ALWAYS AS (CASE WHEN json_valid(facts) THEN facts ->> 'visitor' END) VIRTUAL;
  CREATE INDEX submissions_by_visitor ON submissions (visitor, seq) WHERE visitor IS NOT NULL;
  `,
]

/** A newer version wrote the data folder. This one would lose data that it does not know of. */
class NewerSchemaError extends Error {
  constructor(found: number) {
    super(
      `spool.db has version ${found}, but this Waystation reads up to ${MIGRATIONS.length}: use the newer one, or another data folder`,
    )
    this.name = 'NewerSchemaError'
  }
}

/** Each step in its own transaction. @param upTo the version to stop at, for tests. @throws NewerSchemaError */
export function migrate(db: Database, upTo = MIGRATIONS.length): void {
  const found = Number(db.pragma('user_version', { simple: true }))
  if (found > MIGRATIONS.length) throw new NewerSchemaError(found)
  for (const [offset, statements] of MIGRATIONS.slice(found, upTo).entries()) {
    // A migration that edits sqlite_schema needs unsafe mode.
    db.unsafeMode(true)
    try {
      db.transaction(() => {
        db.exec(statements)
        db.pragma(`user_version = ${found + offset + 1}`)
      }).immediate()
    } catch (error) {
      throw codeOf(error) === 'SQLITE_ERROR' && error instanceof Error ? new WrongVersionError(found, error) : error
    } finally {
      db.unsafeMode(false)
    }
  }
}

/** The tables are not those of the version that the file names. */
class WrongVersionError extends Error {
  constructor(found: number, cause: Error) {
    super(
      `spool.db has version ${found} (user_version), but not the tables of that version (${cause.message}): put back a copy, or run waystation salvage`,
    )
    this.name = 'WrongVersionError'
  }
}

export const isVersionError = (error: unknown): boolean =>
  error instanceof NewerSchemaError || error instanceof WrongVersionError

let expected: ReadonlyMap<string, string> | null = null

/** The columns of each table of this version, as a text. */
export function expectedTables(): ReadonlyMap<string, string> {
  if (expected !== null) return expected
  const fresh = new Sqlite(':memory:')
  try {
    migrate(fresh)
    expected = tablesOf(fresh)
    return expected
  } finally {
    fresh.close()
  }
}

/** The difference from the tables of this version, as the end of a sentence about spool.db; `null` if there is none. */
export function tableProblem(db: Database): string | null {
  // Changes with every statement that changes a table; to read the tables each time would cost more.
  const cookie = [db.pragma('schema_version', { simple: true }), db.pragma('user_version', { simple: true })].join(' ')
  const known = checked.get(db)
  if (known?.cookie === cookie) return known.problem
  const problem = compareTables(db)
  checked.set(db, { cookie, problem })
  return problem
}

const checked = new WeakMap<Database, { readonly cookie: string; readonly problem: string | null }>()

function compareTables(db: Database): string | null {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version !== MIGRATIONS.length) return `has version ${version} instead of ${MIGRATIONS.length} (user_version)`
  const found = tablesOf(db)
  for (const [table, columns] of expectedTables()) {
    if (!found.has(table)) return `has no table ${table}`
    if (found.get(table) !== columns) return `has other columns in its table ${table} than this version`
  }
  return null
}

function tablesOf(db: Database): ReadonlyMap<string, string> {
  const rows = db
    .prepare(
      `SELECT t.name AS name, group_concat(c.name) AS columns FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' GROUP BY t.name`,
    )
    .all() as { name: string; columns: string }[]
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
