const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Is told of what is met on the way, in order. Offsets are those of the text. */
export interface JsonVisitor {
  /** A name; `start` and `end` enclose what stands between its quotes. */
  readonly name: (start: number, end: number) => void
  /** A text, likewise. */
  readonly text: (start: number, end: number) => void
  readonly open: (kind: 'object' | 'array') => void
  readonly close: () => void
  readonly comma: () => void
}

/**
 * Walks over JSON (RFC 8259) without making anything of it, in one pass and without a call stack, however deep it is. Of
 * JSON that is broken all strings are met all the same: a secret in it is one.
 * @param json one character a byte (latin1): offsets are those of the bytes, and no byte of UTF-8 beyond ASCII is a quote.
 */
export function walkStrings(json: string, visitor: JsonVisitor): void {
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE: {
        const end = closingQuote(json, at + 1)
        if (isName(json, end + 1)) visitor.name(at + 1, end)
        else visitor.text(at + 1, end)
        at = end
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

/** Offset of the quote that ends a string, or of the end where there is none. */
function closingQuote(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (at - 1 - backslashes >= from && json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return json.length
}

function isName(json: string, from: number): boolean {
  let at = from
  while (at < json.length && json.charCodeAt(at) <= SPACE) at += 1
  return json.charCodeAt(at) === COLON
}

const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * What a string token says, its escapes resolved. Lone surrogates stay lone, and an escape that is none stands for what
 * follows the backslash.
 * @param raw what stands between the quotes, one character a byte.
 */
export function decodeString(raw: string): string {
  const text = /[\x80-\xff]/.test(raw) ? Buffer.from(raw, 'latin1').toString('utf8') : raw
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, sign: string | undefined) =>
    hex === undefined ? (ESCAPED[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
