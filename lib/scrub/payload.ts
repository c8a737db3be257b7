import { type FieldKind, isAsNamed, isBareId, isFolder, secretKind } from './field-kind'
import { decodeString, walkStrings } from './json-strings'
import { KnownStrings } from './known-strings'
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

/** By the kind of field that they stand in, texts in which no rule finds anything: most were in another record before. */
const CLEAN = new Map<FieldKind, KnownStrings<true>>()

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
  if (!looksLikeJson(payload)) return payload
  const places = new Places(payload)
  const edits: Edits = { starts: [], ends: [], bytes: [] }
  walkStrings(payload, {
    open: (kind) => places.open(kind),
    close: () => places.close(),
    comma: () => places.comma(),
    name: (start, end, hash) => places.name(start, end, hash),
    text: (start, end, hash) => {
      const token = { json: payload, start, end, hash }
      const place = places.here()
      const isLeft = isClean(place, token) || stays?.(places.path())
      const scrubbed = isLeft ? null : scrubbedAt(place, token, (rule) => onFound(rule, () => places.path()))
      places.met(start, end, hash)
      if (scrubbed === null) return
      edits.starts.push(start)
      edits.ends.push(end)
      edits.bytes.push(encoded(scrubbed))
    },
  })
  return edits.starts.length === 0 ? payload : edited(payload, edits)
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const WHITE = new Set([0x20, 0x09, 0x0d, 0x0a])
const BEGINS_JSON = new Set([0x5b, 0x7b, 0x22])

/** A byte order mark is none of JSON's, but of some senders'. */
function looksLikeJson(payload: Uint8Array): boolean {
  let at = BYTE_ORDER_MARK.every((byte, index) => payload[index] === byte) ? BYTE_ORDER_MARK.length : 0
  while (WHITE.has(payload[at] ?? 0)) at += 1
  return BEGINS_JSON.has(payload[at] ?? 0)
}

interface Token {
  readonly json: Uint8Array
  readonly start: number
  readonly end: number
  readonly hash: number
}

/** Is it known, before anything is made of it, that no rule takes any of it here? */
function isClean(place: Place, { json, start, end, hash }: Token): boolean {
  if (place.exempt || start === end) return true
  if (place.kind === 'id' && isBareId(json, start, end)) return true
  return secretOf(place) === null && CLEAN.get(place.kind)?.get(json, start, end, hash) === true
}

const secretOf = ({ kind, beneath }: Place): Place['beneath'] => secretKind(kind) ?? beneath

/** @returns `null` where it stays as it is. */
function scrubbedAt(place: Place, token: Token, onFound: (rule: RuleName) => void): string | null {
  const { kind } = place
  const { json, start, end, hash } = token
  const text = decodeString(json, start, end)
  if (isAsNamed(kind, text)) return null
  const secret = kind === 'folder' && isFolder(text) ? place.beneath : secretOf(place)
  if (secret !== null) {
    if (text === FILTERED) return null
    onFound(secret === 'secret' ? 'key' : 'cookie')
    return FILTERED
  }
  const scrubbed = scrubText(ofKind(kind, text, onFound), kind, onFound)
  if (scrubbed !== text) return scrubbed
  const clean = CLEAN.get(kind) ?? new KnownStrings()
  clean.set(json, start, end, hash, true)
  CLEAN.set(kind, clean)
  return null
}

function ofKind(kind: FieldKind, text: string, onFound: (rule: RuleName) => void): string {
  if (kind === 'address') return one('ip', scrubAddress(text), text, onFound)
  return kind === 'cookies' ? one('cookie', scrubCookies(text), text, onFound) : text
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
