import type protobuf from 'protobufjs/light.js'
import { decodeString, visitJson } from '../protocol/json-scanner'
import { BYTES_FIELD, type ByteRange, type FieldNode, type MessageNode, messageTypeOf } from './message-tree'

/** By the names of `SpanKind`, which some senders write in place of its numbers. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((name) => `SPAN_KIND_${name}`)

/**
 * Reads the texts of a JSON request with their byte positions, which `JSON.parse` does not give. Of fields that the schema
 * does not have, it reads the positions alone. @throws Error for JSON whose object does not end
 */
export function readJsonTree(json: Uint8Array, type: protobuf.Type): MessageNode {
  const builder = new TreeBuilder(json, type)
  visitJson(json, builder)
  if (builder.tree === null) throw malformed(json.length)
  return builder.tree
}

/** A message that has not ended. */
interface OpenMessage {
  readonly parent: OpenMessage | null
  readonly type: protobuf.Type
  readonly begin: number
  readonly fields: FieldNode[]
  readonly unknown: ByteRange[]
  kind: number
  /** The current name, without quotes, and its field; `null` and `undefined` between fields. */
  name: ByteRange | null
  field: protobuf.Field | undefined
  /** The position in the list of the field; `null` outside of a list. */
  index: number | null
}

class TreeBuilder {
  readonly #json: Uint8Array
  readonly #type: protobuf.Type
  #message: OpenMessage | null = null
  /** The number of open objects and lists in a value that is not read. */
  #skipped = 0
  /** `null` until the request has ended. */
  tree: MessageNode | null = null

  constructor(json: Uint8Array, type: protobuf.Type) {
    this.#json = json
    this.#type = type
  }

  readonly open = (kind: 'object' | 'array', at: number): void => {
    const parent = this.#message
    const type = parent === null ? this.#type : messageTypeAt(parent)
    if (this.#skipped > 0) this.#skipped += 1
    else if (kind === 'array' && parent?.field?.repeated && parent.index === null) parent.index = 0
    else if (kind === 'array' || type === null || this.tree !== null) this.#skipped = 1
    else {
      const between = { name: null, field: undefined, index: null }
      this.#message = { parent, type, begin: at, fields: [], unknown: [], kind: 0, ...between }
    }
  }

  readonly close = (at: number): void => {
    const message = this.#message
    if (this.#skipped > 0) this.#skipped -= 1
    else if (message !== null && message.index !== null) message.index = null
    else if (message !== null) {
      this.#endField(message, at)
      const { parent, type, begin, fields, unknown, kind } = message
      const value = { type: type.name, fields, unknown, kind }
      this.#message = parent
      if (parent === null) this.tree = value
      else if (parent.field !== undefined)
        parent.fields.push({ name: parent.field.name, index: parent.index, begin, start: begin, end: at + 1, value })
    }
  }

  readonly comma = (at: number): void => {
    const message = this.#message
    if (this.#skipped > 0 || message === null) return
    if (message.index === null) this.#endField(message, at)
    else message.index += 1
  }

  readonly name = (start: number, end: number): void => {
    const message = this.#message
    if (this.#skipped > 0 || message === null) return
    message.name = { start, end }
    message.field = fieldOf(message.type, decodeString(this.#json, start, end))
  }

  readonly text = (start: number, end: number): void => {
    const message = this.#message
    if (this.#skipped > 0 || message === null) return
    const { field, index } = message
    if (message.name === null) throw malformed(start)
    if (field === undefined || field.repeated !== (index !== null)) return
    if (field.type !== 'string' && field.name !== BYTES_FIELD) return
    const value = field.type === 'string' ? decodeString(this.#json, start, end) : null
    message.fields.push({ name: field.name, index, begin: start - 1, start, end, value })
  }

  #endField(message: OpenMessage, end: number): void {
    const { name, field, unknown } = message
    if (name === null) return
    if (field === undefined) unknown.push({ start: name.start - 1, end })
    else if (field.name === 'kind') message.kind = kindOf(decodeString(this.#json, name.end, end))
    message.name = null
    message.field = undefined
  }
}

const malformed = (at: number): Error => new Error(`the request is not valid JSON at byte ${at}`)

/** The type of a message that begins here; `null` for other values. */
const messageTypeAt = ({ field, index }: OpenMessage): protobuf.Type | null =>
  field !== undefined && field.repeated === (index !== null) ? messageTypeOf(field) : null

/** Parsers of protobuf JSON also accept the names of the schema, such as `scope_spans`. */
function fieldOf(type: protobuf.Type, name: string): protobuf.Field | undefined {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(type.fields, camel) ? type.fields[camel] : undefined
}

/** @param after the bytes after a name, such as `": 3` */
function kindOf(after: string): number {
  const text = after.replaceAll(/[":\s]/g, '')
  return KINDS.includes(text) ? KINDS.indexOf(text) : Number(text) || 0
}
