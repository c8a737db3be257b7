const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d

type Excess = 'depth' | 'values'

interface JsonShape {
  /** `null` within both bounds; counting stops at the first excess. */
  readonly excess: Excess | null
  /** The number of values at all levels, without object keys. An empty list that contains a space counts as two. */
  readonly values: number
}

/**
 * Measures JSON before it is parsed: a parsed value can be traversed only as deep as the call stack allows, and each
 * value, two bytes on the wire, takes a hundred once parsed.
 */
export function shapeOf(json: Uint8Array, bounds: { readonly depth: number; readonly values: number }): JsonShape {
  let depth = 0
  let values = 1
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === COMMA) values += 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      if (depth > bounds.depth) return { excess: 'depth', values }
      const next = json[at + 1]
      if (next !== CLOSE_BRACE && next !== CLOSE_BRACKET) values += 1
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
    if (values > bounds.values) return { excess: 'values', values }
  }
  return { excess: null, values }
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
  const replacement = new TextEncoder().encode(JSON.stringify(`(deeper than ${depth} levels)`))
  const parts: Uint8Array[] = []
  let level = 0
  let inString = false
  let from = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      level += 1
      if (level === depth + 1) parts.push(json.subarray(from, at), replacement)
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (level === depth + 1) from = at + 1
      level -= 1
    }
  }
  // Text that ends within a deep value is no JSON; the parser says so.
  return Buffer.concat([...parts, json.subarray(level > depth ? json.length : from)])
}
