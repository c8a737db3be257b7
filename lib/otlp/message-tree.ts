import protobuf from 'protobufjs/light.js'

/** A message of a request, with the fields that contain texts, in the order of their bytes. */
export interface MessageNode {
  /** Of the schema, such as `KeyValue`. */
  readonly type: string
  readonly fields: readonly FieldNode[]
  /** Of JSON: fields that the schema does not have, from the quote of the name to the end of the value. */
  readonly unknown: readonly ByteRange[]
  /** The field `kind`, which only spans have. */
  readonly kind: number
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A field. Its range is without the length in protobuf, and without quotes in JSON. */
export interface FieldNode extends ByteRange {
  readonly name: string
  /** Its position in a list; `null` for a single field. */
  readonly index: number | null
  /** The end of the tag in protobuf, and the beginning of the value in JSON. */
  readonly begin: number
  /** A text, a message, or `null` for the bytes of an attribute. */
  readonly value: string | MessageNode | null
}

/** Other fields of bytes are ids. */
export const BYTES_FIELD = 'bytesValue'

/** Reads the texts of a protobuf message with their positions. @throws Error for bytes that are no protobuf */
export const readProtobufTree = (body: Uint8Array, type: protobuf.Type): MessageNode =>
  readMessage(protobuf.Reader.create(body), type, body.length)

/** The message type of a field; `null` for a scalar one. */
export function messageTypeOf(field: protobuf.Field): protobuf.Type | null {
  const { resolvedType } = field.resolve()
  return resolvedType instanceof protobuf.Type ? resolvedType : null
}

const LENGTH_DELIMITED = 2
const decoder = new TextDecoder()

function readMessage(reader: protobuf.Reader, type: protobuf.Type, end: number): MessageNode {
  const fields: FieldNode[] = []
  const counts = new Map<string, number>()
  let kind = 0
  while (reader.pos < end) {
    const tag = reader.uint32()
    const field = type.fieldsById[tag >>> 3]
    if (field?.name === 'kind') kind = reader.int32()
    else if (field === undefined || (tag & 7) !== LENGTH_DELIMITED) reader.skipType(tag & 7)
    else {
      const node = readField(reader, field)
      const index = counts.get(field.name) ?? 0
      counts.set(field.name, index + 1)
      if (node !== null) fields.push({ ...node, index: field.repeated ? index : null })
    }
  }
  return { type: type.name, fields, unknown: [], kind }
}

function readField(reader: protobuf.Reader, field: protobuf.Field): Omit<FieldNode, 'index'> | null {
  const begin = reader.pos
  const length = reader.uint32()
  const start = reader.pos
  const end = start + length
  const at = { name: field.name, begin, start, end }
  const type = messageTypeOf(field)
  if (type !== null) return { ...at, value: readMessage(reader, type, end) }
  reader.skip(length)
  if (field.type === 'string') return { ...at, value: decoder.decode(reader.buf.subarray(start, end)) }
  return field.name === BYTES_FIELD ? { ...at, value: null } : null
}
