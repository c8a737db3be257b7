import { describe, expect, it } from 'vitest'
import { hex16, hex32, isDeeperThan, shapeOf, usFromTimestamp } from '../../../lib/protocol/json'

const noon = Date.UTC(2026, 10, 20, 12) * 1000

describe('usFromTimestamp', () => {
  it.each([
    ['float seconds of a browser', 1795172385.4583, 1795172385458300],
    ['float seconds with a rounding error', 0.1 + 0.2, 300_000],
    ['whole seconds', 1795172385, 1795172385000000],
    ['seconds as text', '1795172385.4583', 1795172385458300],
    ['RFC 3339 in UTC', '2026-11-20T12:00:00Z', noon],
    ['RFC 3339 with milliseconds', '2026-11-20T12:00:00.123Z', noon + 123_000],
    ["RFC 3339 with the microseconds of Python's SDK", '2026-11-20T12:00:00.123456Z', noon + 123_456],
    ['RFC 3339 with nanoseconds', '2026-11-20T12:00:00.123456789Z', noon + 123_457],
    ['RFC 3339 with an offset', '2026-11-20T13:30:00.5+01:30', noon + 500_000],
    ['RFC 3339 with an offset without a colon', '2026-11-20T11:00:00-0100', noon],
    ['a time without a zone, which means UTC', '2026-11-20T12:00:00.5', noon + 500_000],
    ['a time with a space in its middle', '2026-11-20 12:00:00', noon],
    ['a day', '2026-11-20', noon - 12 * 3600 * 1e6],
    ['the epoch', 0, 0],
    ['a time before the epoch', -1.5, -1_500_000],
  ])('reads %s as whole microseconds', (_name, value, us) => {
    expect(usFromTimestamp(value)).toBe(us)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['empty text', ''],
    ['a space', ' '],
    ['a word', 'yesterday'],
    ['a month of 13', '2026-13-01T00:00:00Z'],
    ['hexadecimal', '0x10'],
    ['an object', {}],
    ['a truth', true],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['infinity as text', 'Infinity'],
    ['more than microseconds can count', 1e300],
    ['more digits than microseconds can count', '9'.repeat(400)],
  ])('returns null for %s', (_name, value) => {
    expect(usFromTimestamp(value)).toBeNull()
  })

  it('refuses a text as long as a payload quickly', () => {
    const before = performance.now()
    expect(usFromTimestamp('2026-11-20T12:00:00.'.padEnd(1_000_000, '1').concat('x'))).toBeNull()
    expect(performance.now() - before).toBeLessThan(1000)
  })
})

const id = '0123456789abcdef0123456789abcdef'

describe('hex32', () => {
  it.each([
    ['as it is', id],
    ['in capitals', id.toUpperCase()],
    ['with the dashes of a UUID', '01234567-89ab-cdef-0123-456789abcdef'],
  ])('reads %s as 32 lower-case digits', (_name, value) => {
    expect(hex32(value)).toBe(id)
  })

  it.each([
    ['one digit short', id.slice(1)],
    ['one digit long', `${id}0`],
    ['with another letter', id.replace('f', 'g')],
    ['with a line break after it', `${id}\n`],
    ['a number', 7],
    ['null', null],
    ['an object', { toString: () => id }],
  ])('returns null for %s', (_name, value) => {
    expect(hex32(value)).toBeNull()
  })
})

describe('hex16', () => {
  it('returns lower case', () => {
    expect(hex16('0123456789ABCDEF')).toBe('0123456789abcdef')
  })

  it.each([
    ['one digit short', '123456789abcdef'],
    ['32 digits', id],
    ['with dashes', '01234567-89abcdef'],
    ['with a line break after it', '0123456789abcdef\n'],
    ['a number', 1],
  ])('returns null for %s', (_name, value) => {
    expect(hex16(value)).toBeNull()
  })
})

const bytes = (text: string): Uint8Array => Buffer.from(text)

describe('isDeeperThan', () => {
  it.each([
    ['exactly the limit', '[[[]]]', false],
    ['one more', '[[[[]]]]', true],
    ['objects and lists alike', '{"a":[{"b":{}}]}', true],
    ['siblings, which add nothing', '[[[]],[[]],{"a":[]}]', false],
    ['brackets in text', '["[[[[{{{{"]', false],
    ['a quote that is escaped', '["\\"[[[["]', false],
    ['a backslash that is escaped before the quote', '["\\\\",[[[]]]]', true],
    ['text that never ends', '["[[[[', false],
  ])('of 3: %s', (_case, json, deeper) => {
    expect(isDeeperThan(3, bytes(json))).toBe(deeper)
  })
})

describe('the number of values in JSON', () => {
  it.each([
    ['a word', '"a,b"', 1],
    ['an empty list', '[]', 1],
    ['an empty object', '{}', 1],
    ['a list', '[1,2,3]', 4],
    ['an object', '{"a":1,"b":"{[,"}', 3],
    ['a container of empty entries', '{"items":[{},{},{}]}', 5],
  ])('of %s', (_case, json, values) => {
    const shape = (most: number) => shapeOf(bytes(json), { depth: 3, values: most })
    expect(shape(values)).toEqual({ excess: null, values })
    if (values > 1) expect(shape(values - 1)).toEqual({ excess: 'values', values })
  })
})
