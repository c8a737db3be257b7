import { LEASE_MS } from '../../spool/lanes'
import type { StoreConnection } from '../connection'

/**
 * The right to do a task that one collector at a time does. Its row is next to those of lanes, without a public key. The
 * owner has a negative sign there: calls for the lanes of a collector neither renew nor list it.
 */
export interface TaskLease {
  readonly task: string
  /** Id of the collector in the store. */
  readonly collector: number
  /** Grows with each holder. */
  readonly token: number
}

/**
 * Renews the lease of a task, or takes it when it is free. As for lanes, it is free when its owner did not renew it for
 * `LEASE_MS`. @returns `null` while another collector has it
 */
export async function takeTask(
  connection: StoreConnection,
  collector: number,
  task: string,
): Promise<TaskLease | null> {
  await connection.query({
    name: 'add_task',
    text: `INSERT INTO waystation.lanes (public_key, project, lane) VALUES ('', $1, 0) ON CONFLICT DO NOTHING`,
    values: [task],
  })
  const [row] = await connection.query<{ readonly token: number }>({
    name: 'take_task',
    text: `UPDATE waystation.lanes SET owner = $2, until = clock_timestamp() + $3::interval,
        token = token + CASE WHEN owner = $2 THEN 0 ELSE 1 END
      WHERE public_key = '' AND project = $1 AND lane = 0
        AND (owner IS NULL OR owner = $2 OR until < clock_timestamp())
      RETURNING token`,
    values: [task, -collector, `${LEASE_MS} milliseconds`],
  })
  return row === undefined ? null : { task, collector, token: row.token }
}

/** Another collector may take it at once. Does nothing if another one has it. */
export async function releaseTask(connection: StoreConnection, lease: TaskLease): Promise<void> {
  await connection.query({
    text: `UPDATE waystation.lanes SET owner = NULL, until = clock_timestamp() WHERE ${HELD_BY}`,
    values: heldBy(lease),
  })
}

/** The condition that a lease is held: a row of `waystation.lanes` for the values of `heldBy`. */
export const HELD_BY = `public_key = '' AND project = $1 AND owner = $2 AND token = $3`
export const heldBy = ({ task, collector, token }: TaskLease): unknown[] => [task, -collector, token]
