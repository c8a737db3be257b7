import { expect, it } from 'vitest'
import { parseSize } from '../../../lib/config/fields'

it.each([
  ['0', 0],
  ['4096', 4096],
  ['512b', 512],
  ['1k', 1024],
  ['1KB', 1024],
  ['1KiB', 1024],
  ['2MiB', 2 * 1024 ** 2],
  ['2 mb', 2 * 1024 ** 2],
  [' 1.5GiB ', 1.5 * 1024 ** 3],
  ['1TiB', 1024 ** 4],
  ['0.5b', 0],
])('parseSize parses %s as %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

it.each(['', 'b', '-1', '1e3', '0x10', '1,5GiB', '1 PiB', '1iB', '1.GiB', '1234567890123', 'NaN', '2MiBs'])(
  'parseSize returns null for %j, which is not a size',
  (text) => {
    expect(parseSize(text)).toBeNull()
  },
)
