import type protobuf from 'protobufjs/light.js'
import { BYTES_FIELD, type ByteRange, type FieldNode, type MessageNode, messageTypeOf } from './message-tree'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/** By the names of `SpanKind`, which some senders write in place of its numbers. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((name) => `SPAN_KIND_${name}`)

const decoder = new TextDecoder()

/**
 * Reads the texts of a JSON request with their byte positions, which `JSON.parse` does not give. Of fields that the schema
 * does not have, it reads the positions alone.
 */
export class JsonTreeReader {
  readonly #json: Uint8Array
  #at = 0

  constructor(json: Uint8Array) {
    this.#json = json
  }

  read(type: protobuf.Type): MessageNode {
    // A decoder of text skips a byte order mark.
    if (this.#json[0] === 0xef) this.#at = 3
    return this.#message(type)
  }

  #message(type: protobuf.Type): MessageNode {
    const fields: FieldNode[] = []
    const unknown: ByteRange[] = []
    let kind = 0
    for (const token of this.#names()) {
      const field = fieldOf(type, this.#text(token))
      if (field === undefined) {
        this.#skip()
        unknown.push({ start: token.start - 1, end: this.#at })
      } else if (field.name === 'kind') kind = kindOf(this.#scalar())
      else this.#field(field, fields)
    }
    return { type: type.name, fields, unknown, kind }
  }

  #field(field: protobuf.Field, into: FieldNode[]): void {
    if (!field.repeated) {
      this.#value(field, null, into)
      return
    }
    if (this.#next() !== OPEN_BRACKET) {
      this.#skip()
      return
    }
    let index = 0
    for (const _ of this.#elements(CLOSE_BRACKET)) {
      this.#value(field, index, into)
      index += 1
    }
  }

  #value(field: protobuf.Field, index: number | null, into: FieldNode[]): void {
    const first = this.#next()
    const begin = this.#at
    const type = messageTypeOf(field)
    const { name } = field
    if (type !== null && first === OPEN_BRACE) {
      const value = this.#message(type)
      into.push({ name, index, begin, start: begin, end: this.#at, value })
    } else if (type === null && first === QUOTE && (field.type === 'string' || name === BYTES_FIELD)) {
      const token = this.#string()
      into.push({ name, index, begin, ...token, value: field.type === 'string' ? this.#text(token) : null })
    } else this.#skip()
  }

  /** Yields each name of an object; the caller reads the value. */
  *#names(): Generator<ByteRange> {
    if (this.#next() !== OPEN_BRACE) throw this.#malformed()
    for (const _ of this.#elements(CLOSE_BRACE)) {
      if (this.#next() !== QUOTE) throw this.#malformed()
      const name = this.#string()
      if (this.#next() !== COLON) throw this.#malformed()
      this.#at += 1
      yield name
    }
  }

  /** Yields before each element of the object or list that begins here; the caller reads it. */
  *#elements(close: number): Generator<void> {
    this.#at += 1
    if (this.#next() === close) {
      this.#at += 1
      return
    }
    for (;;) {
      yield
      const after = this.#next()
      this.#at += 1
      if (after === close) return
      if (after !== COMMA) throw this.#malformed()
    }
  }

  /** The next byte that is no white space. */
  #next(): number {
    while ((this.#json[this.#at] ?? QUOTE) <= SPACE) this.#at += 1
    const byte = this.#json[this.#at]
    if (byte === undefined) throw this.#malformed()
    return byte
  }

  #string(): ByteRange {
    this.#at += 1
    const start = this.#at
    while (this.#json[this.#at] !== QUOTE) {
      if (this.#at >= this.#json.length) throw this.#malformed()
      this.#at += this.#json[this.#at] === BACKSLASH ? 2 : 1
    }
    this.#at += 1
    return { start, end: this.#at - 1 }
  }

  #text({ start, end }: ByteRange): string {
    const text: unknown = JSON.parse(`"${decoder.decode(this.#json.subarray(start, end))}"`)
    return String(text)
  }

  #scalar(): string {
    if (this.#next() === QUOTE) return this.#text(this.#string())
    const start = this.#at
    this.#skip()
    return decoder.decode(this.#json.subarray(start, this.#at)).trim()
  }

  /** Skips a value of any kind, without recursion: a skipped value may be nested deeply. */
  #skip(): void {
    let depth = 0
    do {
      const byte = this.#next()
      if (byte === QUOTE) this.#string()
      else {
        if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
        else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
        this.#at += 1
        if (!isStructure(byte)) while (isOfScalar(this.#json[this.#at])) this.#at += 1
      }
    } while (depth > 0)
  }

  #malformed(): Error {
    return new Error(`the request is not valid JSON at byte ${this.#at}`)
  }
}

const STRUCTURE: ReadonlySet<number> = new Set([OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, COLON])
const isStructure = (byte: number): boolean => STRUCTURE.has(byte)

/** A digit, a sign or a letter of a number, `true`, `false` or `null`. */
const isOfScalar = (byte: number | undefined): boolean =>
  byte !== undefined && byte > SPACE && byte !== QUOTE && !isStructure(byte)

/** Parsers of protobuf JSON also accept the names of the schema, such as `scope_spans`. */
function fieldOf(type: protobuf.Type, name: string): protobuf.Field | undefined {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(type.fields, camel) ? type.fields[camel] : undefined
}

const kindOf = (text: string): number => (KINDS.includes(text) ? KINDS.indexOf(text) : Number(text) || 0)
