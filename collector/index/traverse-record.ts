import type { ReadLimits } from '../../lib/protocol/items/signal'
import { hex32 } from '../../lib/protocol/json'
import { type Endpoint, frameRecord } from '../../lib/protocol/record'
import { MOST_ROWS, RowBudget } from '../../lib/protocol/traversal/row-budget'
import type { RowVisitor } from '../../lib/protocol/traversal/rows'
import { traverseEnvelope, traverseItem } from '../../lib/protocol/traversal/traverse-envelope'
import { inflateBody } from '../spool/record-body'
import { BodyDamagedError } from '../spool/submission'

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
export function traverseRecord(record: SpoolRecord, rows: RowVisitor, digestedAt: number, limits: ReadLimits): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp } = record
  const recorded = { seq, journal, receivedAt, endpoint, stamp, copy: endpoint === 'stream', body: inflateBody(record) }
  traverseEnvelope(recorded, rows, digestedAt, limits)
}

const SPAN_ITEM_TYPES = new Set(['transaction', 'span'])

/**
 * Tells of a record's segments and spans alone: the same ones, at the same places, as the whole walk does.
 * @throws BodyDamagedError when the record cannot be inflated or frames as nothing: it did when it was digested.
 */
export function traverseSpans(
  record: SpoolRecord,
  rows: Pick<RowVisitor, 'segment' | 'span'>,
  limits: ReadLimits,
): void {
  const { seq, journal, received_at: receivedAt, endpoint } = record
  const parsed = frameRecord(endpoint, inflateBody(record))
  if (!parsed.ok) throw new BodyDamagedError(`it is no envelope: ${parsed.error.message}`)
  const { header, items } = parsed.value
  const payloads = items.map(({ payload }) => payload)
  const around = { parsed: parsed.value, eventId: hex32(header.event_id), limits, budget: new RowBudget(payloads) }
  const all: RowVisitor = { ...rows, envelope: nothing, item: nothing, event: nothing, signal: nothing }
  // What other items take of the record's rows matters only where there are bytes enough, two for an entry.
  const isShort = payloads.reduce((bytes, payload) => bytes + payload.length, 0) <= 2 * MOST_ROWS
  for (const [item, frame] of items.entries()) {
    if (isShort && !SPAN_ITEM_TYPES.has(frame.header.type)) continue
    traverseItem(frame, around, all, {
      seq,
      item,
      journal,
      receivedAt,
      copy: endpoint === 'stream',
      stamp: record.stamp,
    })
  }
}

const nothing = (): void => undefined
