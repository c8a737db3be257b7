import { describe, expect, it } from 'vitest'
import { openBlocks, readContentEncoding } from '../../../lib/protocol/body'

const MIB = 1024 * 1024
const bytesOf = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, index) => (index * 31) % 251))

describe('openBlocks', () => {
  it.each<[string, number, number]>([
    ['one by one', 1, 40_000],
    ['in uneven pieces', 7001, 3 * MIB],
    ['in one piece', 3 * MIB, 3 * MIB],
  ])('returns the same bytes in a few blocks when they arrive %s', (_name, piece, size) => {
    const bytes = bytesOf(size)
    const blocks = openBlocks(4 * MIB)
    for (let at = 0; at < size; at += piece) blocks.add(bytes.subarray(at, at + piece))
    const closed = blocks.close()
    expect(blocks.byteLength()).toBe(size)
    expect(closed.length).toBeLessThan(10)
    expect(Buffer.concat(closed).equals(bytes)).toBe(true)
  })

  it.each<[string, number, number]>([
    ['before the first piece', 0, 3 * MIB],
    ['in the middle', 2 * MIB, 3 * MIB],
    ['to less than was added', 2 * MIB, 1],
  ])('returns one block after widen %s', (_name, before, to) => {
    const bytes = bytesOf(3 * MIB)
    const blocks = openBlocks(4 * MIB)
    for (let at = 0; at < before; at += 10_001) blocks.add(bytes.subarray(at, Math.min(at + 10_001, before)))
    blocks.widen(to)
    expect(blocks.byteLength()).toBe(before)
    blocks.add(bytes.subarray(before))
    expect(Buffer.concat(blocks.close()).equals(bytes)).toBe(true)
    expect(blocks.close().length).toBe(to > before ? 1 : 2)
  })

  it('takes at most twice the memory of the added bytes', () => {
    const blocks = openBlocks(100 * MIB)
    for (let count = 0; count < 100; count += 1) blocks.add(new Uint8Array(10_000))
    const memory = blocks.close().reduce((sum, { buffer }) => sum + buffer.byteLength, 0)
    expect(memory).toBeLessThanOrEqual(2_000_000)
  })

  it('returns no blocks when nothing was added', () => {
    expect(openBlocks(10).close()).toEqual([])
  })

  it('throws a RangeError over the maximum', () => {
    const blocks = openBlocks(10)
    blocks.add(new Uint8Array(10))
    expect(() => blocks.add(new Uint8Array(1))).toThrow(RangeError)
  })
})

it.each([
  ['gzip', 'gzip'],
  [' GZip ', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['identity, gzip', 'gzip'],
  ['gzip,', 'gzip'],
])('Content-Encoding reads %j as %s', (header, coding) => {
  expect(readContentEncoding(header)).toEqual({ ok: true, value: coding })
})

it.each([null, '', ' ', 'identity', 'UTF-8', 'utf8', 'binary', 'constructor', 'gzip2'])(
  'Content-Encoding reads %j as no coding',
  (header) => {
    expect(readContentEncoding(header)).toEqual({ ok: true, value: null })
  },
)

it.each([
  ['gzip, gzip', 2],
  ['br,zstd', 2],
  ['gzip, utf-8, deflate, br', 3],
])('Content-Encoding refuses %j: more than one coding', (header, count) => {
  expect(readContentEncoding(header)).toEqual({
    ok: false,
    error: `Content-Encoding lists ${count} codings; at most one is supported`,
  })
})
