import type { Database } from 'better-sqlite3'
import { createTerms } from './rows/terms-index'
import { createRowCounts } from './rows/write-staged'

/** The version of the index. An index with another version is rebuilt from the record, so tables need no migrations. */
export const DIGEST_VERSION = 17

/** No foreign keys: a span may arrive before its segment. `_us`: µs, from telemetry; `_at`: ms, from the collector. */
const SCHEMA = `
  -- The last digested record, and the limits for reading payloads: other limits would give other rows.
  CREATE TABLE cursor (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL,
    limits TEXT NOT NULL,
    -- Progress of a rebuild: the last record that was there at its start (0: none), records done, start time.
    goal INTEGER NOT NULL,
    done INTEGER NOT NULL,
    begun_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE envelopes (
    seq INTEGER PRIMARY KEY,
    journal INTEGER NOT NULL,
    digested_at INTEGER NOT NULL,
    -- Copied from the record, so that a list need not read the pages with the bodies.
    received_at INTEGER NOT NULL,
    endpoint TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('digested', 'undigested')),
    copy INTEGER NOT NULL,
    event_id TEXT,
    trace_id TEXT,
    -- 1 when only the envelope header names the trace.
    trace_of_header INTEGER NOT NULL,
    sdk TEXT,
    environment TEXT,
    stamp TEXT,
    -- 1: sent by Waystation's own app, the lab excepted.
    own INTEGER NOT NULL,
    page TEXT,
    project TEXT NOT NULL,
    -- The key of the visit of a page that its contents name: \`session:ID\` or \`replay:ID\` (\`visit-key.ts\`).
    visit TEXT
  ) STRICT;
  -- Other envelopes are found through their items.
  CREATE INDEX envelopes_by_trace ON envelopes (trace_id) WHERE trace_of_header = 1;
  CREATE INDEX envelopes_own ON envelopes (own) WHERE own = 1;
  CREATE INDEX envelopes_by_stamp ON envelopes (stamp) WHERE stamp IS NOT NULL;

  CREATE TABLE items (
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    type TEXT NOT NULL,
    category TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    -- Of a transaction: its spans, which the category does not count.
    inner_spans INTEGER NOT NULL,
    trace_id TEXT,
    event_id TEXT,
    problem TEXT,
    PRIMARY KEY (seq, item)
  ) STRICT, WITHOUT ROWID;
  -- Items of the excluded types are found through \`trace_records\`: an index on them would cost a page write per
  -- envelope.
  CREATE INDEX items_by_trace ON items (trace_id) WHERE trace_id IS NOT NULL AND type NOT IN ('event', 'transaction', 'span');
  CREATE INDEX items_by_journal ON items (journal, item, type);

  CREATE TABLE traces (
    -- The order of the list: the position of its first record (\`list-page.ts\`). A trace is found by its id through
    -- \`trace_records\`, which gives this position.
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
    copy TEXT NOT NULL,
    -- 1 when all of its records are own telemetry.
    own INTEGER NOT NULL
  ) STRICT;
  -- Search terms by list position (\`terms-traces.ts\`).
  ${createTerms('trace_terms')};

  -- The records of a trace and its span ids in each. The first record gives the trace its list position; the trace is
  -- deleted with its last record. Spans are read from the records.
  CREATE TABLE trace_records (
    trace_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    journal INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    is_copy INTEGER NOT NULL,
    -- Index of the trace among the traces of the record.
    slot INTEGER NOT NULL,
    stamp TEXT,
    own INTEGER NOT NULL,
    page TEXT,
    project TEXT NOT NULL,
    -- Distinct spans, their first start and last end and, when the record has no segment of the trace, the first name
    -- in alphabetical order.
    span_count INTEGER NOT NULL,
    start_us INTEGER,
    end_us INTEGER,
    name TEXT,
    -- Per segment its id (8 bytes) and its number of spans (4 bytes, big-endian). Spans without a segment come last.
    segments BLOB,
    -- Span ids, 8 bytes each. The last column, so that the others are read without it.
    spans BLOB,
    PRIMARY KEY (trace_id, seq)
  ) STRICT, WITHOUT ROWID;
  -- Finds the traces of a record when it is erased. Visible rows are found through the indexes of the lists.
  CREATE INDEX trace_records_by_seq ON trace_records (seq);

  CREATE TABLE segments (
    trace_id TEXT NOT NULL,
    segment_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- The order of the list: the journal number of the visible record and the index of the segment in it.
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
    own INTEGER NOT NULL,
    page TEXT,
    project TEXT NOT NULL,
    -- The trace of the page before, as its SDK links it.
    previous_trace TEXT,
    PRIMARY KEY (trace_id, segment_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX segments_newest ON segments (list_position);
  CREATE INDEX segments_by_previous ON segments (previous_trace) WHERE previous_trace IS NOT NULL;
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
    digest TEXT,
    -- The group of the error (\`lib/grouping\`), and the version of the rules that chose it.
    group_hash TEXT NOT NULL,
    group_version INTEGER NOT NULL,
    -- Type and message with parameters replaced, type and message as sent, and the newest frame of the app.
    pattern TEXT NOT NULL,
    type TEXT,
    value TEXT,
    "function" TEXT,
    file TEXT,
    line INTEGER
  ) STRICT;
  CREATE INDEX events_newest ON events (journal DESC, event_id DESC);
  -- Covers the queries for the errors of a trace by time and for its totals.
  CREATE INDEX events_by_trace ON events (trace_id, timestamp_us, event_id, service) WHERE trace_id IS NOT NULL;

  -- Covers the queries for the events of a group by time, and for its last arrival.
  CREATE INDEX events_by_group ON events (group_hash, timestamp_us, event_id, journal);

  -- One row per group with visible events; deleted with the last one (\`write-groups.ts\`).
  CREATE TABLE error_groups (
    hash TEXT PRIMARY KEY,
    -- Of the event that was received last: the order of the list.
    journal INTEGER NOT NULL,
    count INTEGER NOT NULL,
    -- Distinct traces.
    traces INTEGER NOT NULL,
    first_us INTEGER NOT NULL,
    last_us INTEGER NOT NULL,
    newest_event_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX error_groups_newest ON error_groups (journal, hash);
  CREATE INDEX error_groups_first ON error_groups (first_us, hash);
  CREATE INDEX error_groups_by_count ON error_groups (count, hash);
  -- Events of a group per value of a field; the values of \`minute\` are numbers.
  CREATE TABLE error_group_values (
    hash TEXT NOT NULL,
    field TEXT NOT NULL,
    value ANY NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hash, field, value)
  ) STRICT, WITHOUT ROWID;

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

  -- Logs, metrics, sessions and the like in one shape; \`fields\` (JSON) has the columns of one kind.
  CREATE TABLE signals (
    kind TEXT NOT NULL,
    -- The signal's own id, or seq.item.position.
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

  -- Hidden contributions: when several records contribute to one row, the others wait here until the visible one is
  -- erased (\`write-contributions.ts\`).
  CREATE TABLE repeats (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    -- 0: relayed, 1: copy. Relayed contributions take precedence.
    is_copy INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    item INTEGER NOT NULL,
    position INTEGER NOT NULL,
    -- The columns of the row and its details, as JSON.
    row TEXT NOT NULL,
    PRIMARY KEY (kind, key, is_copy, rank, seq, item, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX repeats_by_seq ON repeats (seq);

  -- Search terms of the events and signals of a record, by its number (\`terms-records.ts\`).
  ${createTerms('record_terms')};

  CREATE TABLE row_counts (kind TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`

export interface NewIndexStart {
  readonly from: number
  /** The last record that is there at the start; 0 when there is none. */
  readonly goal: number
  readonly limits: string
  readonly at: number
}

export function createTables(db: Database, birth: NewIndexStart): void {
  db.transaction(() => {
    db.exec(SCHEMA)
    createRowCounts(db)
    db.prepare('INSERT INTO cursor VALUES (1, @from, @limits, @goal, 0, @at)').run(birth)
    db.pragma(`user_version = ${DIGEST_VERSION}`)
  }).immediate()
}

export const versionOf = (db: Database): number => Number(db.pragma('user_version', { simple: true }))
