import type { Database } from 'better-sqlite3'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { hex32 } from '../../lib/protocol/json'
import { type Endpoint, parseRecord } from '../../lib/protocol/record'
import type { RowVisitor } from '../../lib/protocol/traversal/rows'
import { MOST_ROWS, RowBudget, traverseEnvelope, traverseItem } from '../../lib/protocol/traversal/traverse-envelope'
import { prepareOnce } from '../spool/database'
import { BodyDamagedError, inflateBody } from '../spool/record-body'

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

export const RECORD_COLUMNS = 'seq, journal, received_at, endpoint, stamp, bytes, deflated, body'

/** @returns `null` when the record was evicted. */
export function readSpoolRecord(db: Database, seq: number): SpoolRecord | null {
  const row = prepareOnce(db, `SELECT ${RECORD_COLUMNS} FROM spool.submissions WHERE seq = ?`).get(seq)
  return (row as SpoolRecord | undefined) ?? null
}

/**
 * Traverses a record: the digest, the eraser and the judge agree on what it contains.
 * @throws when the record is not an envelope or breaks a parser: a bug, because the endpoint refuses such records.
 */
export function traverseRecord(record: SpoolRecord, visitor: RowVisitor, digestedAt: number, limits: ReadLimits): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp } = record
  const recorded = { seq, journal, receivedAt, endpoint, stamp, copy: endpoint === 'stream', body: inflateBody(record) }
  traverseEnvelope(recorded, visitor, digestedAt, limits)
}

const SPAN_ITEM_TYPES = new Set(['transaction', 'span'])

/**
 * Visits segments and spans at the same positions as `traverseRecord`.
 * @throws BodyDamagedError when the record cannot be inflated or parsed.
 */
export function traverseSpans(
  record: SpoolRecord,
  visitor: Pick<RowVisitor, 'segment' | 'span'>,
  limits: ReadLimits,
): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp } = record
  const parsed = parseRecord(endpoint, inflateBody(record))
  if (!parsed.ok) throw new BodyDamagedError(`not an envelope: ${parsed.error.message}`)
  const { header, items } = parsed.value
  const payloads = items.map(({ payload }) => payload)
  const context = { parsed: parsed.value, eventId: hex32(header.event_id), limits, budget: new RowBudget(payloads) }
  const all: RowVisitor = { ...visitor, envelope: ignore, item: ignore, event: ignore, signal: ignore }
  // Other items matter only when they can use up the row budget of the record. An entry takes at least two bytes.
  const fitsBudget = payloads.reduce((bytes, payload) => bytes + payload.length, 0) <= 2 * MOST_ROWS
  for (const [item, frame] of items.entries()) {
    if (fitsBudget && !SPAN_ITEM_TYPES.has(frame.header.type)) continue
    traverseItem(frame, context, all, { seq, item, journal, receivedAt, copy: endpoint === 'stream', stamp })
  }
}

const ignore = (): void => undefined
