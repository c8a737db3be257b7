import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type BodyLimits, bodyLimits, createBodyReader } from '../../../collector/receive/body'
import { fillZstd, measureZstd } from '../../../collector/receive/zstd'
import { LIMITS } from '../../../lib/protocol/limits'
import { rawZstd, zerosZstd } from './zstd-frames'

/** Timers that never end: what waits here waits for room. */
const never = () => () => undefined
const zstd = {
  measure: async (wire: Uint8Array, limit: number) => measureZstd(wire, limit),
  fill: async (wire: Uint8Array, size: number) => fillZstd(wire, size),
}
const readAny = createBodyReader({ limits: LIMITS, zstd, later: never })
const readBody = (of: Request, limits: BodyLimits = bodyLimits('envelope', LIMITS)) => readAny(of, limits)

const text = Buffer.from('{}\n{"type":"event"}\n{"message":"ü€👍\\n"}')

/** A request whose body is a stream; `duplex` is what Node demands then, and what the DOM's types do not know. */
function streaming(body: ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request {
  const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' }
  return new Request('http://127.0.0.1/tunnel', init)
}

/** A request whose body comes in blocks; `content-length` only where it is named. */
function request(body: Uint8Array | readonly Uint8Array[], headers: Record<string, string> = {}): Request {
  const blocks = body instanceof Uint8Array ? [body] : body
  return streaming(
    new ReadableStream({
      start: (stream) => {
        for (const block of blocks) stream.enqueue(block)
        stream.close()
      },
    }),
    headers,
  )
}

describe('a body', () => {
  it.each([
    ['nothing', undefined, text],
    ['empty', '', text],
    ['identity', 'identity', text],
    ['utf-8, which is no encoding, but is sent', 'utf-8', text],
    ['gzip', 'gzip', gzipSync(text)],
    ['x-gzip', 'x-gzip', gzipSync(text)],
    ['GZIP with white space', ' GZIP ', gzipSync(text)],
    ['gzip in two members', 'gzip', Buffer.concat([gzipSync(text.subarray(0, 9)), gzipSync(text.subarray(9))])],
    ['deflate, which is zlib', 'deflate', deflateSync(text)],
    ['deflate of the least effort', 'deflate', deflateSync(text, { level: 0 })],
    ['deflate, raw', 'deflate', deflateRawSync(text)],
    ['br', 'br', brotliCompressSync(text)],
    ['zstd', 'zstd', rawZstd(text)],
    ['a word that is none', 'binary', text],
    ['identity around gzip', 'identity, gzip', gzipSync(text)],
  ])('with Content-Encoding %s is decoded', async (_name, encoding, wire) => {
    const body = await readBody(request(wire, encoding === undefined ? {} : { 'content-encoding': encoding }))
    if (!body.ok) throw new Error(body.error.detail)
    expect(Buffer.from(body.value.bytes).equals(text)).toBe(true)
    expect(body.value.wireBytes).toBe(wire.length)
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
    ['zstd and is nothing', 'zstd', Buffer.alloc(0)],
    ['gzip and is nothing', 'gzip', Buffer.alloc(0)],
  ])('that says %s is refused', async (_name, encoding, wire) => {
    expect(await readBody(request(wire, { 'content-encoding': encoding }))).toMatchObject({
      ok: false,
      error: { status: 400, reason: 'encoding', detail: `the body is not the ${encoding} that Content-Encoding says` },
    })
  })

  it.each(['gzip, gzip', 'gzip,br', 'zstd, x-gzip'])(
    'of several encodings (%s) is refused unopened',
    async (header) => {
      expect(await readBody(request(gzipSync(gzipSync(text)), { 'content-encoding': header }))).toMatchObject({
        ok: false,
        error: { status: 415, reason: 'encoding', detail: expect.stringContaining('at most one is undone here') },
      })
    },
  )

  it('in many blocks is one', async () => {
    const body = await readBody(request([...text].map((byte) => Uint8Array.of(byte))))
    expect(body.ok && Buffer.from(body.value.bytes).equals(text)).toBe(true)
  })

  it('that is not there is empty', async () => {
    const body = await readBody(new Request('http://127.0.0.1/tunnel', { method: 'POST' }))
    expect(body).toMatchObject({ ok: true, value: { wireBytes: 0 } })
    expect(body.ok && body.value.bytes.length).toBe(0)
  })
})

describe('Content-Length', () => {
  it('is believed when it is true', async () => {
    expect(await readBody(request(text, { 'content-length': String(text.length) }))).toMatchObject({ ok: true })
  })

  it.each([
    ['more', text.length + 1],
    ['less', text.length - 1],
    ['nothing', 0],
    ['no number', 'many'],
  ])('that promises %s is refused, for something in between cut or added', async (_name, promised) => {
    expect(await readBody(request(text, { 'content-length': String(promised) }))).toMatchObject({
      ok: false,
      error: {
        status: 400,
        reason: 'length_mismatch',
        detail: `${text.length} bytes came where Content-Length promised ${promised}`,
      },
    })
  })

  it('counts what is on the wire, not what it decodes to', async () => {
    const wire = gzipSync(text)
    const headers = { 'content-encoding': 'gzip', 'content-length': String(wire.length) }
    expect(await readBody(request(wire, headers))).toMatchObject({ ok: true })
  })
})

describe('the caps', () => {
  const limits = { wire: 1000, decoded: 2000 }
  const noise = Buffer.from(Array.from({ length: 1001 }, (_, index) => (index * index * 31) % 251))

  it('are 20 MiB on the wire and 100 MiB decoded, and 1 MiB of what is one event', () => {
    expect(bodyLimits('envelope', LIMITS)).toEqual({ wire: 20_971_520, decoded: 104_857_600 })
    expect(bodyLimits('one event', LIMITS)).toMatchObject({ wire: 1_048_576, decoded: 1_048_576 })
  })

  it("of one event are told in Relay's words", async () => {
    const one = bodyLimits('one event', { ...LIMITS, event: 1000 })
    expect(await readBody(request(noise.subarray(0, 1000)), one)).toMatchObject({ ok: true })
    expect(await readBody(request(noise), one)).toMatchObject({
      error: { status: 413, detail: "envelope exceeded size limits for type 'event'" },
    })
  })

  it('on the wire let through what fits, and no byte more', async () => {
    expect(await readBody(request(noise.subarray(0, 999)), limits)).toMatchObject({ ok: true })
    expect(await readBody(request(noise.subarray(0, 1000)), limits)).toMatchObject({ ok: true })
    expect(await readBody(request(noise), limits)).toMatchObject({
      ok: false,
      error: { status: 413, reason: 'too_large', detail: 'the body is larger than 1000 bytes on the wire' },
    })
  })

  it('on the wire end a body that promises too much before it is read', async () => {
    let pulled = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (stream) => {
          pulled += 1
          stream.enqueue(new Uint8Array(100))
        },
      },
      { highWaterMark: 0 },
    )
    const promising = streaming(body, { 'content-length': '1001' })
    expect(await readBody(promising, limits)).toMatchObject({ error: { status: 413 } })
    expect(pulled).toBe(0)
  })

  it('on the wire end a body that never ends', async () => {
    let given = 0
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => {
        given += 100
        stream.enqueue(new Uint8Array(100))
      },
      cancel: () => {
        cancelled = true
      },
    })
    const endless = streaming(body)
    expect(await readBody(endless, limits)).toMatchObject({ error: { status: 413 } })
    expect(given).toBeLessThan(2000)
    expect(cancelled).toBe(true)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', (zeros: Buffer) => zerosZstd(zeros.length)],
  ])('decoded let through what fits, and no byte more: %s', async (encoding, encode) => {
    for (const size of [1999, 2000]) {
      const body = await readBody(request(encode(Buffer.alloc(size)), { 'content-encoding': encoding }), limits)
      expect(body.ok && body.value.bytes.length).toBe(size)
    }
    expect(await readBody(request(encode(Buffer.alloc(2001)), { 'content-encoding': encoding }), limits)).toMatchObject(
      {
        ok: false,
        error: { status: 413, reason: 'too_large', detail: 'the body is larger than 2000 bytes decoded' },
      },
    )
  })

  it('decoded hold for a body without an encoding too', async () => {
    expect(await readBody(request(noise), { wire: 2000, decoded: 1000 })).toMatchObject({ error: { status: 413 } })
  })
})

describe('the room for all bodies together', () => {
  const limits = { wire: 2000, decoded: 2000, in_flight: 3000 }
  const noise = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * index * 31) % 251))

  it('is given back when a body is released, refused or broken off', async () => {
    const read = createBodyReader({ limits, zstd, later: never })
    const bodies = { wire: 2000, decoded: 2000 }
    for (let round = 0; round < 5; round += 1) {
      const body = await read(request(gzipSync(noise), { 'content-encoding': 'gzip' }), bodies)
      if (!body.ok) throw new Error(body.error.detail)
      body.value.release()
      expect(await read(request(Buffer.alloc(2001)), bodies)).toMatchObject({ error: { status: 413 } })
      expect(await read(request(noise, { 'content-encoding': 'gzip' }), bodies)).toMatchObject({
        error: { status: 400 },
      })
      const broken = new ReadableStream<Uint8Array>({
        pull: (stream) => stream.error(new Error('aborted')),
      })
      await expect(read(streaming(broken), bodies)).rejects.toThrow('aborted')
    }
  })

  it('makes a body wait until another is released', async () => {
    const read = createBodyReader({ limits, zstd, later: never })
    const bodies = { wire: 2000, decoded: 2000 }
    const first = await read(request(noise), bodies)
    const second = read(request(noise), bodies)
    if (!first.ok) throw new Error(first.error.detail)
    first.value.release()
    expect(await second).toMatchObject({ ok: true })
  })

  it('that does not come free in time ends in 503, without a Retry-After that would silence everything', async () => {
    const waits: (() => void)[] = []
    const read = createBodyReader({
      limits,
      zstd,
      later: (work) => {
        waits.push(work)
        return () => undefined
      },
    })
    const bodies = { wire: 2000, decoded: 2000 }
    await read(request(noise), bodies)
    const second = read(request(noise), bodies)
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve))
    waits[0]?.()
    expect(await second).toMatchObject({
      error: { status: 503, reason: 'in_flight', detail: expect.stringContaining('3000 bytes together') },
    })
  })
})

describe('a bomb of 1 GiB of zeros', () => {
  const MIB = 1024 * 1024
  const limits = { wire: 20 * MIB, decoded: 4 * MIB }

  async function bomb(): Promise<Buffer> {
    const zeros = Buffer.alloc(16 * MIB)
    const gzip = createGzip({ level: 1 })
    const blocks: Buffer[] = []
    gzip.on('data', (block: Buffer) => blocks.push(block))
    for (let written = 0; written < 1024; written += 16) {
      if (!gzip.write(zeros)) await new Promise((resolve) => gzip.once('drain', resolve))
    }
    gzip.end()
    await new Promise((resolve) => gzip.once('end', resolve))
    return Buffer.concat(blocks)
  }

  it('ends at the cap, in little room and time', async () => {
    const wire = await bomb()
    expect(wire.length).toBeLessThan(limits.wire)
    const before = process.memoryUsage()
    const started = performance.now()
    expect(await readBody(request(wire, { 'content-encoding': 'gzip' }), limits)).toMatchObject({
      error: { status: 413 },
    })
    const after = process.memoryUsage()
    // Inflating all of it takes seconds; 4 MiB of it take milliseconds.
    expect(performance.now() - started).toBeLessThan(1000)
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(128 * MIB)
  }, 60_000)
})
