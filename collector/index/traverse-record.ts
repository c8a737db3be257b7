import { traverseRecorded } from '../../lib/otlp/traverse-otlp'
import { hex32 } from '../../lib/protocol/ids'
import type { ReadLimits } from '../../lib/protocol/items/signal'
import { parseRecord } from '../../lib/protocol/record'
import { isOtlp } from '../../lib/protocol/request'
import type { RowVisitor, TraversedEvent } from '../../lib/protocol/traversal/rows'
import { MOST_ROWS, RowBudget, traverseItem } from '../../lib/protocol/traversal/traverse-envelope'
import { freeBuffer } from '../runtime/free-buffer'
import { BodyDamagedError, readBody, type SubmissionRow } from '../spool/local'

/**
 * Traverses a record: the digest and the judge agree on what it contains.
 * @throws when the record cannot be parsed: a bug, because the endpoint refuses such records.
 */
export function traverseRecord(
  record: SubmissionRow,
  visitor: RowVisitor,
  digestedAt: number,
  sizeLimits: ReadLimits,
): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp, target, content_type: contentType } = record
  const copy = endpoint === 'stream'
  const body = readBody(record)
  const recorded = { seq, journal, receivedAt, endpoint, stamp, copy, contentType, target, body }
  traverseRecorded(recorded, visitor, digestedAt, sizeLimits)
  // No row refers to the body. A large one would stay in memory until the next garbage collection of its thread.
  if (body !== record.body) freeBuffer(body)
}

/** Items that contain spans. */
export const SPAN_ITEM_TYPES: ReadonlySet<string> = new Set(['transaction', 'span', 'otlp_traces'])

/**
 * Visits segments and spans at the same positions as `traverseRecord`.
 * @throws BodyDamagedError when the record cannot be inflated or parsed.
 */
export function traverseSpans(
  record: SubmissionRow,
  visitor: Pick<RowVisitor, 'segment' | 'span'>,
  sizeLimits: ReadLimits,
): void {
  const { seq, journal, received_at: receivedAt, endpoint, stamp } = record
  const all: RowVisitor = { ...visitor, envelope: ignore, item: ignore, event: ignore, signal: ignore }
  if (isOtlp(endpoint)) {
    if (endpoint === 'otlp_traces') traverseRecord(record, all, 0, sizeLimits)
    return
  }
  const parsed = parseRecord(endpoint, readBody(record))
  if (!parsed.ok) throw new BodyDamagedError(`not an envelope: ${parsed.error.message}`)
  const { header, items } = parsed.value
  const payloads = items.map(({ payload }) => payload)
  const context = { parsed: parsed.value, eventId: hex32(header.event_id), sizeLimits, budget: new RowBudget(payloads) }
  // Other items matter only when they can use up the row budget of the record. An entry takes at least two bytes.
  const fitsBudget = payloads.reduce((bytes, payload) => bytes + payload.length, 0) <= 2 * MOST_ROWS
  for (const [item, frame] of items.entries()) {
    if (fitsBudget && !SPAN_ITEM_TYPES.has(frame.header.type)) continue
    traverseItem(frame, context, all, { seq, item, journal, receivedAt, copy: endpoint === 'stream', stamp })
  }
}

/** @returns an error that spans of the record carry as exceptions; `null` when it has none with this id. */
export function findEvent(record: SubmissionRow, eventId: string, sizeLimits: ReadLimits): TraversedEvent | null {
  let found: TraversedEvent | null = null
  const visitor: RowVisitor = {
    envelope: ignore,
    item: ignore,
    segment: ignore,
    span: ignore,
    signal: ignore,
    event: (event) => {
      if (event.eventId === eventId) found ??= event
    },
  }
  traverseRecord(record, visitor, 0, sizeLimits)
  return found
}

const ignore = (): void => undefined
