/** A random number in [0, 1), always the same sequence for the same seed (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const pick = <One>(random: Random, list: readonly [One, ...One[]]): One =>
  list[Math.floor(random() * list.length)] ?? list[0]

/** Changes one to eight positions of some bytes. @param other bytes to copy from */
export function mutateBytes(random: Random, bytes: Buffer, other: Buffer): Buffer {
  let mutated = bytes
  for (let left = 1 + Math.floor(random() * 8); left > 0; left -= 1)
    mutated = pick(random, BYTES)(random, mutated, other)
  return mutated
}

type MutateBytes = (random: Random, bytes: Buffer, other: Buffer) => Buffer

const position = (random: Random, bytes: Buffer): number => Math.floor(random() * bytes.length)

const sliceOf = (random: Random, bytes: Buffer): Buffer => {
  const from = position(random, bytes)
  return bytes.subarray(from, from + 1 + Math.floor(random() * 64))
}

const insert: MutateBytes = (random, bytes, other) => {
  const at = position(random, bytes)
  return Buffer.concat([bytes.subarray(0, at), sliceOf(random, other), bytes.subarray(at)])
}

const EDGES = [0x00, 0x01, 0x7f, 0x80, 0xff] as const

const replaceByte: MutateBytes = (random, bytes) => {
  const mutated = Buffer.from(bytes)
  if (mutated.length > 0) mutated[position(random, bytes)] = pick(random, EDGES)
  return mutated
}

const BYTES: readonly [MutateBytes, ...MutateBytes[]] = [
  (random, bytes) => {
    const mutated = Buffer.from(bytes)
    const at = position(random, bytes)
    if (mutated.length > 0) mutated[at] = (mutated[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    return mutated
  },
  replaceByte,
  replaceByte,
  insert,
  (random, bytes) => insert(random, bytes, bytes),
  (random, bytes) => {
    const at = position(random, bytes)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + Math.floor(random() * 16))])
  },
  (random, bytes) => (random() < 0.2 ? bytes.subarray(0, position(random, bytes)) : bytes),
]

/** Values that break assumptions about a type or a range. */
const VALUES: readonly [unknown, ...unknown[]] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '0',
  '-1',
  '18446744073709551615',
  '99999999999999999999',
  'NaN',
  'Infinity',
  'f'.repeat(32),
  '\u0000\ud800',
  'x'.repeat(5000),
  [],
  [null],
  [[[[]]]],
  {},
  { stringValue: 1 },
  { arrayValue: { values: [{ kvlistValue: {} }] } },
  { low: 1, high: 2, unsigned: true },
]

const NAMES: readonly [string, ...string[]] = ['__proto__', 'constructor', 'toString', 'key', 'value', 'traceId', '']

/** Replaces, removes or renames one to four values of a JSON document. */
export function mutateJson(random: Random, document: unknown): unknown {
  let mutated = document
  for (let left = 1 + Math.floor(random() * 4); left > 0; left -= 1) mutated = mutateValue(random, mutated)
  return mutated
}

function mutateValue(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.02) return pick(random, VALUES)
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length)
    if (random() < 0.1) return [...value, ...value]
    return value.map((one, index) => (index === at ? mutateValue(random, one) : one))
  }
  const entries = Object.entries(value)
  const at = Math.floor(random() * entries.length)
  const change = random()
  return Object.fromEntries(
    entries.flatMap(([key, inner], index) => {
      if (index !== at || change < 0.05) return [[key, inner]]
      if (change < 0.1) return []
      return change < 0.2 ? [[pick(random, NAMES), inner]] : [[key, mutateValue(random, inner)]]
    }),
  )
}
