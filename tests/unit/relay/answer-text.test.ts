import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { answerText } from '../../../collector/relay/post-record'

const text = '{"detail":"invalid event envelope","causes":["ünïcode"]}'
const bytes = Buffer.from(text)

describe('the stored text of an answer', () => {
  it.each([
    [null, bytes],
    ['identity', bytes],
    ['utf-8', bytes],
    ['gzip', gzipSync(bytes)],
    ['GZIP', gzipSync(bytes)],
    ['x-gzip', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['br', brotliCompressSync(bytes)],
  ])('is decoded with Content-Encoding %s', async (encoding, body) => {
    expect(await answerText(body, encoding)).toBe(text)
  })

  it('is cut at 4096 characters', async () => {
    const long = Buffer.from('ü'.repeat(10_000))
    for (const [encoding, body] of [
      [null, long],
      ['gzip', gzipSync(long)],
    ] as const)
      expect(await answerText(body, encoding)).toBe('ü'.repeat(4096))
  })

  it('ends where a compressed answer was cut', async () => {
    const body = gzipSync(Buffer.from(Array.from({ length: 5000 }, (_, line) => `line ${line}`).join('\n')))
    expect(await answerText(body.subarray(0, body.length / 2), 'gzip')).toMatch(/^line 0\nline 1\n/)
  })

  it('is the beginning of a compression bomb, which is inflated no further', async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, 'x'))
    const before = process.memoryUsage().rss
    const startedAt = performance.now()
    expect(await answerText(bomb, 'gzip')).toBe('x'.repeat(4096))
    expect(performance.now() - startedAt).toBeLessThan(1000)
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * 1024 * 1024)
  })

  it.each([
    ['gzip', bytes, `[${bytes.length} bytes that are not valid gzip]`],
    ['zstd', bytes, `[${bytes.length} bytes with Content-Encoding zstd]`],
    ['gzip, br', bytes, `[${bytes.length} bytes with Content-Encoding gzip, br]`],
    ['gzip', Buffer.alloc(0), ''],
    ['gzip', gzipSync(Buffer.alloc(0)), ''],
  ])('describes an answer that cannot be decoded with Content-Encoding %s', async (encoding, body, expected) => {
    expect(await answerText(body, encoding)).toBe(expected)
  })
})
