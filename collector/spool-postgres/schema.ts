import { COMMIT_BATCH } from './commit-batch'
import { LANES_IN_USE, TAKE_LANES } from './lanes'

/**
 * The large tables, each cut into the same ranges of numbers. A range leaves the journal first, so that a reader who finds
 * its facts finds their rows.
 */
export const PARTITIONED = ['journal', 'records', 'attempts', 'outcomes'] as const

/** Any number: the lock under which one collector creates a partition, and others wait. */
const PARTITION_LOCK = 7_271_960_132

/**
 * Entry N migrates version N to N + 1, in one transaction. Never change a released entry. The schema name is always
 * written out: a role named `waystation` has that schema on its search path, and others have not.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE waystation.collectors (
    id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    -- Its last sign of life, and its last call for lanes.
    seen_at timestamptz NOT NULL DEFAULT now(),
    relayed_at timestamptz NOT NULL DEFAULT '-infinity',
    -- Among how many lanes of an upstream it divides pending records.
    lanes int2 NOT NULL DEFAULT 1
  );

  -- Locked by each batch from its numbers to its commit, and never updated: an open snapshot would slow down updates of it.
  CREATE TABLE waystation.turn (id int2 PRIMARY KEY CHECK (id = 1));
  INSERT INTO waystation.turn VALUES (1);

  -- One row per batch: the number of its last fact, and its answer for a collector that lost the connection.
  CREATE TABLE waystation.commits (
    last int8 PRIMARY KEY,
    batch uuid NOT NULL UNIQUE,
    collector int4 NOT NULL,
    at int8 NOT NULL,
    first_seq int8,
    settled int8[] NOT NULL DEFAULT '{}',
    requeued int8[] NOT NULL DEFAULT '{}'
  );
  CREATE INDEX commits_by_time ON waystation.commits (at);

  -- One received body, never updated. Its number is that of its fact. The body is deflated already.
  CREATE TABLE waystation.records (
    seq int8 NOT NULL PRIMARY KEY,
    receipt text NOT NULL,
    received_at int8 NOT NULL,
    endpoint text NOT NULL,
    project text NOT NULL,
    public_key text NOT NULL,
    stamp text,
    facts text NOT NULL,
    quantities text NOT NULL,
    reported_limits text,
    status text NOT NULL,
    bytes int4 NOT NULL,
    stored_bytes int4 NOT NULL,
    deflated bool NOT NULL,
    checksum int8 NOT NULL,
    collector int4 NOT NULL,
    -- Hash of the cookie of the visitor who sent it.
    visitor text,
    body bytea NOT NULL
  ) PARTITION BY RANGE (seq);
  CREATE INDEX records_by_visitor ON waystation.records (visitor, seq) WHERE visitor IS NOT NULL;
  ALTER TABLE waystation.records ALTER body SET STORAGE EXTERNAL, ALTER facts SET STORAGE MAIN;

  CREATE TABLE waystation.journal (
    n int8 NOT NULL PRIMARY KEY, at int8 NOT NULL, kind text NOT NULL, seq int8
  ) PARTITION BY RANGE (n);

  -- n is the number of its fact.
  CREATE TABLE waystation.attempts (
    seq int8 NOT NULL, n int8 NOT NULL, attempt json NOT NULL, became_dead bool NOT NULL, PRIMARY KEY (seq, n)
  ) PARTITION BY RANGE (seq);

  -- Item -1 speaks for every item.
  CREATE TABLE waystation.outcomes (
    seq int8 NOT NULL, item int4 NOT NULL, outcome text NOT NULL, reason text, at int8 NOT NULL, PRIMARY KEY (seq, item)
  ) PARTITION BY RANGE (seq);

  CREATE TABLE waystation.receipts (receipt text PRIMARY KEY, seq int8 NOT NULL, at int8 NOT NULL);
  CREATE INDEX receipts_by_time ON waystation.receipts (at);

  -- ran_ms: running time of the store when it became pending.
  CREATE TABLE waystation.pending_deliveries (
    seq int8 PRIMARY KEY, public_key text NOT NULL, project text NOT NULL, lane int2 NOT NULL, ran_ms int8 NOT NULL,
    stored_bytes int4 NOT NULL
  );
  CREATE INDEX pending_deliveries_by_lane ON waystation.pending_deliveries (public_key, project, lane, seq);

  CREATE TABLE waystation.dead_letters (
    seq int8 PRIMARY KEY, public_key text NOT NULL, project text NOT NULL, lane int2 NOT NULL, ran_ms int8 NOT NULL,
    stored_bytes int4 NOT NULL, at int8 NOT NULL, status int4 NOT NULL
  );
  CREATE INDEX dead_letters_by_upstream ON waystation.dead_letters (public_key, project, seq);

  -- Deliveries of a lane are posted by one collector at a time. Renewed often, so its pages keep space for new versions.
  CREATE TABLE waystation.lanes (
    public_key text NOT NULL, project text NOT NULL, lane int2 NOT NULL, owner int4, token int8 NOT NULL DEFAULT 0,
    until timestamptz NOT NULL DEFAULT '-infinity', state json, PRIMARY KEY (public_key, project, lane)
  ) WITH (fillfactor = 10);

  -- Changes of the totals, appended by each batch, and later summed into ledger_totals. n is the last number of the batch,
  -- journal that of the record that it counts.
  CREATE TABLE waystation.totals_added (
    n int8 NOT NULL, stamp text, journal int8 NOT NULL, category text NOT NULL, entry text NOT NULL, reason text NOT NULL,
    quantity int8 NOT NULL, items int8 NOT NULL
  );
  CREATE INDEX totals_added_by_number ON waystation.totals_added (n);
  CREATE TABLE waystation.ledger_totals (
    category text NOT NULL, entry text NOT NULL, reason text NOT NULL, quantity int8 NOT NULL, items int8 NOT NULL,
    PRIMARY KEY (category, entry, reason)
  );

  -- Changes without a fact of their own, for mirrors: refusals, settings, limits.
  CREATE TABLE waystation.changes (n int8 NOT NULL, ordinal int4 NOT NULL, change json NOT NULL, PRIMARY KEY (n, ordinal));

  -- Quantities that were left out of posts, appended; negative where a client report has told upstream.
  CREATE TABLE waystation.unreported (
    public_key text NOT NULL, project text NOT NULL, reason text NOT NULL, category text NOT NULL, quantity int8 NOT NULL
  );
  CREATE INDEX unreported_by_upstream ON waystation.unreported (public_key, project);

  CREATE TABLE waystation.limits (
    public_key text NOT NULL, project text NOT NULL, category text NOT NULL, until int8 NOT NULL, received_at int8 NOT NULL,
    reason text, scope text, source_seq int8, PRIMARY KEY (public_key, project, category)
  );

  CREATE TABLE waystation.settings (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE waystation.counters (name text PRIMARY KEY, value int8 NOT NULL);
  INSERT INTO waystation.counters
    VALUES ('ran_ms', 0), ('partition_numbers', current_setting('waystation.partition_numbers')::int8);

  -- Creates what is missing of partition p of each large table, with the rights of the owner: a collector may have fewer.
  CREATE FUNCTION waystation.add_partition(p int8) RETURNS void LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = waystation, pg_temp AS $$
  DECLARE
    parent text;
    numbers int8 := (SELECT value FROM waystation.counters WHERE name = 'partition_numbers');
  BEGIN
    IF to_regclass(format('waystation.%I', '${PARTITIONED.at(-1)}_' || p)) IS NOT NULL THEN RETURN; END IF;
    -- Another collector may create the same tables.
    PERFORM pg_advisory_xact_lock(${PARTITION_LOCK});
    FOREACH parent IN ARRAY ARRAY['${PARTITIONED.join("', '")}'] LOOP
      IF to_regclass(format('waystation.%I', parent || '_' || p)) IS NOT NULL THEN CONTINUE; END IF;
      EXECUTE format('CREATE TABLE waystation.%I (LIKE waystation.%I INCLUDING ALL)', parent || '_' || p, parent);
      EXECUTE format('ALTER TABLE waystation.%I ATTACH PARTITION waystation.%I FOR VALUES FROM (%s) TO (%s)',
        parent, parent || '_' || p, p * numbers, (p + 1) * numbers);
    END LOOP;
  END $$;
  SELECT waystation.add_partition(0), waystation.add_partition(1);
  ${COMMIT_BATCH}
  ${LANES_IN_USE}
  ${TAKE_LANES}
  `,
]
