const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const SPACE = 0x20

/** Called for each token, in order, with byte offsets. */
interface JsonVisitor {
  /** A field name: `start` and `end` exclude the quotes, `hash` is the hash of the bytes between. */
  readonly name: (start: number, end: number, hash: number) => void
  readonly text: (start: number, end: number, hash: number) => void
  readonly open: (kind: 'object' | 'array') => void
  readonly close: () => void
  readonly comma: () => void
}

/** FNV-1a, 32 bits. */
const HASH_BEGIN = 0x811c9dc5 | 0
const HASH_STEP = 0x01000193

/**
 * Finds all strings in JSON (RFC 8259) in one pass, also in broken JSON, because a secret there is still a secret.
 * @param json UTF-8: no byte of a multi-byte character equals a quote.
 */
export function traverseStrings(json: Uint8Array, visitor: JsonVisitor): void {
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

/** Lone surrogates stay lone; an invalid escape becomes the character after the backslash. */
export function decodeString(json: Uint8Array, start: number, end: number): string {
  const text = Buffer.from(json.buffer, json.byteOffset + start, end - start).toString()
  if (!text.includes('\\')) return text
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, sign: string | undefined) =>
    hex === undefined ? (ESCAPED[sign ?? ''] ?? sign ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** The same strings recur: an op, a route, a CSS class. Longer ones rarely do. */
const MAX_CACHED_BYTES = 256
/** Per generation. At the maximum length the cache takes 4 MiB. */
const MAX_CACHED = 4000

interface Known<Value> {
  readonly token: Uint8Array
  readonly value: Value
}

/**
 * Caches results by the bytes of a JSON string, in two generations: a full recent one replaces the older one, so
 * strings that recur stay. Of two strings with one hash the later one is kept.
 */
export class StringCache<Value> {
  #recent = new Map<number, Known<Value>>()
  #before = new Map<number, Known<Value>>()

  /** @param hash of the bytes between `start` and `end`, from `traverseStrings`. */
  get(json: Uint8Array, start: number, end: number, hash: number): Value | undefined {
    const recent = this.#recent.get(hash)
    const known = recent ?? this.#before.get(hash)
    if (known === undefined || !isSame(known.token, json, start, end)) return undefined
    if (recent === undefined) this.#put(hash, known)
    return known.value
  }

  set(json: Uint8Array, start: number, end: number, hash: number, value: Value): void {
    if (end - start > MAX_CACHED_BYTES) return
    // A copy: a view would keep the whole payload in memory.
    this.#put(hash, { token: new Uint8Array(json.subarray(start, end)), value })
  }

  #put(hash: number, known: Known<Value>): void {
    if (this.#recent.size >= MAX_CACHED) {
      this.#before = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(hash, known)
  }
}

function isSame(token: Uint8Array, json: Uint8Array, start: number, end: number): boolean {
  if (token.length !== end - start) return false
  for (let at = 0; at < token.length; at += 1) if (token[at] !== json[start + at]) return false
  return true
}
