const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Is told of what is met on the way, in order. Offsets are those of the bytes. */
export interface JsonVisitor {
  /** A name; `start` and `end` enclose what stands between its quotes, and `hash` is told of that. */
  readonly name: (start: number, end: number, hash: number) => void
  /** A text, likewise. */
  readonly text: (start: number, end: number, hash: number) => void
  readonly open: (kind: 'object' | 'array') => void
  readonly close: () => void
  readonly comma: () => void
}

/** FNV-1a, 32 bits. */
const HASH_BEGIN = 0x811c9dc5 | 0
const HASH_STEP = 0x01000193

/**
 * Walks over JSON (RFC 8259) without making anything of it, in one pass and without a call stack, however deep it is. Of
 * JSON that is broken all strings are met all the same: a secret in it is one.
 * @param json in UTF-8, of which no byte beyond ASCII is a quote.
 */
export function walkStrings(json: Uint8Array, visitor: JsonVisitor): void {
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
        if (isName(json, at + 1)) visitor.name(start, at, hash)
        else visitor.text(start, at, hash)
        break
      }
      case COMMA:
        visitor.comma()
        break
      case OPEN_BRACE:
        visitor.open('object')
        break
      case OPEN_BRACKET:
        visitor.open('array')
        break
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        visitor.close()
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

/**
 * What a string token says, its escapes resolved. Lone surrogates stay lone, and an escape that is none stands for what
 * follows the backslash.
 * @param start and `end` enclose what stands between the quotes.
 */
export function decodeString(json: Uint8Array, start: number, end: number): string {
  const text = Buffer.from(json.buffer, json.byteOffset + start, end - start).toString()
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, sign: string | undefined) =>
    hex === undefined ? (ESCAPED[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
