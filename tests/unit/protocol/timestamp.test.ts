import { expect, it } from 'vitest'
import { usFromTimestamp } from '../../../lib/protocol/timestamp'

const noon = Date.UTC(2026, 10, 20, 12) * 1000

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
])('usFromTimestamp reads %s as whole microseconds', (_name, value, us) => {
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
])('usFromTimestamp returns null for %s', (_name, value) => {
  expect(usFromTimestamp(value)).toBeNull()
})

it('usFromTimestamp refuses a text as long as a payload quickly', () => {
  const before = performance.now()
  expect(usFromTimestamp('2026-11-20T12:00:00.'.padEnd(1_000_000, '1').concat('x'))).toBeNull()
  expect(performance.now() - before).toBeLessThan(1000)
})
