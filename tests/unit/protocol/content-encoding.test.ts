import { describe, expect, it } from 'vitest'
import { readContentEncoding } from '../../../lib/protocol/body'

describe('Content-Encoding', () => {
  it.each([
    ['gzip', 'gzip'],
    [' GZip ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['identity, gzip', 'gzip'],
    ['gzip,', 'gzip'],
  ])('%j is %s', (header, coding) => {
    expect(readContentEncoding(header)).toEqual({ ok: true, value: coding })
  })

  it.each([null, '', ' ', 'identity', 'UTF-8', 'utf8', 'binary', 'constructor', 'gzip2'])('%j is none', (header) => {
    expect(readContentEncoding(header)).toEqual({ ok: true, value: null })
  })

  it.each([
    ['gzip, gzip', 2],
    ['br,zstd', 2],
    ['gzip, utf-8, deflate, br', 3],
  ])('%j is refused, for one would lie over the other', (header, count) => {
    expect(readContentEncoding(header)).toEqual({
      ok: false,
      error: `Content-Encoding lists ${count} codings; at most one is supported`,
    })
  })
})
