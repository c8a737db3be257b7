import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_HEADER_LINE, readHeaderLine } from '../../../lib/tunnel/envelope-header'

const hold = (...blocks: readonly Uint8Array[]) => ({
  blocks,
  byteLength: blocks.reduce((sum, block) => sum + block.byteLength, 0),
})
const text = Buffer.from('{"dsn":"x"}\n{"type":"event"}\n{}')
const lineOf = (length: number) => Buffer.concat([Buffer.alloc(length, 'a'), Buffer.from('\nrest')])
/** Deterministic incompressible bytes without a newline. */
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

describe('readHeaderLine', () => {
  it.each([
    ['none', null, text],
    ['identity', 'identity', text],
    ['a character set', 'UTF-8', text],
    ['an unknown word', 'binary', text],
    ['gzip', 'gzip', gzipSync(text)],
    ['gzip by its old name', 'x-gzip', gzipSync(text)],
    ['deflate', 'deflate', deflateSync(text)],
    ['raw deflate, as some send it', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['a name in capitals', ' GZIP ', gzipSync(text)],
  ])('decodes the content encoding: %s', async (_name, encoding, bytes) => {
    const line = await readHeaderLine(hold(bytes), encoding)
    expect(line.ok && Buffer.from(line.value).toString()).toBe('{"dsn":"x"}')
  })

  it('returns the whole body when there is no newline: a header alone is an envelope', async () => {
    for (const [bytes, encoding] of [
      [Buffer.from('{"a":1}'), null],
      [gzipSync('{"a":1}'), 'gzip'],
    ] as const) {
      const line = await readHeaderLine(hold(bytes), encoding)
      expect(line.ok && Buffer.from(line.value).toString()).toBe('{"a":1}')
    }
  })

  it('joins blocks', async () => {
    const line = await readHeaderLine(hold(text.subarray(0, 3), text.subarray(3, 20), text.subarray(20)), null)
    expect(line.ok && Buffer.from(line.value).toString()).toBe('{"dsn":"x"}')
  })

  it.each([
    [null, (bytes: Buffer) => bytes],
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
  ])('accepts at most 8 KiB, or the configured limit (encoding %s)', async (encoding, encode) => {
    const longest = await readHeaderLine(hold(encode(lineOf(DEFAULT_MAX_HEADER_LINE))), encoding)
    expect(longest.ok && longest.value.byteLength).toBe(8192)
    const tooLong = await readHeaderLine(hold(encode(lineOf(DEFAULT_MAX_HEADER_LINE + 1))), encoding)
    expect(tooLong).toMatchObject({ ok: false, error: { status: 413 } })
    for (const length of [100, 100_000]) {
      expect(await readHeaderLine(hold(encode(lineOf(length))), encoding, length)).toMatchObject({ ok: true })
      expect(await readHeaderLine(hold(encode(lineOf(length + 1))), encoding, length)).toMatchObject({ ok: false })
    }
  })

  it('finds an incompressible header in an encoded body', async () => {
    const line = noise(DEFAULT_MAX_HEADER_LINE)
    const body = gzipSync(Buffer.concat([line, Buffer.from('\n'), noise(200_000)]))
    const read = await readHeaderLine(hold(body), 'gzip')
    expect(read.ok && Buffer.from(line).equals(read.value)).toBe(true)
  })

  it('decodes only the beginning: refuses a bomb, and accepts a body that is damaged later', async () => {
    const bomb = await readHeaderLine(hold(gzipSync(Buffer.alloc(64 * 1024 * 1024))), 'gzip')
    expect(bomb).toMatchObject({ ok: false, error: { status: 413 } })
    const brokenLater = Buffer.concat([gzipSync(Buffer.concat([text, noise(100_000)])).subarray(0, 70_000), noise(9)])
    expect(await readHeaderLine(hold(brokenLater), 'gzip')).toMatchObject({ ok: true })
  })

  it('refuses a body that does not match its Content-Encoding', async () => {
    for (const encoding of ['gzip', 'deflate', 'br'])
      expect(await readHeaderLine(hold(text), encoding)).toMatchObject({ ok: false, error: { status: 400 } })
  })

  it('refuses an unsupported encoding with 415 and lists the supported ones', async () => {
    for (const encoding of ['zstd', 'gzip, gzip', 'br,gzip'])
      expect(await readHeaderLine(hold(text), encoding)).toMatchObject({
        ok: false,
        error: { status: 415, headers: { 'accept-encoding': 'gzip, deflate, br' } },
      })
  })
})
