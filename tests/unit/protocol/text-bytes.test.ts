import { describe, expect, it } from 'vitest'
import { decodeBase64, decodeUtf8, encodeUtf8, joinBytes } from '../../../lib/protocol/text-bytes'

describe('decodeUtf8', () => {
  it.each([
    ['a byte order mark', [0xef, 0xbb, 0xbf, 0x61]],
    ['a truncated character', [0x61, 0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['characters of four bytes', [...Buffer.from('a😀é')]],
  ])('decodes %s as Buffer does', (_name, bytes) => {
    expect(decodeUtf8(new Uint8Array(bytes))).toBe(Buffer.from(bytes).toString())
  })

  it('decodes a range of a view', () => {
    const view = new Uint8Array(Buffer.from('0123456789')).subarray(2)
    expect(decodeUtf8(view, 1, 4)).toBe('345')
  })
})

it('encodeUtf8 replaces lone surrogates', () => {
  expect(encodeUtf8('é\ud800')).toEqual(new Uint8Array([0xc3, 0xa9, 0xef, 0xbf, 0xbd]))
})

it.each(['', 'YQ', 'YQ==', 'YWI=', 'YWJj', 'YWJjZ', '_-_-', '/+/+', 'w6k='])(
  'decodes base64 %j as Buffer does',
  (text) => {
    expect(decodeBase64(text)).toBe(Buffer.from(text, 'base64').toString('latin1'))
  },
)

it('joinBytes joins in order', () => {
  expect(joinBytes([new Uint8Array([1]), new Uint8Array(), new Uint8Array([2, 3])])).toEqual(new Uint8Array([1, 2, 3]))
})
