import { expect, it } from 'vitest'
import { bigintOf, doubleOf, integerOf, nanosOf, plainValue } from '../../../lib/otlp/values'

it.each([
  ['18446744073709551615', 18446744073709551615n],
  ['-9223372036854775808', -9223372036854775808n],
  [{ low: -1, high: -1, unsigned: true }, 18446744073709551615n],
  [{ low: -1, high: -1, unsigned: false }, -1n],
  [3, 3n],
])('bigintOf reads %j', (value, exact) => {
  expect(bigintOf(value)).toBe(exact)
})

it.each(['18446744073709551616', '-9223372036854775809', 1e300, 1.5, '1e3', '', null, {}])(
  'bigintOf rejects %j, which is not a 64-bit integer',
  (value) => {
    expect(bigintOf(value)).toBeNull()
  },
)

it('nanosOf is null for a time whose microseconds are not exact', () => {
  expect(nanosOf('9007199254740991000')).toBe(9007199254740991000n)
  expect(nanosOf('9007199254740992000')).toBeNull()
})

it.each(['0', 0, '-1', 1e300, null])('nanosOf is null for %j', (value) => {
  expect(nanosOf(value)).toBeNull()
})

it('integerOf returns text for an integer that a number cannot represent', () => {
  expect(integerOf('9007199254740991')).toBe(9007199254740991)
  expect(integerOf('9007199254740993')).toBe('9007199254740993')
})

it.each([
  ['NaN', 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
  ['1.5', null],
  [0.5, 0.5],
])('doubleOf reads %j as %j', (value, read) => {
  expect(doubleOf(value)).toBe(read)
})

it('plainValue reads a value that is nested too deeply as null', () => {
  let value: object = { stringValue: 'deepest' }
  for (let depth = 0; depth < 40; depth += 1) value = { arrayValue: { values: [value] } }
  expect(JSON.stringify(plainValue(value))).toMatch(/^\[+null\]+$/)
})

it('plainValue keeps a key that is also the name of a prototype', () => {
  const values = [{ key: '__proto__', value: { intValue: '1' } }]
  expect(JSON.stringify(plainValue({ kvlistValue: { values } }))).toBe('{"__proto__":1}')
})
