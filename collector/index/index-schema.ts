import type { Database } from 'better-sqlite3'
import { createTerms } from './terms-index'
import { createRowCounts } from './write-staged'

/** `telemetry.db` holds only what can be digested again. Another number here, and the rows are made anew from the record. */
export const DIGEST_VERSION = 8

/**
 * No foreign keys between signals: a span may arrive before its segment, an error without either. All times of
 * telemetry are µs since the epoch, ours are ms.
 */
const SCHEMA = `
  -- How far the rows go, and by which limits payloads were read: by others they would be other rows.
  CREATE TABLE cursor (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    limits TEXT NOT NULL,
    -- A digest of what was there before the file: its last record, what of it is done, since when. 0 where nothing was.
    goal INTEGER NOT NULL,
    done INTEGER NOT NULL,
    begun_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE envelopes (
    seq INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    digested_at INTEGER NOT NULL,
    -- As the record has them, so that a list need not go through the bodies.
    received_at INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('digested', 'undigested')),
    copy INTEGER NOT NULL,
    event_id TEXT,
    trace_id TEXT,
    -- 1 where no item tells of a trace.
    trace_of_header INTEGER NOT NULL,
    sdk TEXT,
    environment TEXT,
    stamp TEXT
  ) STRICT;
  -- Those of other traces are found by what their items tell.
  CREATE INDEX envelopes_by_trace ON envelopes (trace_id) WHERE trace_of_header = 1;
  CREATE INDEX envelopes_by_stamp ON envelopes (stamp) WHERE stamp IS NOT NULL;

  CREATE TABLE items (
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    type TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    trace_id TEXT,
    event_id TEXT,
    problem TEXT,
    PRIMARY KEY (seq, item)
  ) STRICT, WITHOUT ROWID;
  -- Of the others \`trace_records\` says which records have them: an index by trace is a page to be written per envelope.
  CREATE INDEX items_by_trace ON items (trace_id) WHERE trace_id IS NOT NULL AND type NOT IN ('event', 'transaction', 'span');
  CREATE INDEX items_by_journal ON items (journal, item, type);

  CREATE TABLE traces (
    -- In the list, which goes by it: by the first record that tells of it (\`list-place.ts\`). So \`trace_records\` finds a
    -- trace by its id.
    list_position INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL,
    journal INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    start_us INTEGER NOT NULL,
    end_us INTEGER NOT NULL,
    name TEXT NOT NULL,
    op TEXT,
    status TEXT,
    segment_count INTEGER NOT NULL,
    span_count INTEGER NOT NULL,
    error_count INTEGER NOT NULL,
    services TEXT NOT NULL,
    environment TEXT,
    release TEXT,
    copy TEXT NOT NULL
  ) STRICT;
  -- By what a trace can be found, under its place in the list (\`terms.ts\`).
  ${createTerms('trace_terms')};

  -- Which records tell of a trace, and of which spans: the first gives it its place in the list, and with the last it
  -- goes. The spans themselves are read from the records.
  CREATE TABLE trace_records (
    trace_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    -- Which of the traces that the record tells of.
    slot INTEGER NOT NULL,
    stamp TEXT,
    -- Spans of this trace, each counted once; of them the first start, the last end and, where the record tells of no
    -- segment, the first name of all.
    span_count INTEGER NOT NULL,
    start_us INTEGER,
    end_us INTEGER,
    name TEXT,
    -- Per segment its id (8 bytes) and how many of the spans are of it (4, big-endian); what is left over has none.
    segments BLOB,
    -- Ids, 8 bytes each. Last, so that what stands before them is read without them.
    spans BLOB,
    PRIMARY KEY (trace_id, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE segments (
    trace_id TEXT NOT NULL,
    segment_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- In the list: by the record that is shown of it, and which of the segments it tells of.
    list_position INTEGER NOT NULL,
    copy TEXT NOT NULL,
    parent_span_id TEXT,
    name TEXT NOT NULL,
    op TEXT,
    status TEXT,
    start_us INTEGER NOT NULL,
    end_us INTEGER NOT NULL,
    lifecycle TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT,
    release TEXT,
    sdk TEXT,
    stamp TEXT,
    PRIMARY KEY (trace_id, segment_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX segments_newest ON segments (list_position);
  ${createTerms('segment_terms')};

  CREATE TABLE events (
    event_id TEXT PRIMARY KEY,
    journal INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    copy TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    trace_id TEXT,
    span_id TEXT,
    timestamp_us INTEGER NOT NULL,
    level TEXT NOT NULL,
    platform TEXT,
    service TEXT NOT NULL,
    title TEXT NOT NULL,
    handled INTEGER,
    mechanism TEXT,
    "transaction" TEXT,
    environment TEXT,
    release TEXT,
    digest TEXT
  ) STRICT;
  CREATE INDEX events_newest ON events (journal DESC, event_id DESC);
  -- A trace's errors by time, and all that its sum takes of many.
  CREATE INDEX events_by_trace ON events (trace_id, timestamp_us, event_id, service) WHERE trace_id IS NOT NULL;

  CREATE TABLE breadcrumbs (
    event_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    timestamp_us INTEGER,
    category TEXT,
    type TEXT,
    level TEXT,
    message TEXT,
    data TEXT,
    PRIMARY KEY (event_id, position)
  ) STRICT, WITHOUT ROWID;

  -- Logs, metrics, sessions and the like, one shape for all; what only a kind has stands in \`fields\`.
  CREATE TABLE signals (
    kind TEXT NOT NULL,
    -- The thing's own id, or seq.item.place where each is its own.
    key TEXT NOT NULL,
    journal INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    copy TEXT NOT NULL,
    rank INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    timestamp_us INTEGER NOT NULL,
    trace_id TEXT,
    span_id TEXT,
    event_id TEXT,
    name TEXT NOT NULL,
    level TEXT,
    service TEXT,
    environment TEXT,
    release TEXT,
    fields TEXT NOT NULL,
    PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signals_newest ON signals (kind, journal DESC, key DESC);
  CREATE INDEX signals_by_trace ON signals (trace_id) WHERE trace_id IS NOT NULL;

  -- What was told again: of several rows with one identity the others wait here, so that one of them can take the
  -- place when the record behind the shown one goes.
  CREATE TABLE repeats (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    -- 0 came on the path, 1 as a copy: what came on the path is preferred.
    is_copy INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- The row by its columns, and what hangs from it, as JSON.
    row TEXT NOT NULL,
    PRIMARY KEY (kind, key, is_copy, rank, seq, item, position)
  ) STRICT, WITHOUT ROWID;

  -- By what the events and signals of a record can be found, under its number (\`record-terms.ts\`).
  ${createTerms('record_terms')};

  CREATE TABLE row_counts (kind TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

/** What a new file of rows is told at its birth. */
export interface NewIndexStart {
  /** Rows of records up to here are not made: they were evicted. */
  readonly from: number
  /** The last record that is there already; 0 when there is none. */
  readonly goal: number
  readonly limits: string
  readonly at: number
}

/** Makes the tables of an empty file; a file of another version is the caller's to replace. */
export function createTables(db: Database, birth: NewIndexStart): void {
  db.transaction(() => {
    db.exec(SCHEMA)
    createRowCounts(db)
    db.prepare('INSERT INTO cursor VALUES (1, @from, @limits, @goal, 0, @at)').run(birth)
    db.pragma(`user_version = ${DIGEST_VERSION}`)
  }).immediate()
}

export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }))
