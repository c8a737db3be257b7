import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_HEADER_LINE, firstLine } from '../../../lib/tunnel/first-line'

const hold = (...blocks: readonly Uint8Array[]) => ({
  blocks,
  byteLength: blocks.reduce((sum, block) => sum + block.byteLength, 0),
})
const text = Buffer.from('{"dsn":"x"}\n{"type":"event"}\n{}')
const lineOf = (length: number) => Buffer.concat([Buffer.alloc(length, 'a'), Buffer.from('\nrest')])
/** Deterministic bytes that do not compress, without a newline. */
const noise = (length: number) => {
  let state = 1
  return Buffer.from(
    Array.from({ length }, () => {
      state = (state * 1103515245 + 12345) % 2147483648
      const byte = (state >> 16) & 0xff
      return byte === 10 ? 11 : byte
    }),
  )
}

describe('the first line of a body', () => {
  it.each([
    ['none', null, text],
    ['identity', 'identity', text],
    ['a character set in its place', 'UTF-8', text],
    ['a word that is no encoding', 'binary', text],
    ['gzip', 'gzip', gzipSync(text)],
    ['gzip by its old name', 'x-gzip', gzipSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['raw deflate, as some send it', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['a name in capitals', ' GZIP ', gzipSync(text)],
  ])('is read through the content encoding: %s', async (_name, encoding, bytes) => {
    const line = await firstLine(hold(bytes), encoding)
    expect(line.ok && Buffer.from(line.value).toString()).toBe('{"dsn":"x"}')
  })

  it('is the whole body when there is no newline, for a header alone is an envelope', async () => {
    for (const [bytes, encoding] of [
      [Buffer.from('{"a":1}'), null],
      [gzipSync('{"a":1}'), 'gzip'],
    ] as const) {
      const line = await firstLine(hold(bytes), encoding)
      expect(line.ok && Buffer.from(line.value).toString()).toBe('{"a":1}')
    }
  })

  it('is put together from blocks', async () => {
    const line = await firstLine(hold(text.subarray(0, 3), text.subarray(3, 20), text.subarray(20)), null)
    expect(line.ok && Buffer.from(line.value).toString()).toBe('{"dsn":"x"}')
  })

  it.each([
    [null, (bytes: Buffer) => bytes],
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
  ])('has at most 8 KiB, or what was said (encoding %s)', async (encoding, encode) => {
    const longest = await firstLine(hold(encode(lineOf(DEFAULT_MAX_HEADER_LINE))), encoding)
    expect(longest.ok && longest.value.byteLength).toBe(8192)
    const tooLong = await firstLine(hold(encode(lineOf(DEFAULT_MAX_HEADER_LINE + 1))), encoding)
    expect(tooLong).toMatchObject({ ok: false, error: { status: 413 } })
    for (const length of [100, 100_000]) {
      expect(await firstLine(hold(encode(lineOf(length))), encoding, length)).toMatchObject({ ok: true })
      expect(await firstLine(hold(encode(lineOf(length + 1))), encoding, length)).toMatchObject({ ok: false })
    }
  })

  it('is found in an encoded body even when it does not compress', async () => {
    const line = noise(DEFAULT_MAX_HEADER_LINE)
    const body = gzipSync(Buffer.concat([line, Buffer.from('\n'), noise(200_000)]))
    const read = await firstLine(hold(body), 'gzip')
    expect(read.ok && Buffer.from(line).equals(read.value)).toBe(true)
  })

  it('is looked for only in the beginning: a bomb is refused, and a long body is not decoded', async () => {
    const bomb = await firstLine(hold(gzipSync(Buffer.alloc(64 * 1024 * 1024))), 'gzip')
    expect(bomb).toMatchObject({ ok: false, error: { status: 413 } })
    const brokenLater = Buffer.concat([gzipSync(Buffer.concat([text, noise(100_000)])).subarray(0, 70_000), noise(9)])
    expect(await firstLine(hold(brokenLater), 'gzip')).toMatchObject({ ok: true })
  })

  it('cannot be read from a body that is not what its Content-Encoding says', async () => {
    for (const encoding of ['gzip', 'deflate', 'br'])
      expect(await firstLine(hold(text), encoding)).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('is not looked for behind an encoding nobody here can decode: 415 names those that can be', async () => {
    for (const encoding of ['zstd', 'gzip, gzip', 'br,gzip'])
      expect(await firstLine(hold(text), encoding)).toMatchObject({
        ok: false,
        error: { status: 415, headers: { 'accept-encoding': 'gzip, deflate, br' } },
      })
  })
})
