import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyLimits, createBodyReader } from '../../../collector/http/read-body'
import { LIMITS } from '../../../lib/protocol/limits'
import { never, readBody, request, streaming, zstd } from './requests'
import { zerosZstd } from './zstd-frames'

describe('the size limits', () => {
  const limits = { wire: 1000, decoded: 2000 }
  const noise = Buffer.from(Array.from({ length: 1001 }, (_, index) => (index * index * 31) % 251))

  it('are 20 MiB on the wire and 100 MiB decoded, and 1 MiB for one event', () => {
    expect(bodyLimits('envelope', LIMITS)).toEqual({ wire: 20_971_520, decoded: 104_857_600 })
    expect(bodyLimits('one event', LIMITS)).toMatchObject({ wire: 1_048_576, decoded: 1_048_576 })
  })

  it("name the item type in Relay's words and the setting for one event", async () => {
    const one = bodyLimits('one event', { ...LIMITS, event: 1000 })
    expect(await readBody(request(noise.subarray(0, 1000)), one)).toMatchObject({ ok: true })
    expect(await readBody(request(noise), one)).toMatchObject({
      error: {
        status: 413,
        detail: "envelope exceeded size limits for type 'event' (at most 1000 bytes here: event in WAYSTATION_LIMITS)",
      },
    })
  })

  it('accept a body of exactly the wire limit and refuse one more byte', async () => {
    expect(await readBody(request(noise.subarray(0, 999)), limits)).toMatchObject({ ok: true })
    expect(await readBody(request(noise.subarray(0, 1000)), limits)).toMatchObject({ ok: true })
    expect(await readBody(request(noise), limits)).toMatchObject({
      ok: false,
      error: {
        status: 413,
        reason: 'too_large',
        detail: 'the body is larger than 1000 bytes on the wire (wire in WAYSTATION_LIMITS)',
      },
    })
  })

  it('refuse a Content-Length over the wire limit before reading the body', async () => {
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

  it('stop reading an endless body at the wire limit', async () => {
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
  ])('accept exactly the decoded limit and refuse one more byte: %s', async (encoding, encode) => {
    for (const size of [1999, 2000]) {
      const body = await readBody(request(encode(Buffer.alloc(size)), { 'content-encoding': encoding }), limits)
      expect(body.ok && body.value.bytes.length).toBe(size)
    }
    expect(await readBody(request(encode(Buffer.alloc(2001)), { 'content-encoding': encoding }), limits)).toMatchObject(
      {
        ok: false,
        error: {
          status: 413,
          reason: 'too_large',
          detail: 'the body is larger than 2000 bytes decoded (decoded in WAYSTATION_LIMITS)',
        },
      },
    )
  })

  it('apply the decoded limit to a body without encoding too', async () => {
    expect(await readBody(request(noise), { wire: 2000, decoded: 1000 })).toMatchObject({ error: { status: 413 } })
  })
})

describe('the memory budget of all bodies', () => {
  const limits = { wire: 2000, decoded: 2000, in_flight: 3000 }
  const noise = Buffer.from(Array.from({ length: 2000 }, (_, index) => (index * index * 31) % 251))

  it('is freed when a body is released, refused or aborted', async () => {
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

  it('lets a body wait until another is released', async () => {
    const read = createBodyReader({ limits, zstd, later: never })
    const bodies = { wire: 2000, decoded: 2000 }
    const first = await read(request(noise), bodies)
    const second = read(request(noise), bodies)
    if (!first.ok) throw new Error(first.error.detail)
    first.value.release()
    expect(await second).toMatchObject({ ok: true })
  })

  it('answers 503 after a timeout', async () => {
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

  it('stops at the limit with little memory and time', async () => {
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
