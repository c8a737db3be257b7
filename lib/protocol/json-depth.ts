const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
const CLOSE_BRACKET = 0x5d

/** What of JSON there is too much: levels, or values. */
export type Excess = 'depth' | 'values'

/** The shape of a payload's JSON, told from its bytes alone. */
export interface JsonShape {
  /** `null` when it is within both bounds; counting ends where it is not. */
  readonly excess: Excess | null
  /** Values of all levels: an object and what it holds, not its keys. An empty list with a space in it counts as two. */
  readonly values: number
}

/**
 * How deep is this JSON nested, and how many values does it hold? Told before it is parsed: what is parsed can be walked,
 * cloned and written only as deep as a call stack goes, and a body may be a million levels deep; and each value, which
 * takes two bytes on the wire and next to none where they are deflated, takes a hundred once it is an object.
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

/** Is this JSON nested deeper than `limit` levels? */
export const isDeeperThan = (limit: number, json: Uint8Array): boolean =>
  shapeOf(json, { depth: limit, values: Number.POSITIVE_INFINITY }).excess === 'depth'
