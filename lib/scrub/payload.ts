import { decodeString, visitJson } from '../protocol/json-scanner'
import { encodeUtf8 } from '../protocol/text-bytes'
import { type FieldKind, isBareId, isFolder, matchesKind, secretKind } from './field-name'
import { scrubCookies } from './parameters'
import { scrubAddress } from './personal-data'
import { FILTERED, FILTERED_IP, type Removes, type RuleName, removesAll } from './rules'
import { scrubText } from './scrub-text'
import { isCountOfTokens } from './secret-names'
import { StringCache } from './string-cache'
import { ContextTracker, type TextContext } from './text-context'

/** Called for each rule that removed something, with a function that returns the path to the text. */
export type OnFound = (rule: RuleName, path: () => readonly (string | number)[]) => void

/** Parallel arrays: a hostile payload has a million, and an object for each would take too much memory. */
interface Edits {
  /** Byte offsets, without the quotes. */
  readonly starts: number[]
  readonly ends: number[]
  readonly bytes: Uint8Array[]
}

type CleanTexts = Map<FieldKind, StringCache<true>>

/** Texts from which nothing is removed, by threshold and kind of their field. Most texts already occurred in an earlier record. */
const CLEAN = new WeakMap<Removes, CleanTexts>()

function cleanTexts(removes: Removes): CleanTexts {
  const known = CLEAN.get(removes) ?? new Map<FieldKind, StringCache<true>>()
  CLEAN.set(removes, known)
  return known
}

/** Every byte outside of secrets stays. Returns the same array if nothing is removed. */
export const scrubPayload = (payload: Uint8Array, onFound: OnFound, removes: Removes = removesAll): Uint8Array =>
  scrubTexts(payload, onFound, null, removes)

/** @param stays whether a text is kept, by its path; `null` to decide by context alone. */
export function scrubTexts(
  payload: Uint8Array,
  onFound: OnFound,
  stays: ((path: readonly (string | number)[]) => boolean) | null,
  removes: Removes = removesAll,
): Uint8Array {
  if (!looksLikeJson(payload)) return payload
  const tracker = new ContextTracker(payload)
  const edits: Edits = { starts: [], ends: [], bytes: [] }
  const clean = cleanTexts(removes)
  visitJson(payload, {
    open: (kind) => tracker.open(kind),
    close: () => tracker.close(),
    comma: () => tracker.comma(),
    name: (start, end, hash) => tracker.name(start, end, hash),
    text: (start, end, hash) => {
      const token = { json: payload, start, end, hash }
      const context = tracker.context()
      const isLeft = isClean(context, token, clean) || stays?.(tracker.path())
      const found = (rule: RuleName): void => onFound(rule, () => tracker.path())
      const scrubbed = isLeft ? null : scrubbedAt(context, token, clean, found, removes)
      tracker.noteText(start, end, hash)
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

/** JSON has no byte order mark, but some senders add one. */
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

function isClean(context: TextContext, { json, start, end, hash }: Token, clean: CleanTexts): boolean {
  if (context.exempt || start === end) return true
  if (context.kind === 'id' && isBareId(json, start, end)) return true
  return secretOf(context) === null && clean.get(context.kind)?.get(json, start, end, hash) === true
}

/** The meaning of a field: its kind, the kind of a secret above it, and its name. */
export type FieldContext = Pick<TextContext, 'kind' | 'secretAbove' | 'name'>

const secretOf = ({ kind, secretAbove }: Omit<FieldContext, 'name'>): TextContext['secretAbove'] =>
  secretKind(kind) ?? secretAbove

function scrubbedAt(
  context: TextContext,
  token: Token,
  cleanTexts: CleanTexts,
  onFound: (rule: RuleName) => void,
  removes: Removes,
): string | null {
  const { kind } = context
  const { json, start, end, hash } = token
  const text = decodeString(json, start, end)
  const scrubbed = scrubField(text, context, onFound, removes)
  if (scrubbed !== text) return scrubbed
  // Ids and times hardly recur, and a text below a secret name is judged by that name.
  if (matchesKind(kind, text) || secretOf(context) !== null) return null
  const clean = cleanTexts.get(kind) ?? new StringCache()
  clean.set(json, start, end, hash, true)
  cleanTexts.set(kind, clean)
  return null
}

/** Scrubs one text by the meaning of its field. */
export function scrubField(
  text: string,
  context: FieldContext,
  onFound: (rule: RuleName) => void,
  removes: Removes = removesAll,
): string {
  const { kind, name } = context
  if (matchesKind(kind, text)) return text
  const secret = kind === 'folder' && isFolder(text) ? context.secretAbove : secretOf(context)
  if (secret === null) return scrubText(ofKind(kind, text, onFound, removes), kind, onFound, removes)
  if (text === FILTERED || isCountOfTokens(name, text)) return text
  const rule = secret === 'secret' ? 'key' : 'cookie'
  if (!removes({ rule, value: text, name, between: '":"', text, at: 0 })) return scrubText(text, kind, onFound, removes)
  onFound(rule)
  return FILTERED
}

function ofKind(kind: FieldKind, text: string, onFound: (rule: RuleName) => void, removes: Removes): string {
  if (kind === 'address') return one('ip', scrubAddress(text, removes), text, onFound)
  return kind === 'cookies' ? one('cookie', scrubCookies(text, removes), text, onFound) : text
}

function one(rule: RuleName, scrubbed: string, text: string, onFound: (rule: RuleName) => void): string {
  if (scrubbed !== text) onFound(rule)
  return scrubbed
}

const WHOLE = new Map<string, Uint8Array>([FILTERED, FILTERED_IP].map((text) => [text, encodeUtf8(text)]))

/** The bytes between quotes; lone surrogates are escaped. */
const encoded = (text: string): Uint8Array => WHOLE.get(text) ?? encodeUtf8(JSON.stringify(text).slice(1, -1))

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
