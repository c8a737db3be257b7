import { crc32 } from 'node:zlib'
import type { Submission } from '../../lib/protocol/submission'
import { MAX_LANES } from '../../lib/protocol/upstream-address'
import type { UpstreamKey } from '../spool/deliveries'
import { type LaneStatus, LEASE_MS, type OwnedLane, type TakenLanes } from '../spool/lanes'
import type { StoreConnection } from './connection'
import { leaveLanes, type Membership } from './membership'

/** The lane of a submission, at a collector that is configured for so many. */
export function laneOf({ quantities }: Pick<Submission, 'quantities'>, receipt: string, lanes: number): number {
  const isOrdered = quantities.some(({ category }) => category === 'session')
  return isOrdered ? 0 : crc32(receipt) % lanes
}

/**
 * The lanes in use: those for which a live collector is configured, and those that have a pending record. So no setting,
 * and no order in which collectors change theirs, can leave a record behind.
 */
export const LANES_IN_USE = `
CREATE FUNCTION waystation.lanes_in_use(upstreams json, lease interval)
RETURNS TABLE (public_key text, project text, lane int2, is_configured bool)
LANGUAGE sql SET search_path = waystation, pg_temp AS $$
  SELECT u."publicKey", u.project, n::int2, n < configured.lanes
    FROM json_to_recordset(upstreams) AS u ("publicKey" text, project text), generate_series(0, ${MAX_LANES - 1}) AS n,
      (SELECT greatest(1, max(c.lanes)) AS lanes FROM collectors c WHERE c.seen_at > clock_timestamp() - lease) AS configured
    WHERE n < configured.lanes
      -- No EXISTS: PostgreSQL may answer that from a hash of all pending records.
      OR (SELECT p.seq FROM pending_deliveries p
        WHERE p.public_key = u."publicKey" AND p.project = u.project AND p.lane = n ORDER BY p.seq LIMIT 1) IS NOT NULL;
$$;
`

/**
 * Renews the lanes of a collector and takes free ones up to its share, which is the number of lanes in use divided by that
 * of the collectors that called this within a lease; those with the lowest ids take the rest of the division. A lane with
 * another owner than the last one has a higher token, which comes from the clock: so a restored copy gives none again.
 */
export const TAKE_LANES = `
CREATE FUNCTION waystation.take_lanes(me int4, upstreams json, lease interval)
RETURNS TABLE (public_key text, project text, lane int2, token int8, share int4)
LANGUAGE plpgsql SET search_path = waystation, pg_temp AS $$
#variable_conflict use_column
DECLARE
  total int;
  live int;
  older int;
  fair int;
  kept int;
BEGIN
  UPDATE collectors SET seen_at = clock_timestamp(), relayed_at = clock_timestamp() WHERE id = me;
  INSERT INTO lanes (public_key, project, lane)
    SELECT u.public_key, u.project, u.lane FROM lanes_in_use(upstreams, lease) u
    ON CONFLICT DO NOTHING;
  SELECT count(*) INTO total FROM lanes_in_use(upstreams, lease);
  SELECT greatest(1, count(*)), count(*) FILTER (WHERE id < me) INTO live, older
    FROM collectors WHERE relayed_at > clock_timestamp() - lease;
  fair := total / live + CASE WHEN older < total % live THEN 1 ELSE 0 END;

  UPDATE lanes SET until = clock_timestamp() + lease WHERE owner = me;
  SELECT count(*) INTO kept FROM lanes l JOIN lanes_in_use(upstreams, lease) u USING (public_key, project, lane)
    WHERE l.owner = me;
  IF kept < fair THEN
    WITH free AS (SELECT l.public_key, l.project, l.lane FROM lanes l
        JOIN lanes_in_use(upstreams, lease) u USING (public_key, project, lane)
        WHERE l.owner IS NULL OR (l.owner <> me AND l.until < clock_timestamp())
        ORDER BY l.lane, l.public_key, l.project LIMIT fair - kept FOR UPDATE OF l SKIP LOCKED)
      UPDATE lanes l SET owner = me, token = greatest(l.token + 1, (extract(epoch FROM clock_timestamp()) * 1000)::int8),
          until = clock_timestamp() + lease
        FROM free WHERE (l.public_key, l.project, l.lane) = (free.public_key, free.project, free.lane);
  END IF;
  -- The last ones go back first: lanes that are not in use any more, then the highest numbers.
  RETURN QUERY SELECT l.public_key, l.project, l.lane, l.token, fair
    FROM (SELECT) AS always LEFT JOIN lanes l ON l.owner = me
      LEFT JOIN lanes_in_use(upstreams, lease) u ON (u.public_key, u.project, u.lane) = (l.public_key, l.project, l.lane)
    ORDER BY u.lane IS NULL, l.lane, l.public_key, l.project;
END $$;
`

const LEASE = `${LEASE_MS} milliseconds`
const OF_OWNER = 'public_key = $1 AND project = $2 AND lane = $3 AND owner = $4 AND token = $5'

/** Leases of one collector. */
export function createLanes(connection: StoreConnection, member: Membership) {
  const own = (lane: OwnedLane): readonly unknown[] => [lane.publicKey, lane.project, lane.lane, member.id, lane.token]
  return {
    takeLanes: async (upstreams: readonly UpstreamKey[]): Promise<TakenLanes> => {
      await member.check(connection)
      const rows = await connection.query<OwnedLane & { readonly publicKey: string | null; readonly share: number }>({
        name: 'take_lanes',
        text: `SELECT public_key AS "publicKey", project, lane, token, share FROM waystation.take_lanes($1, $2, $3::interval)`,
        values: [member.id, JSON.stringify(upstreams), LEASE],
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
    leave: () => leaveLanes(connection, member.id),
    publishLane: async (lane: OwnedLane, state: string): Promise<void> => {
      await connection.query({
        text: `UPDATE waystation.lanes SET state = $6 WHERE ${OF_OWNER}`,
        values: [...own(lane), state],
      })
    },
    readLanes: async (upstreams: readonly UpstreamKey[]): Promise<readonly LaneStatus[]> => {
      const rows = await connection.query<LaneStatus>({
        name: 'read_lanes',
        text: READ,
        values: [JSON.stringify(upstreams), LEASE],
      })
      return rows
    },
  }
}

// Names are host, process and a random part. A lane in use only until its pending records are delivered has no time without an
// owner; nobody has relayed a lane that was never taken since its oldest record came.
const READ = `SELECT u.public_key AS "publicKey", u.project, u.lane, l.state::text AS state,
    CASE WHEN l.owner IS NOT NULL AND l.until > clock_timestamp() THEN split_part(c.name, ' ', 1) || ' ' || split_part(c.name, ' ', 2) END AS owner,
    CASE WHEN l.until > clock_timestamp() OR NOT u.is_configured THEN 0
      WHEN l.until > '-infinity' THEN (extract(epoch FROM clock_timestamp() - l.until) * 1000)::int8
      ELSE coalesce((SELECT greatest(0, (extract(epoch FROM clock_timestamp()) * 1000)::int8 - r.received_at)
        FROM waystation.pending_deliveries p JOIN waystation.records r USING (seq)
        WHERE (p.public_key, p.project, p.lane) = (u.public_key, u.project, u.lane) ORDER BY p.seq LIMIT 1), 0) END AS "unownedMs"
  FROM waystation.lanes_in_use($1, $2::interval) u LEFT JOIN waystation.lanes l USING (public_key, project, lane)
    LEFT JOIN waystation.collectors c ON c.id = l.owner
  ORDER BY u.public_key, u.project, u.lane`
