import type { LaneKey, OwnedLane } from '../spool/lanes'
import type { StoreConnection } from './connection'

/** A lane whose owner does not renew it for this long is free. */
export const LEASE_MS = 20_000

/**
 * Renews the lanes of a collector, gives back those above its share, and takes free ones up to it. The share is the
 * number of lanes divided by that of the collectors that were here within a lease, rounded up. Each new owner has a
 * higher token.
 */
export const TAKE_LANES = `
CREATE FUNCTION waystation.take_lanes(me int4, keys json, lease interval)
RETURNS TABLE (public_key text, project text, lane int2, token int8) LANGUAGE plpgsql SET search_path = waystation, pg_temp AS $$
#variable_conflict use_column
DECLARE
  share int;
  kept int;
BEGIN
  UPDATE collectors SET seen_at = clock_timestamp() WHERE id = me;
  INSERT INTO lanes (public_key, project, lane)
    SELECT k."publicKey", k.project, k.lane FROM json_to_recordset(keys) AS k ("publicKey" text, project text, lane int2)
    ON CONFLICT DO NOTHING;
  SELECT ceil(json_array_length(keys)::numeric / greatest(1, count(*))) INTO share
    FROM collectors WHERE seen_at > clock_timestamp() - lease;

  WITH own AS (SELECT l.public_key, l.project, l.lane,
        row_number() OVER (ORDER BY l.public_key, l.project, l.lane) <= share AS stays
      FROM lanes l WHERE l.owner = me)
    UPDATE lanes l SET owner = CASE WHEN own.stays THEN me END,
        token = l.token + CASE WHEN l.until < clock_timestamp() THEN 1 ELSE 0 END,
        until = CASE WHEN own.stays THEN clock_timestamp() + lease ELSE '-infinity' END
      FROM own WHERE (l.public_key, l.project, l.lane) = (own.public_key, own.project, own.lane) AND l.owner = me;
  SELECT count(*) INTO kept FROM lanes WHERE owner = me;
  IF kept < share THEN
    WITH free AS (SELECT l.public_key, l.project, l.lane FROM lanes l
        JOIN json_to_recordset(keys) AS k ("publicKey" text, project text, lane int2)
          ON (l.public_key, l.project, l.lane) = (k."publicKey", k.project, k.lane)
        WHERE l.owner IS NULL OR (l.owner <> me AND l.until < clock_timestamp())
        ORDER BY l.public_key, l.project, l.lane LIMIT share - kept FOR UPDATE OF l SKIP LOCKED)
      UPDATE lanes l SET owner = me, token = l.token + 1, until = clock_timestamp() + lease
        FROM free WHERE (l.public_key, l.project, l.lane) = (free.public_key, free.project, free.lane);
  END IF;
  RETURN QUERY SELECT l.public_key, l.project, l.lane, l.token FROM lanes l WHERE l.owner = me;
END $$;
`

/** Renews, takes and gives back lanes. @param at monotonic ms before the call: the lease begins no earlier at the server */
export async function takeLanes(
  connection: StoreConnection,
  collector: number,
  keys: readonly LaneKey[],
  at: number,
): Promise<readonly OwnedLane[]> {
  const rows = await connection.query<LaneKey & { readonly token: number }>({
    name: 'take_lanes',
    text: `SELECT public_key AS "publicKey", project, lane, token FROM waystation.take_lanes($1, $2, $3::interval)`,
    values: [collector, JSON.stringify(keys), `${LEASE_MS} milliseconds`],
  })
  return rows.map((row) => ({ ...row, until: at + LEASE_MS }))
}

export async function releaseLane(connection: StoreConnection, collector: number, lane: OwnedLane): Promise<void> {
  await connection.query({
    text: `UPDATE waystation.lanes SET owner = NULL, until = '-infinity'
      WHERE public_key = $1 AND project = $2 AND lane = $3 AND owner = $4 AND token = $5`,
    values: [lane.publicKey, lane.project, lane.lane, collector, lane.token],
  })
}

/** @param state JSON, for the collectors that do not own it */
export async function publishLane(
  connection: StoreConnection,
  collector: number,
  lane: OwnedLane,
  state: string,
): Promise<void> {
  await connection.query({
    text: `UPDATE waystation.lanes SET state = $6
      WHERE public_key = $1 AND project = $2 AND lane = $3 AND owner = $4 AND token = $5`,
    values: [lane.publicKey, lane.project, lane.lane, collector, lane.token, state],
  })
}
