import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { valueIn } from '../value-in'
import { readBody, request } from './requests'
import { rawZstd } from './zstd-frames'

const text = Buffer.from('{}\n{"type":"event"}\n{"message":"ü€👍\\n"}')

describe('readBody', () => {
  it.each([
    ['nothing', undefined, text],
    ['empty', '', text],
    ['identity', 'identity', text],
    ['utf-8, which is not a content coding', 'utf-8', text],
    ['gzip', 'gzip', gzipSync(text)],
    ['x-gzip', 'x-gzip', gzipSync(text)],
    ['GZIP with white space', ' GZIP ', gzipSync(text)],
    ['gzip in two members', 'gzip', Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))])],
    ['deflate, which is zlib', 'deflate', deflateSync(text)],
    ['deflate of the least effort', 'deflate', deflateSync(text, { level: 0 })],
    ['deflate, raw', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['zstd', 'zstd', rawZstd(text)],
    ['an unknown word', 'binary', text],
    ['identity around gzip', 'identity, gzip', gzipSync(text)],
  ])('decodes Content-Encoding %s', async (_name, encoding, wire) => {
    const body = valueIn(await readBody(request(wire, encoding === undefined ? {} : { 'content-encoding': encoding })))
    expect(Buffer.from(body.bytes).equals(text)).toBe(true)
    expect(body.wireBytes).toBe(wire.length)
  })

  it.each([
    ['gzip that is plain', 'gzip', text],
    ['gzip that is br', 'gzip', brotliCompressSync(text)],
    ['gzip cut short', 'gzip', gzipSync(text).subarray(0, -9)],
    ['gzip with a wrong sum', 'gzip', Buffer.concat([gzipSync(text).subarray(0, -8), Buffer.alloc(8)])],
    ['deflate that is plain', 'deflate', text],
    ['deflate cut short', 'deflate', deflateSync(text).subarray(0, -9)],
    ['br that is plain', 'br', text],
    ['br cut short', 'br', brotliCompressSync(text).subarray(0, -9)],
    ['zstd that is plain', 'zstd', text],
    ['zstd cut short', 'zstd', rawZstd(text).subarray(0, -9)],
    ['an empty zstd body', 'zstd', Buffer.alloc(0)],
    ['an empty gzip body', 'gzip', Buffer.alloc(0)],
  ])('refuses %s', async (_name, encoding, wire) => {
    expect(await readBody(request(wire, { 'content-encoding': encoding }))).toMatchObject({
      ok: false,
      error: {
        status: 400,
        reason: 'encoding',
        detail: `Content-Encoding is ${encoding}, but the body is not valid ${encoding}`,
      },
    })
  })

  it.each(['gzip, gzip', 'gzip,br', 'zstd, x-gzip'])(
    'refuses several codings (%s) without decoding',
    async (header) => {
      expect(await readBody(request(gzipSync(gzipSync(text)), { 'content-encoding': header }))).toMatchObject({
        ok: false,
        error: { status: 415, reason: 'encoding', detail: expect.stringContaining('at most one is supported') },
      })
    },
  )

  it('joins chunks of one byte', async () => {
    const body = await readBody(request([...text].map((byte) => Uint8Array.of(byte))))
    expect(body.ok && Buffer.from(body.value.bytes).equals(text)).toBe(true)
  })

  it('reads a missing body as empty', async () => {
    const body = await readBody(new Request('http://127.0.0.1/tunnel', { method: 'POST' }))
    expect(body).toMatchObject({ ok: true, value: { wireBytes: 0 } })
    expect(body.ok && body.value.bytes.length).toBe(0)
  })
})

it('Content-Length accepts a correct value', async () => {
  expect(await readBody(request(text, { 'content-length': String(text.length) }))).toMatchObject({ ok: true })
})

it.each([
  ['more', text.length + 1],
  ['less', text.length - 1],
  ['nothing', 0],
  ['not a number', 'many'],
])('Content-Length refuses a value that differs from the body: %s', async (_name, promised) => {
  expect(await readBody(request(text, { 'content-length': String(promised) }))).toMatchObject({
    ok: false,
    error: {
      status: 400,
      reason: 'length_mismatch',
      detail: `received ${text.length} bytes, but Content-Length is ${promised}`,
    },
  })
})

it('Content-Length counts bytes before decoding', async () => {
  const wire = gzipSync(text)
  const headers = { 'content-encoding': 'gzip', 'content-length': String(wire.length) }
  expect(await readBody(request(wire, headers))).toMatchObject({ ok: true })
})
