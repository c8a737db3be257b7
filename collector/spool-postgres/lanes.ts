import { type LaneKey, type LaneStatus, LEASE_MS, type OwnedLane, type TakenLanes } from '../spool/lanes'
import type { StoreConnection } from './connection'

/**
 * Renews the lanes of a collector and takes free ones up to its share, which is the number of lanes divided by that of the
 * collectors that called this within a lease, rounded up. A lane with another owner than the last one has a higher token.
 */
export const TAKE_LANES = `
CREATE FUNCTION waystation.take_lanes(me int4, keys json, lease interval)
RETURNS TABLE (public_key text, project text, lane int2, token int8, share int4)
LANGUAGE plpgsql SET search_path = waystation, pg_temp AS $$
#variable_conflict use_column
DECLARE
  fair int;
  kept int;
BEGIN
  UPDATE collectors SET seen_at = clock_timestamp(), relayed_at = clock_timestamp() WHERE id = me;
  INSERT INTO lanes (public_key, project, lane)
    SELECT k."publicKey", k.project, k.lane FROM json_to_recordset(keys) AS k ("publicKey" text, project text, lane int2)
    ON CONFLICT DO NOTHING;
  SELECT ceil(json_array_length(keys)::numeric / greatest(1, count(*))) INTO fair
    FROM collectors WHERE relayed_at > clock_timestamp() - lease;

  UPDATE lanes SET until = clock_timestamp() + lease WHERE owner = me;
  GET DIAGNOSTICS kept = ROW_COUNT;
  IF kept < fair THEN
    WITH free AS (SELECT l.public_key, l.project, l.lane FROM lanes l
        JOIN json_to_recordset(keys) AS k ("publicKey" text, project text, lane int2)
          ON (l.public_key, l.project, l.lane) = (k."publicKey", k.project, k.lane)
        WHERE l.owner IS NULL OR (l.owner <> me AND l.until < clock_timestamp())
        ORDER BY l.public_key, l.project, l.lane LIMIT fair - kept FOR UPDATE OF l SKIP LOCKED)
      UPDATE lanes l SET owner = me, token = l.token + 1, until = clock_timestamp() + lease
        FROM free WHERE (l.public_key, l.project, l.lane) = (free.public_key, free.project, free.lane);
  END IF;
  RETURN QUERY SELECT l.public_key, l.project, l.lane, l.token, fair FROM lanes l WHERE l.owner = me
    UNION ALL SELECT NULL, NULL, NULL, NULL, fair WHERE NOT EXISTS (SELECT FROM lanes WHERE owner = me);
END $$;
`

const OF_OWNER = 'public_key = $1 AND project = $2 AND lane = $3 AND owner = $4 AND token = $5'

/** Leases of one collector. @param collector its id in the store */
export function createLanes(connection: StoreConnection, collector: number) {
  const own = (lane: OwnedLane): readonly unknown[] => [lane.publicKey, lane.project, lane.lane, collector, lane.token]
  return {
    takeLanes: async (keys: readonly LaneKey[]): Promise<TakenLanes> => {
      const rows = await connection.query<OwnedLane & { readonly publicKey: string | null; readonly share: number }>({
        name: 'take_lanes',
        text: `SELECT public_key AS "publicKey", project, lane, token, share FROM waystation.take_lanes($1, $2, $3::interval)`,
        values: [collector, JSON.stringify(keys), `${LEASE_MS} milliseconds`],
      })
      return {
        share: rows[0]?.share ?? 0,
        lanes: rows.flatMap(({ share: _, ...lane }) => (lane.publicKey === null ? [] : [lane])),
      }
    },
    releaseLane: async (lane: OwnedLane): Promise<void> => {
      await connection.query({
        text: `UPDATE waystation.lanes SET owner = NULL, until = clock_timestamp() WHERE ${OF_OWNER}`,
        values: [...own(lane)],
      })
    },
    leave: async (): Promise<void> => {
      await connection.query({
        text: `WITH gone AS (UPDATE waystation.collectors SET relayed_at = '-infinity' WHERE id = $1)
          UPDATE waystation.lanes SET owner = NULL, until = clock_timestamp() WHERE owner = $1`,
        values: [collector],
      })
    },
    publishLane: async (lane: OwnedLane, state: string): Promise<void> => {
      await connection.query({
        text: `UPDATE waystation.lanes SET state = $6 WHERE ${OF_OWNER}`,
        values: [...own(lane), state],
      })
    },
    readLanes: async (keys: readonly LaneKey[]): Promise<readonly LaneStatus[]> => {
      const rows = await connection.query<LaneStatus>({
        name: 'read_lanes',
        text: READ,
        values: [JSON.stringify(keys)],
      })
      return rows
    },
  }
}

// Names are host, process and a random part. Nobody has relayed a lane that was never taken since its oldest record came.
const READ = `SELECT k."publicKey", k.project, k.lane, l.state::text AS state,
    CASE WHEN l.owner IS NOT NULL AND l.until > clock_timestamp() THEN split_part(c.name, ' ', 1) || ' ' || split_part(c.name, ' ', 2) END AS owner,
    CASE WHEN l.until > clock_timestamp() THEN 0
      WHEN l.until > '-infinity' THEN (extract(epoch FROM clock_timestamp() - l.until) * 1000)::int8
      ELSE coalesce((SELECT greatest(0, (extract(epoch FROM clock_timestamp()) * 1000)::int8 - r.received_at)
        FROM waystation.pending_deliveries p JOIN waystation.records r USING (seq)
        WHERE (p.public_key, p.project, p.lane) = (k."publicKey", k.project, k.lane) ORDER BY p.seq LIMIT 1), 0) END AS "unownedMs"
  FROM json_to_recordset($1) AS k ("publicKey" text, project text, lane int2) LEFT JOIN waystation.lanes l
      ON (l.public_key, l.project, l.lane) = (k."publicKey", k.project, k.lane)
    LEFT JOIN waystation.collectors c ON c.id = l.owner`
