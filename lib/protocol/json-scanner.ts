import { decodeUtf8, encodeUtf8, joinBytes } from './text-bytes'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39

/** Called for each token, in order, with byte offsets. A token without a function is skipped. */
interface JsonVisitor {
  /** A field name: `start` and `end` exclude the quotes, `hash` is the hash of the bytes between. */
  readonly name?: (start: number, end: number, hash: number) => void
  readonly text?: (start: number, end: number, hash: number) => void
  readonly open?: (kind: 'object' | 'array', at: number) => void
  readonly close?: (at: number) => void
  readonly comma?: (at: number) => void
}

const skip = (): void => undefined

/** FNV-1a, 32 bits. */
const HASH_BEGIN = 0x811c9dc5 | 0
const HASH_STEP = 0x01000193

/**
 * Visits JSON (RFC 8259) in one pass, also broken JSON, because a secret there is still a secret.
 * @param json UTF-8: no byte of a multi-byte character equals a quote.
 */
export function visitJson(json: Uint8Array, visitor: JsonVisitor): void {
  const { name = skip, text = skip, open = skip, close = skip, comma = skip } = visitor
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case QUOTE: {
        const start = at + 1
        let hash = HASH_BEGIN
        for (at = start; at < json.length && json[at] !== QUOTE; at += 1) {
          hash = Math.imul(hash ^ (json[at] ?? 0), HASH_STEP)
          if (json[at] !== BACKSLASH) continue
          at += 1
          hash = Math.imul(hash ^ (json[at] ?? 0), HASH_STEP)
        }
        at = Math.min(at, json.length)
        if (isName(json, at + 1)) name(start, at, hash)
        else text(start, at, hash)
        break
      }
      case COMMA:
        comma(at)
        break
      case OPEN_BRACE:
        open('object', at)
        break
      case OPEN_BRACKET:
        open('array', at)
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        close(at)
        break
    }
  }
}

function isName(json: Uint8Array, from: number): boolean {
  let at = from
  while (at < json.length && (json[at] ?? 0) <= SPACE) at += 1
  return json[at] === COLON
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Lone surrogates stay lone; an invalid escape becomes the character after the backslash. */
export function decodeString(json: Uint8Array, start: number, end: number): string {
  const text = decodeUtf8(json, start, end)
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, sign: string | undefined) =>
    hex === undefined ? (ESCAPED[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

interface FieldRange {
  readonly name: string
  /** The range of the value, without white space around it. */
  readonly start: number
  readonly end: number
}

/** The fields of a JSON object in their order, duplicates too, without the fields of objects in it. */
export function fieldsOf(json: Uint8Array): readonly FieldRange[] {
  const fields: FieldRange[] = []
  let depth = 0
  let name: { readonly text: string; readonly end: number } | null = null
  const endField = (at: number): void => {
    if (depth !== 1 || name === null) return
    let start = json.indexOf(COLON, name.end) + 1
    while ((json[start] ?? COLON) <= SPACE) start += 1
    let end = at
    while ((json[end - 1] ?? COLON) <= SPACE) end -= 1
    fields.push({ name: name.text, start, end })
    name = null
  }
  visitJson(json, {
    open: () => {
      depth += 1
    },
    close: (at) => {
      endField(at)
      depth -= 1
    },
    comma: endField,
    name: (start, end) => {
      if (depth === 1) name = { text: decodeString(json, start, end), end }
    },
  })
  return fields
}

/** The position of the closing quote, or `most` when the string does not end before. @param from after the opening quote */
function endOfString(json: Uint8Array, from: number, most: number): number {
  let at = from
  while (at < most && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return Math.min(at, most)
}

/** The position of the brace that closes the object at `start`, or `most` when it does not end before. */
export function endOfObject(json: Uint8Array, start: number, most: number): number {
  let depth = 0
  for (let at = start; at < most; at += 1) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at + 1, most)
    else if (byte === OPEN_BRACE) depth += 1
    else if (byte === CLOSE_BRACE) depth -= 1
    if (depth === 0) return at
  }
  return most
}

type Excess = 'depth' | 'values'

interface JsonShape {
  /** `null` within both bounds; counting stops at the first excess. */
  readonly excess: Excess | null
  /** The number of values at all levels, without object keys. An empty list that contains a space counts as two. */
  readonly values: number
  /** The most digits in a row, outside of strings. */
  readonly digits: number
}

/**
 * Measures JSON before it is parsed: a parsed value can be traversed only as deep as the call stack allows, and each
 * value, two bytes on the wire, takes a hundred once parsed.
 */
export function shapeOf(json: Uint8Array, bounds: { readonly depth: number; readonly values: number }): JsonShape {
  let depth = 0
  let values = 1
  let digits = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfString(json, at + 1, json.length)
    else if (byte >= DIGIT_0 && byte <= DIGIT_9) {
      const end = endOfDigits(json, at + 1)
      digits = Math.max(digits, end - at)
      at = end - 1
    } else if (byte === COMMA) values += 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      if (depth > bounds.depth) return { excess: 'depth', values, digits }
      const next = json[at + 1]
      if (next !== CLOSE_BRACE && next !== CLOSE_BRACKET) values += 1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    if (values > bounds.values) return { excess: 'values', values, digits }
  }
  return { excess: null, values, digits }
}

function endOfDigits(json: Uint8Array, from: number): number {
  let at = from
  for (let byte = json[at] ?? 0; byte >= DIGIT_0 && byte <= DIGIT_9; byte = json[at] ?? 0) at += 1
  return at
}

/** Returns true for JSON nested deeper than `limit` levels. */
export const isDeeperThan = (limit: number, json: Uint8Array): boolean =>
  shapeOf(json, { depth: limit, values: Number.POSITIVE_INFINITY }).excess === 'depth'

/**
 * Replaces objects and lists below `depth` levels by a text, so that the rest of the payload can be parsed. Returns the
 * same bytes where nothing is deeper.
 */
export function replaceDeepValues(json: Uint8Array, depth: number): Uint8Array {
  if (!isDeeperThan(depth, json)) return json
  const replacement = encodeUtf8(JSON.stringify(`(deeper than ${depth} levels)`))
  const parts: Uint8Array[] = []
  let level = 0
  let from = 0
  visitJson(json, {
    open: (_, at) => {
      level += 1
      if (level === depth + 1) parts.push(json.subarray(from, at), replacement)
    },
    close: (at) => {
      if (level === depth + 1) from = at + 1
      level -= 1
    },
  })
  // Text that ends within a deep value is no JSON; the parser says so.
  return joinBytes([...parts, json.subarray(level > depth ? json.length : from)])
}
