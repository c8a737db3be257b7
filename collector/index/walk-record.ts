import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { Endpoint } from '../../lib/protocol/record'
import type { Rows } from '../../lib/protocol/traversal/rows'
import { walkEnvelope } from '../../lib/protocol/traversal/walk-envelope'
import { inflate } from '../spool/record-body'

/** A record as the spool keeps it. */
export interface SpoolRecord {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly endpoint: Endpoint
  readonly stamp: string | null
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
}

/** Columns of `submissions` that make one. */
export const RECORD_COLUMNS = 'seq, journal, received_at, endpoint, stamp, bytes, deflated, body'

/**
 * The one walk over a record, whether its rows are made or taken away or its spans are read.
 * @throws when the record frames as nothing, or its payload breaks a parser: a bug, for the endpoint let it in.
 */
export function walkRecord(record: SpoolRecord, rows: Rows, digestedAt: number, limits: ReadLimits): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp } = record
  const recorded = { seq, journal, receivedAt, endpoint, stamp, copy: endpoint === 'stream', body: inflate(record) }
  walkEnvelope(recorded, rows, digestedAt, limits)
}
