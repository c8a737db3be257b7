import { expect, it } from 'vitest'
import { toldDuration } from '../../../../lib/verdict/rules/duration'

it.each([
  [400, '0 ms'],
  [850_400, '850 ms'],
  [999_400, '999 ms'],
  [999_600, '1 s'],
  [4_060_000, '4.1 s'],
  [60_000_000, '60 s'],
])('%i µs are told as %s', (us, words) => {
  expect(toldDuration(us)).toBe(words)
})
