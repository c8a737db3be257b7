import { isAsNamed } from './field-kind'
import { decodeString, walkStrings } from './json-strings'
import { scrubCookies } from './parameters'
import { scrubAddress } from './people'
import { type Place, Places } from './place'
import { FILTERED, FILTERED_IP, type RuleName } from './rule'
import { scrubText } from './scrub-text'

/** Is told each rule that took something, and how to say where. */
export type OnFound = (rule: RuleName, way: () => readonly (string | number)[]) => void

/** Texts that have become others, by number; a hostile payload has a million, and an object for each would be a load. */
interface Edits {
  /** Between the quotes, in bytes of the payload. */
  readonly starts: number[]
  readonly ends: number[]
  readonly bytes: Uint8Array[]
}

/** A byte order mark is none of JSON's, but of some senders'. */
const LOOKS_LIKE_JSON = /^(?:\xef\xbb\xbf)?[ \t\r\n]*[[{"]/

/**
 * Takes secrets out of the texts of a JSON payload, and out of nothing else: numbers, names, order and white space stay as
 * they are, byte for byte, and so do texts that no rule changes.
 * @returns the same array where nothing is taken out.
 */
export const scrubPayload = (payload: Uint8Array, onFound: OnFound): Uint8Array => scrubTexts(payload, onFound, null)

/** @param stays which texts are left as they are, by the way to them; `null` where their places alone tell. */
export function scrubTexts(
  payload: Uint8Array,
  onFound: OnFound,
  stays: ((way: readonly (string | number)[]) => boolean) | null,
): Uint8Array {
  const json = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('latin1')
  if (!LOOKS_LIKE_JSON.test(json)) return payload
  const places = new Places(json)
  const edits: Edits = { starts: [], ends: [], bytes: [] }
  walkStrings(json, {
    open: (kind) => places.open(kind),
    close: () => places.close(),
    comma: () => places.comma(),
    name: (start, end) => places.name(start, end),
    text: (start, end) => {
      const text = decodeString(json.slice(start, end))
      if (stays?.(places.path())) return
      const scrubbed = scrubbedAt(places.here(), text, (rule) => onFound(rule, () => places.path()))
      places.met(text)
      if (scrubbed === text) return
      edits.starts.push(start)
      edits.ends.push(end)
      edits.bytes.push(encoded(scrubbed))
    },
  })
  return edits.starts.length === 0 ? payload : edited(payload, edits)
}

function scrubbedAt(place: Place, text: string, onFound: (rule: RuleName) => void): string {
  const { kind, beneath } = place
  if (place.exempt || text === '' || isAsNamed(kind, text)) return text
  const secret = kind === 'secret' || kind === 'secret_cookie' ? kind : beneath
  if (secret !== null) {
    if (text === FILTERED) return text
    onFound(secret === 'secret' ? 'key' : 'cookie')
    return FILTERED
  }
  if (kind === 'address') return scrubText(one('ip', scrubAddress(text), text, onFound), kind, onFound)
  const rest = kind === 'cookies' ? one('cookie', scrubCookies(text), text, onFound) : text
  return scrubText(rest, kind, onFound)
}

function one(rule: RuleName, scrubbed: string, text: string, onFound: (rule: RuleName) => void): string {
  if (scrubbed !== text) onFound(rule)
  return scrubbed
}

const WHOLE = new Map<string, Uint8Array>([FILTERED, FILTERED_IP].map((text) => [text, Buffer.from(text)]))

/** As it stands between quotes; a lone surrogate is escaped. */
const encoded = (text: string): Uint8Array => WHOLE.get(text) ?? Buffer.from(JSON.stringify(text).slice(1, -1), 'utf8')

function edited(payload: Uint8Array, { starts, ends, bytes }: Edits): Uint8Array {
  let size = payload.length
  for (const [index, put] of bytes.entries()) size += put.length - ((ends[index] ?? 0) - (starts[index] ?? 0))
  const out = new Uint8Array(size)
  let read = 0
  let written = 0
  for (const [index, put] of bytes.entries()) {
    const start = starts[index] ?? 0
    out.set(payload.subarray(read, start), written)
    written += start - read
    out.set(put, written)
    written += put.length
    read = ends[index] ?? 0
  }
  out.set(payload.subarray(read), written)
  return out
}
