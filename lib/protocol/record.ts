import { type Envelope, type EnvelopeError, parseEnvelope } from './envelope'
import { fail, type Result, succeed } from './result'

/**
 * How a submission came in, which is also what kind of body it is. `envelope` an SDK posted it, `tunnel` a tunnel
 * forwarded it, `stream` it is a second copy, `store` an old SDK posted a bare event, `security` a browser reported a
 * breach of a policy.
 */
export const DOORS = ['envelope', 'tunnel', 'stream', 'store', 'security'] as const
export type Door = (typeof DOORS)[number]

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * A record as an envelope, whatever kind of body it is. A bare event frames as one item that spans the whole body, so
 * that everything downstream knows envelopes only.
 */
export function frameRecord(door: Door, bytes: Uint8Array): Result<Envelope, EnvelopeError> {
  if (door !== 'store') return parseEnvelope(bytes)
  if (bytes.length === 0) return fail({ code: 'empty', message: 'the body is empty; a stored event is JSON', at: 0 })
  const event = parseObject(bytes)
  if (event === null) return fail({ code: 'header_not_json', message: 'the stored event is not a JSON object', at: 0 })
  return succeed({
    header: typeof event.event_id === 'string' ? { event_id: event.event_id } : {},
    headerEnd: 0,
    items: [
      {
        // "Transactions are events of type transaction" was once true of this endpoint too.
        header: { type: event.type === 'transaction' ? 'transaction' : 'event' },
        start: 0,
        payloadStart: 0,
        payloadEnd: bytes.length,
        payload: bytes,
      },
    ],
  })
}

function parseObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
