import type { Envelope, EnvelopeItemFrame } from './envelope'
import { hex32 } from './ids'
import { parseObject } from './parse-json'
import type { Endpoint } from './request'

/** An event's id, and the body in which it stands. */
export interface NamedBody {
  /** 32 hex digits; `null` for a record without event or transaction. */
  readonly eventId: string | null
  /** The same bytes, unless an id was assigned. */
  readonly body: Uint8Array
}

/**
 * Finds the id of the event in a record: of the envelope header, else of the payload. Assigns one where neither has any,
 * as Sentry does: it becomes a part of the envelope header, of the event itself at `/store/`, so that answer, record,
 * boards and upstream have the same id. No other byte changes, except that an encoded event becomes its JSON.
 * @param newId returns 32 hex digits, the same for a repeated request
 */
export function nameEvent(endpoint: Endpoint, envelope: Envelope, body: Uint8Array, newId: () => string): NamedBody {
  const { header, headerEnd, items } = envelope
  const known = hex32(header.event_id)
  if (known !== null) return { eventId: known, body }
  const item = items.find((one) => EVENT_TYPES.has(one.header.type))
  const event = item === undefined ? null : parseObject(item.payload)
  if (item === undefined || event === null) return { eventId: null, body }
  const ownId = hex32(event.event_id)
  if (ownId !== null) return { eventId: ownId, body }
  const eventId = newId()
  return {
    eventId,
    body: endpoint === 'store' ? nameStored(item, eventId) : nameHeader(body, header, headerEnd, eventId),
  }
}

const EVENT_TYPES: ReadonlySet<string> = new Set(['event', 'transaction'])

/** Of duplicate keys the last counts, so a malformed id loses. */
const nameStored = ({ payload }: EnvelopeItemFrame, eventId: string): Uint8Array => {
  const end = payload.lastIndexOf(CLOSE_BRACE)
  return insertKey(payload, end, eventId)
}

function nameHeader(body: Uint8Array, header: Envelope['header'], headerEnd: number, eventId: string): Uint8Array {
  // Sentry refuses a header with a duplicate key.
  if (Object.hasOwn(header, 'event_id')) {
    const written = encoder.encode(JSON.stringify({ ...header, event_id: eventId }))
    return Buffer.concat([written, body.subarray(headerEnd)])
  }
  return insertKey(body, body.lastIndexOf(CLOSE_BRACE, headerEnd - 1), eventId)
}

/** @param end the position of the brace that closes the object */
function insertKey(body: Uint8Array, end: number, eventId: string): Uint8Array {
  const before = body.subarray(0, end)
  const last = before.findLast((byte) => byte > SPACE)
  const key = encoder.encode(`${last === OPEN_BRACE ? '' : ','}"event_id":"${eventId}"`)
  return Buffer.concat([before, key, body.subarray(end)])
}

const encoder = new TextEncoder()
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20
