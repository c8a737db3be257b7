import { MAX_LIMITS_PER_PROJECT } from '../spool/submission'

/**
 * The whole group commit in one statement, so no connection can stall between taking its numbers and its commit. It
 * updates no row but settings and limits, which change rarely: rows that each batch updates slow down under an open
 * snapshot. Each `r_` has one element a record, each `a_` one an attempt to deliver, and each `d_` one a decision, whose
 * `d_from` is `pending`, `dead` or `any`. JSON is only where there are few elements, because each access parses all of it:
 *
 * - `v_owned`: `{ publicKey, project, lane, token, seqs }`: lanes of which the attempts and decisions `seqs` are results
 * - `v_totals`: `{ append, seqs, journal, stamp, category, entry, reason, quantity, items }`; `append` is the place of the
 *   record in the batch, from 1; one with `seqs` counts once for each of these records that this batch settles
 * - `more.requeued`: numbers of dead letters; `more.erased`: numbers of records that are deleted
 * - `more.cuts`: `{ seq, publicKey, project, reason, category, quantity }`; as totals
 * - `more.facts`: `{ kind, seq }`; `more.changes`: any JSON; `more.settings`: `{ name, value }`, each name once
 * - `more.limits`: as `StoredLimit`, each category of a project once; before them those with `until` 0, which end
 *
 * `more` is null where there is none of it. Nothing is written, and `lost` names the records, when this collector does not
 * own such a lane with that token any more; nor when a receipt is known, which `duplicates` names. Plans are kept from the
 * first batch on, when the tables are empty, so scans of whole tables are switched off.
 */
export const COMMIT_BATCH = `
CREATE FUNCTION waystation.commit_batch(
  v_batch uuid, v_collector int4, v_at int8,
  r_receipt text[], r_received_at int8[], r_endpoint text[], r_project text[], r_key text[], r_stamp text[],
  r_facts text[], r_quantities text[], r_limits text[], r_status text[], r_outcome text[], r_reason text[], r_lane int2[], r_visitor text[],
  r_bytes int4[], r_stored int4[], r_deflated bool[], r_checksum int8[], r_offset int4[], r_length int4[], v_bodies bytea,
  a_seq int8[], a_dead bool[], a_status int4[], a_at int8[], a_attempt text[],
  d_seq int8[], d_from text[], d_item int4[], d_outcome text[], d_reason text[],
  v_owned json, v_totals json, more json,
  OUT duplicates json, OUT lost int8[], OUT first_seq int8, OUT settled int8[], OUT requeued int8[], OUT last int8
) LANGUAGE plpgsql SET search_path = waystation, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
  SET jit = off AS $$
DECLARE
  m_requeued json := more->'requeued';
  m_erased json := more->'erased';
  m_cuts json := more->'cuts';
  m_facts json := more->'facts';
  m_changes json := more->'changes';
  m_settings json := more->'settings';
  m_limits json := more->'limits';
  j int8;
  records int := cardinality(r_receipt);
  decisions int := cardinality(d_seq);
  attempted int := cardinality(a_seq);
  dead int8[] := ARRAY(SELECT seq FROM unnest(a_seq, a_dead) AS a (seq, dead) WHERE a.dead);
  all_settled bool;
  decided_at_once int := (SELECT count(*) FROM unnest(r_status) AS s WHERE s = 'decided');
  erased int8[] := '{}';
  died int8[] := '{}';
  ran int8;
BEGIN
  IF records > 0 THEN
    SELECT json_agg(json_build_object('receipt', x.receipt, 'seq', x.seq)) INTO duplicates
      FROM receipts x WHERE x.receipt = ANY (r_receipt);
    IF duplicates IS NOT NULL THEN RETURN; END IF;
  END IF;
  settled := '{}';
  requeued := '{}';

  -- Records leave the pending ones and the dead letters in the order of their numbers, so that batches do not deadlock.
  IF decisions + attempted > 0 THEN
    SELECT array_agg(DISTINCT s.seq) INTO lost
      FROM json_to_recordset(v_owned) AS w ("publicKey" text, project text, lane int2, token int8, seqs int8[]),
        unnest(w.seqs) AS s (seq)
      WHERE NOT EXISTS (SELECT FROM lanes l WHERE l.public_key = w."publicKey" AND l.project = w.project AND l.lane = w.lane
        AND l.owner = v_collector AND l.token = w.token);
    IF lost IS NOT NULL THEN RETURN; END IF;
    PERFORM FROM pending_deliveries p WHERE p.seq = ANY (d_seq || dead) ORDER BY p.seq FOR UPDATE;
    WITH gone AS (DELETE FROM pending_deliveries p
        WHERE p.seq = ANY (ARRAY(SELECT d.seq FROM unnest(d_seq, d_from) AS d (seq, f) WHERE d.f <> 'dead'))
        RETURNING p.seq),
      dropped AS (DELETE FROM dead_letters x
        WHERE x.seq = ANY (ARRAY(SELECT d.seq FROM unnest(d_seq, d_from) AS d (seq, f) WHERE d.f <> 'pending'))
        RETURNING x.seq),
      both_ AS (SELECT seq FROM gone UNION ALL SELECT seq FROM dropped)
      SELECT coalesce(array_agg(seq ORDER BY seq), '{}') INTO settled FROM both_;
  END IF;
  all_settled := cardinality(settled) = (SELECT count(DISTINCT u) FROM unnest(d_seq) AS u);
  IF cardinality(dead) > 0 THEN
    WITH refused AS (SELECT a.* FROM unnest(a_seq, a_dead, a_status, a_at) AS a (seq, dead, status, at) WHERE a.dead),
      gone AS (DELETE FROM pending_deliveries p USING refused WHERE p.seq = refused.seq
        RETURNING p.*, refused.at AS died_at, refused.status),
      added AS (INSERT INTO dead_letters SELECT seq, public_key, project, lane, ran_ms, stored_bytes, died_at, status FROM gone
        RETURNING seq)
      SELECT coalesce(array_agg(seq), '{}') INTO died FROM added;
  END IF;
  IF json_array_length(m_requeued) > 0 THEN
    WITH gone AS (DELETE FROM dead_letters x WHERE x.seq IN (SELECT value::int8 FROM json_array_elements_text(m_requeued))
        RETURNING x.*),
      added AS (INSERT INTO pending_deliveries SELECT seq, public_key, project, lane, ran_ms, stored_bytes FROM gone RETURNING seq)
      SELECT coalesce(array_agg(seq ORDER BY seq), '{}') INTO requeued FROM added;
  END IF;

  IF json_array_length(m_erased) > 0 THEN
    SELECT array_agg(value::int8) INTO erased FROM json_array_elements_text(m_erased);
    DELETE FROM records r WHERE r.seq = ANY (erased);
    DELETE FROM attempts a WHERE a.seq = ANY (erased);
    DELETE FROM outcomes o WHERE o.seq = ANY (erased);
  END IF;

  -- Another collector may have deleted a record: its result is ignored.
  IF attempted > 0 AND (SELECT count(*) FROM records r WHERE r.seq = ANY (a_seq)) < attempted THEN
    SELECT coalesce(array_agg(a.seq ORDER BY o), '{}'), array_agg(a.dead ORDER BY o), array_agg(a.attempt ORDER BY o), count(*)
      INTO a_seq, a_dead, a_attempt, attempted
      FROM unnest(a_seq, a_dead, a_attempt) WITH ORDINALITY AS a (seq, dead, attempt, o)
      WHERE EXISTS (SELECT FROM records r WHERE r.seq = a.seq);
  END IF;

  -- From here to the commit batches go one after the other, so that numbers become visible in their order.
  PERFORM FROM turn WHERE id = 1 FOR UPDATE;
  SELECT max(c.last) INTO j FROM commits c;
  j := coalesce(j, 0);

  IF records > 0 THEN
    SELECT value INTO ran FROM counters WHERE name = 'ran_ms';
    first_seq := j + 1;
    INSERT INTO records (seq, receipt, received_at, endpoint, project, public_key, stamp, facts, quantities, reported_limits,
        status, bytes, stored_bytes, deflated, checksum, collector, visitor, body)
      SELECT j + o, u.receipt, u.received_at, u.endpoint, u.project, u.key, u.stamp, u.facts, u.quantities, u.limits,
        u.status, u.bytes, u.stored, u.deflated, u.checksum, v_collector, u.visitor,
        substr(v_bodies, u.first, u.length)
      FROM unnest(r_receipt, r_received_at, r_endpoint, r_project, r_key, r_stamp, r_facts, r_quantities, r_limits, r_status,
          r_bytes, r_stored, r_deflated, r_checksum, r_visitor, r_offset, r_length) WITH ORDINALITY
        AS u (receipt, received_at, endpoint, project, key, stamp, facts, quantities, limits, status, bytes, stored, deflated,
          checksum, visitor, first, length, o);
    INSERT INTO receipts SELECT u.receipt, j + o, v_at FROM unnest(r_receipt) WITH ORDINALITY AS u (receipt, o);
    INSERT INTO pending_deliveries SELECT j + o, u.key, u.project, u.lane, ran, u.stored
      FROM unnest(r_key, r_project, r_lane, r_stored, r_status) WITH ORDINALITY AS u (key, project, lane, stored, status, o)
      WHERE u.status = 'pending';
    INSERT INTO outcomes SELECT j + o, -1, u.outcome, u.reason, v_at
      FROM unnest(r_outcome, r_reason, r_status) WITH ORDINALITY AS u (outcome, reason, status, o) WHERE u.status = 'decided';
  END IF;

  WITH facts AS (
      SELECT 1 AS part, o, 'received' AS kind, j + o AS seq FROM generate_series(1, records) AS o
      UNION ALL SELECT 2, o, 'decided', j + o FROM unnest(r_status) WITH ORDINALITY AS u (status, o) WHERE status = 'decided'
      UNION ALL SELECT 3, o, 'delivered', seq FROM unnest(a_seq) WITH ORDINALITY AS u (seq, o)
      UNION ALL SELECT 4, o, 'decided', seq FROM unnest(settled) WITH ORDINALITY AS u (seq, o)
      UNION ALL SELECT 5, o, 'pending', seq FROM unnest(requeued) WITH ORDINALITY AS u (seq, o)
      UNION ALL SELECT 6, o, value->>'kind', (value->>'seq')::int8 FROM json_array_elements(m_facts) WITH ORDINALITY AS u (value, o)),
    added AS (INSERT INTO journal SELECT j + row_number() OVER (ORDER BY part, o), v_at, kind, seq FROM facts RETURNING n)
    SELECT max(n) INTO last FROM added;
  -- A batch that settled nothing and changes only what has no fact.
  IF last IS NULL THEN
    last := j + 1;
    INSERT INTO journal VALUES (last, v_at, 'changed', NULL);
  END IF;

  IF attempted > 0 THEN
    INSERT INTO attempts SELECT a.seq, j + records + decided_at_once + o, a.attempt::json, a.dead AND a.seq = ANY (died)
      FROM unnest(a_seq, a_dead, a_attempt) WITH ORDINALITY AS a (seq, dead, attempt, o);
  END IF;
  IF decisions > 0 THEN
    INSERT INTO outcomes SELECT d.seq, d.item, d.outcome, d.reason, v_at
      FROM unnest(d_seq, d_item, d_outcome, d_reason) AS d (seq, item, outcome, reason)
      WHERE (all_settled OR d.seq = ANY (settled)) AND NOT d.seq = ANY (erased);
  END IF;
  -- Totals of a stamp count records from a number on, so they stay apart by record.
  INSERT INTO totals_added SELECT last, t.stamp, max(coalesce(j + t.append, t.journal)), t.category, t.entry, t.reason,
      sum(t.quantity * c.times), sum(t.items * c.times)
    FROM json_to_recordset(v_totals) AS t (append int4, seqs int8[], journal int8, stamp text, category text, entry text,
        reason text, quantity int8, items int8),
      LATERAL (SELECT CASE WHEN t.seqs IS NULL THEN 1 WHEN all_settled THEN cardinality(t.seqs)
        ELSE (SELECT count(*) FROM unnest(t.seqs) AS s WHERE s = ANY (settled)) END AS times) c
    WHERE c.times > 0
    GROUP BY t.stamp, t.category, t.entry, t.reason, CASE WHEN t.stamp IS NOT NULL THEN coalesce(j + t.append, t.journal) END
    HAVING sum(t.quantity * c.times) <> 0 OR sum(t.items * c.times) <> 0;
  -- Subtracts first, and never more than there is, as a mirror does.
  IF json_array_length(m_cuts) > 0 THEN
    INSERT INTO unreported SELECT c."publicKey", c.project, c.reason, c.category, -least(-sum(c.quantity), (
        SELECT coalesce(sum(u.quantity), 0) FROM unreported u WHERE u.public_key = c."publicKey" AND u.project = c.project
          AND u.reason = c.reason AND u.category = c.category))
      FROM json_to_recordset(m_cuts) AS c (seq int8, "publicKey" text, project text, reason text, category text, quantity int8)
      WHERE c.seq IS NULL GROUP BY c."publicKey", c.project, c.reason, c.category;
    INSERT INTO unreported SELECT c."publicKey", c.project, c.reason, c.category, c.quantity
      FROM json_to_recordset(m_cuts) AS c (seq int8, "publicKey" text, project text, reason text, category text, quantity int8)
      WHERE c.seq = ANY (settled);
  END IF;
  IF json_array_length(m_changes) + json_array_length(m_cuts) > 0 THEN
    INSERT INTO changes SELECT last, row_number() OVER (ORDER BY part, o), change FROM (
        SELECT 1 AS part, o, value AS change FROM json_array_elements(m_changes) WITH ORDINALITY AS u (value, o)
        UNION ALL SELECT 2, o, json_build_object('kind', 'cut', 'publicKey', value->'publicKey', 'project', value->'project',
            'discards', json_build_array(value), 'sign', 1)
          FROM json_array_elements(m_cuts) WITH ORDINALITY AS u (value, o) WHERE (value->>'seq')::int8 = ANY (settled)
      ) c;
  END IF;

  IF json_array_length(m_settings) > 0 THEN
    DELETE FROM settings s USING json_to_recordset(m_settings) AS g (name text, value text)
      WHERE s.name = g.name AND g.value IS NULL;
    INSERT INTO settings SELECT g.name, g.value FROM json_to_recordset(m_settings) AS g (name text, value text)
      WHERE g.value IS NOT NULL ON CONFLICT (name) DO UPDATE SET value = excluded.value;
  END IF;
  IF json_array_length(m_limits) > 0 THEN
    DELETE FROM limits x WHERE x.until <= v_at;
    DELETE FROM limits x USING json_to_recordset(m_limits) AS r ("publicKey" text, project text, category text, until int8)
      WHERE r.until = 0 AND (x.public_key, x.project, x.category) = (r."publicKey", r.project, r.category);
    INSERT INTO limits AS known SELECT g."publicKey", g.project, g.category, g.until, g."receivedAt", g.reason, g.scope, g."sourceSeq"
      FROM (SELECT *, row_number() OVER (PARTITION BY "publicKey", project) AS place
          FROM json_to_recordset(m_limits) AS r ("publicKey" text, project text, category text, until int8,
            "receivedAt" int8, reason text, scope text, "sourceSeq" int8)
          WHERE r.until > r."receivedAt") g
      WHERE (SELECT count(*) FROM limits k WHERE k.public_key = g."publicKey" AND k.project = g.project
        AND k.category <> g.category) + g.place <= ${MAX_LIMITS_PER_PROJECT}
      ON CONFLICT (public_key, project, category) DO UPDATE SET until = excluded.until, received_at = excluded.received_at,
        reason = excluded.reason, scope = excluded.scope, source_seq = excluded.source_seq
      WHERE excluded.until > known.until OR excluded.received_at < known.received_at;
  END IF;

  INSERT INTO commits (last, batch, collector, at, first_seq, settled, requeued)
    VALUES (last, v_batch, v_collector, v_at, first_seq, settled, requeued);
END $$;
`
