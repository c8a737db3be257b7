import type protobuf from 'protobufjs/light.js'

/** A field of the schema, as `Span.Link.traceState`, and the text of its value in the JSON of decoded rows. */
interface Marker {
  readonly path: string
  readonly expected: RegExp
}

export interface Filled {
  /** A message as OTLP/JSON, or a scalar. */
  readonly value: unknown
  readonly markers: readonly Marker[]
}

/** Rows contain enums and flags as words. */
const WORDS: Readonly<Record<string, { readonly value: unknown; readonly expected: RegExp }>> = {
  'Span.kind': { value: 3, expected: /"kind":"client"/ },
  'Status.code': { value: 2, expected: /"status":"error"/ },
  'Sum.aggregationTemporality': { value: 2, expected: /"type":"sum"[^\n]*"temporality":"cumulative"/ },
  'Sum.isMonotonic': { value: true, expected: /"monotonic":true/ },
  'Histogram.aggregationTemporality': { value: 1, expected: /"type":"histogram"[^\n]*"temporality":"delta"/ },
  'ExponentialHistogram.aggregationTemporality': {
    value: 1,
    expected: /"type":"exponential_histogram"[^\n]*"temporality":"delta"/,
  },
  'AnyValue.boolValue': { value: true, expected: /"key-\d+":true/ },
}

/** Lists in values contain values again, without end. */
const MOST_NESTED = 2

const FIRST_NUMBER = 100_001
/** JSON cannot write it as a number without loss. */
const FIRST_LONG = 1_700_000_000_000_000_001n

/**
 * Fills every field of a message type with a distinct value. Fields of one `oneof` exclude each other, so each of them
 * has its own message. @returns messages that together contain every field
 */
export function fillMessage(type: protobuf.Type): readonly Filled[] {
  let count = 0
  /** @returns several messages for a message with alternatives, and scalars for a scalar */
  const variantsOf = (field: protobuf.Field, nested: number): readonly Filled[] => {
    const { resolvedType } = field.resolve()
    count += 1
    if (resolvedType === null) return [scalar(field, count)]
    const isContainer = resolvedType.name === 'ArrayValue' || resolvedType.name === 'KeyValueList'
    if (isContainer && nested >= MOST_NESTED) return []
    return fill(resolvedType as protobuf.Type, nested + Number(isContainer))
  }
  const fill = (of: protobuf.Type, nested: number): readonly Filled[] => {
    const isShared = (field: protobuf.Field): boolean => field.repeated || !hasAlternatives(field)
    const alternatives = of.fieldsArray
      .filter((field) => !isShared(field))
      .flatMap((field) => variantsOf(field, nested).map((filled) => ({ name: field.name, filled })))
    // Each message has shared fields of its own: attributes with equal keys would replace each other.
    const sharedFields = (): Filled => {
      const value: Record<string, unknown> = {}
      const markers: Marker[] = []
      for (const field of of.fieldsArray.filter(isShared)) {
        const filled = variantsOf(field, nested)
        value[field.name] = field.repeated ? filled.map((one) => one.value) : filled[0]?.value
        markers.push(...filled.flatMap((one) => one.markers))
      }
      return { value, markers }
    }
    if (alternatives.length === 0) return [sharedFields()]
    return alternatives.map(({ name, filled }) => {
      const shared = sharedFields()
      return {
        value: { ...(shared.value as object), [name]: filled.value },
        markers: [...shared.markers, ...filled.markers],
      }
    })
  }
  return fill(type, 0)
}

/** A field of a `oneof`, or a value, which has one. */
const hasAlternatives = (field: protobuf.Field): boolean =>
  (field.partOf?.oneof.length ?? 0) > 1 || field.resolve().resolvedType?.name === 'AnyValue'

const LONGS: ReadonlySet<string> = new Set(['fixed64', 'sfixed64', 'int64', 'uint64'])

function scalar(field: protobuf.Field, count: number): Filled {
  const path = `${field.parent?.fullName.replace(/^.*?\.v1\./, '')}.${field.name}`
  const { value, expected } = WORDS[path] ?? distinct(field, count)
  return { value, markers: [{ path, expected }] }
}

function distinct({ name, type }: protobuf.Field, count: number): { value: unknown; expected: RegExp } {
  if (type === 'string') return { value: `${name}-${count}`, expected: new RegExp(`"${name}-${count}"`) }
  if (type === 'bytes') {
    const hex = (FIRST_NUMBER + count).toString(16).padStart(name === 'traceId' ? 32 : 16, 'a')
    const value = name.endsWith('Id') ? hex : Buffer.from(hex, 'hex').toString('base64')
    return { value, expected: new RegExp(`"${value.replaceAll('+', '\\+')}"`) }
  }
  if (type === 'bool') return { value: true, expected: /:true/ }
  const number = LONGS.has(type)
    ? (FIRST_LONG + BigInt(count)).toString()
    : String(FIRST_NUMBER + count + (type === 'double' ? 0.5 : 0))
  return {
    value: LONGS.has(type) ? number : Number(number),
    expected: new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}(?![\\d.])`),
  }
}
