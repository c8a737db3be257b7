import type { ReadLimits } from '../../lib/protocol/items/signal'
import type { Door } from '../../lib/protocol/record'
import type { Rows } from '../../lib/protocol/traversal/rows'
import { walkEnvelope } from '../../lib/protocol/traversal/walk-envelope'
import { inflate } from '../spool/record-body'

/** A record as the spool keeps it. */
export interface SpoolRecord {
  readonly seq: number
  readonly journal: number
  readonly received_at: number
  readonly door: Door
  readonly stamp: string | null
  readonly bytes: number
  readonly deflated: number
  readonly body: Uint8Array
}

/** Columns of `submissions` that make one. */
export const RECORD_COLUMNS = 'seq, journal, received_at, door, stamp, bytes, deflated, body'

/**
 * The one walk over a record, whether its rows are made or taken away or its spans are read.
 * @throws when the record frames as nothing, or its payload breaks a parser: a bug, for the door let it in.
 */
export function walkRecord(record: SpoolRecord, rows: Rows, digestedAt: number, limits: ReadLimits): void {
  const { seq, journal, received_at: receivedAt, door, stamp } = record
  const recorded = { seq, journal, receivedAt, door, stamp, copy: door === 'stream', body: inflate(record) }
  walkEnvelope(recorded, rows, digestedAt, limits)
}
