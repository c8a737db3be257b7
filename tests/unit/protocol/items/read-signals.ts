import { parseEnvelope } from '../../../../lib/protocol/envelope'
import { hex32 } from '../../../../lib/protocol/ids'
import { signalParserOf } from '../../../../lib/protocol/items/registry'
import type { ReadLimits, Signal, Signals } from '../../../../lib/protocol/items/signal'
import type { Result } from '../../../../lib/protocol/result'
import { SIZE_LIMITS } from '../../../../lib/protocol/size-limits'
import { valueIn } from '../../value-in'
import { capturedBytes } from '../captured'

/** Parses the items of an envelope: one result per item, `null` for types that are no signals. */
export function readItems(
  body: Uint8Array,
  sizeLimits: ReadLimits = SIZE_LIMITS,
): readonly (Result<Signals, string> | null)[] {
  const envelope = valueIn(parseEnvelope(body))
  const eventId = hex32(envelope.header.event_id)
  return envelope.items.map(({ header, payload }, index) => {
    const parse = signalParserOf(header.type)
    return parse === null
      ? null
      : parse({ header, payload, index, envelope: envelope, eventId, most: Number.POSITIVE_INFINITY }, sizeLimits)
  })
}

/** Returns the signals of a body; throws when an item cannot be parsed. */
export function signalsIn(body: Uint8Array): readonly Signal[] {
  return readItems(body).flatMap((result) => {
    if (result === null) return []
    if (!result.ok) throw new Error(result.error)
    return result.value.signals
  })
}

export const capturedSignals = (name: string): readonly Signal[] => signalsIn(capturedBytes(`envelopes/${name}`))

/** Writes an envelope of one item; a payload that is neither text nor bytes is written as JSON. */
export function envelopeOf(type: string, payload: unknown, header: object = {}): Uint8Array {
  const bytes =
    payload instanceof Uint8Array
      ? payload
      : new TextEncoder().encode(typeof payload === 'string' ? payload : JSON.stringify(payload))
  const head = `${JSON.stringify(header)}\n${JSON.stringify({ type, length: bytes.length })}\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Returns the only signal of a payload. */
export function signalOf(type: string, payload: unknown, header: object = {}): Signal {
  const [signal, ...more] = signalsIn(envelopeOf(type, payload, header))
  if (signal === undefined || more.length > 0) throw new Error(`${type} is ${more.length + 1} signals, not one`)
  return signal
}

/** Returns the error message of a payload; `null` when it can be parsed. */
export function problemOf(type: string, payload: unknown, sizeLimits?: ReadLimits): string | null {
  const [result] = readItems(envelopeOf(type, payload), sizeLimits)
  if (result === null || result === undefined) throw new Error(`${type} is not read`)
  return result.ok ? null : result.error
}
