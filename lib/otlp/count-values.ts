import protobuf from 'protobufjs/light.js'

/** The part of a field that a scan needs: a message, or the bytes of each element of a packed list (0: varints). */
type ScannedField = { readonly type: protobuf.Type } | { readonly elementBytes: 0 | 4 | 8 }

const scanned = new WeakMap<protobuf.Type, ReadonlyMap<number, ScannedField>>()

const ELEMENT_BYTES: Readonly<Record<string, 0 | 4 | 8>> = {
  fixed64: 8,
  sfixed64: 8,
  double: 8,
  fixed32: 4,
  sfixed32: 4,
  float: 4,
  uint64: 0,
  int64: 0,
  sint64: 0,
  uint32: 0,
  int32: 0,
  sint32: 0,
  bool: 0,
}

function fieldsOf(type: protobuf.Type): ReadonlyMap<number, ScannedField> {
  const known = scanned.get(type)
  if (known !== undefined) return known
  const fields = new Map<number, ScannedField>()
  for (const field of type.fieldsArray) {
    const { resolvedType, repeated, id } = field.resolve()
    const elementBytes = ELEMENT_BYTES[field.type]
    if (resolvedType instanceof protobuf.Type) fields.set(id, { type: resolvedType })
    else if (repeated && elementBytes !== undefined) fields.set(id, { elementBytes })
  }
  scanned.set(type, fields)
  return fields
}

const LENGTH_DELIMITED = 2
const FIXED_BYTES: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/**
 * Counts the messages and list elements of a protobuf message without decoding it: an empty span takes two bytes to send
 * and 200 to decode. Stops at malformed bytes, because the decoder reports them. @returns at most `most` + 1
 */
export function countValues(type: protobuf.Type, bytes: Uint8Array, most: number): number {
  let at = 0
  let count = 0
  const readVarint = (): number => {
    let value = 0
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at] ?? 0
      at += 1
      value += (byte & 0x7f) * scale
      if (byte < 0x80) break
    }
    return value
  }
  const countElements = (elementBytes: number, end: number): void => {
    if (elementBytes > 0) count += Math.floor((end - at) / elementBytes)
    else for (let index = at; index < end; index += 1) if ((bytes[index] ?? 0) < 0x80) count += 1
  }
  // Messages that are open, instead of recursion: the depth of a body is up to its sender.
  const ends: number[] = [bytes.length]
  const types: protobuf.Type[] = [type]
  while (ends.length > 0 && count <= most) {
    const end = ends.at(-1) ?? 0
    const inside = types.at(-1)
    if (at >= end || inside === undefined) {
      ends.pop()
      types.pop()
      continue
    }
    const tag = readVarint()
    const wireType = tag & 7
    if (wireType === 0) readVarint()
    else if (wireType !== LENGTH_DELIMITED) {
      const size = FIXED_BYTES[wireType]
      if (size === undefined) return count
      at += size
    } else {
      const length = readVarint()
      if (at + length > end) return count
      const field = fieldsOf(inside).get(Math.floor(tag / 8))
      if (field !== undefined && 'type' in field) {
        count += 1
        ends.push(at + length)
        types.push(field.type)
        continue
      }
      if (field !== undefined) countElements(field.elementBytes, at + length)
      at += length
    }
  }
  return Math.min(count, most + 1)
}
