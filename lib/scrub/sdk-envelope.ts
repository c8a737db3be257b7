import { decodeUtf8, encodeUtf8 } from '../protocol/text-bytes'
import { isScrubbedType, scrubEnvelopeHeader, scrubItemHeader } from './envelope-parts'
import { type OnFound, scrubPayload } from './payload'

type Header = Readonly<Record<string, unknown>>

/** An envelope as SDKs pass it to their transport, before it is serialized. */
export type SdkEnvelope = readonly [header: Header, items: readonly SdkItem[]]
type SdkItem = readonly [header: Header & { readonly type: string }, payload: unknown]

const IGNORED: OnFound = () => undefined

/**
 * Scrubs the same parts by the same rules as the collector: headers, and payloads of JSON; attachments stay. Changes
 * nothing in the given objects. Parts without a secret are the same objects in the result.
 * @throws when a part cannot be serialized
 */
export const scrubSdkEnvelope = ([header, items]: SdkEnvelope): SdkEnvelope => [
  scrubbed(header, (line) => scrubEnvelopeHeader(line, IGNORED)),
  items.map(scrubSdkItem),
]

function scrubSdkItem([header, payload]: SdkItem): SdkItem {
  const clean = scrubbed(header, (line) => scrubItemHeader(line, IGNORED))
  if (!isScrubbedType(header.type, header.meta_length)) return [clean, payload]
  const cleanPayload = scrubbed(payload, (json) => scrubPayload(json, IGNORED))
  if (cleanPayload === payload || header.length === undefined) return [clean, cleanPayload]
  return [{ ...clean, length: bytesOf(cleanPayload).length }, cleanPayload]
}

/** SDKs also pass payloads that are serialized already, as a text or as bytes. */
const bytesOf = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : encodeUtf8(typeof value === 'string' ? value : JSON.stringify(value))

/** Returns a value of the same kind, and the same value where nothing is removed. */
function scrubbed<Value>(value: Value, scrub: (json: Uint8Array) => Uint8Array): Value {
  const before = bytesOf(value)
  const after = scrub(before)
  if (after === before) return value
  if (value instanceof Uint8Array) return after as Uint8Array & Value
  const text = decodeUtf8(after)
  return (typeof value === 'string' ? text : JSON.parse(text)) as Value
}
