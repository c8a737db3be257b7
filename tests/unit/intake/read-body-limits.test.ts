import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bodyLimits, createBodyReader } from '../../../collector/intake/read-body'
import type { Refusal } from '../../../collector/runtime/problem'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import type { StartTimer } from '../../../lib/time'
import { valueIn } from '../value-in'
import { never, readBody, request, streaming, zstd } from './requests'
import { rawZstd, zerosZstd } from './zstd-frames'

describe('the size limits', () => {
  const limits = { wire: 1000, decoded: 2000 }
  const noise = Buffer.from(Array.from({ length: 1001 }, (_, index) => (index * index * 31) % 251))

  it('are 20 MiB on the wire and 100 MiB decoded, and 1 MiB for one event', () => {
    expect(bodyLimits('envelope', SIZE_LIMITS)).toEqual({ wire: 20_971_520, decoded: 104_857_600 })
    expect(bodyLimits('one event', SIZE_LIMITS)).toMatchObject({ wire: 1_048_576, decoded: 1_048_576 })
  })

  it("name the item type in Relay's words and the setting for one event", async () => {
    const one = bodyLimits('one event', { ...SIZE_LIMITS, event: 1000 })
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
    const detail = 'the body is larger than 1000 bytes on the wire (wire in WAYSTATION_LIMITS)'
    expect(await readBody(request(noise), limits)).toMatchObject({
      ok: false,
      error: { status: 413, reason: 'too_large', detail },
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
    const larger = request(encode(Buffer.alloc(2001)), { 'content-encoding': encoding })
    const detail = 'the body is larger than 2000 bytes decoded (decoded in WAYSTATION_LIMITS)'
    expect(await readBody(larger, limits)).toMatchObject({
      ok: false,
      error: { status: 413, reason: 'too_large', detail },
    })
  })

  it('apply the decoded limit to a body without encoding too', async () => {
    expect(await readBody(request(noise), { wire: 2000, decoded: 1000 })).toMatchObject({ error: { status: 413 } })
  })
})

describe('the memory budget of all bodies', () => {
  const bodies = { wire: 200_000, decoded: 200_000 }
  const limits = { ...bodies, in_flight: 300_000, header_line: 8192 }
  const reader = (later: StartTimer = never) =>
    createBodyReader({ sizeLimits: limits, zstd, later, monotonic: () => 0 })
  const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * index * 31) % 251))

  it('is freed when a body is released, refused or aborted', async () => {
    const { readBody: read } = reader()
    for (let round = 0; round < 5; round += 1) {
      const body = valueIn(await read(request(gzipSync(noise), { 'content-encoding': 'gzip' }), bodies))
      body.release()
      expect(await read(request(Buffer.alloc(200_001)), bodies)).toMatchObject({ error: { status: 413 } })
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
    const { readBody: read } = reader()
    const first = valueIn(await read(request(noise), bodies))
    const second = read(request(noise), bodies)
    first.release()
    expect(await second).toMatchObject({ ok: true })
  })

  it('answers 503 after a timeout', async () => {
    const waits: (() => void)[] = []
    const { readBody: read } = reader((work) => {
      waits.push(work)
      return () => undefined
    })
    await read(request(noise), bodies)
    const second = read(request(noise), bodies)
    while (waits.length === 0) await new Promise((resolve) => setImmediate(resolve))
    waits[0]?.()
    expect(await second).toMatchObject({
      error: { status: 503, reason: 'in_flight', detail: expect.stringContaining('300000 bytes together') },
    })
  })
})

describe('bodies over 64 KiB', () => {
  const MIB = 1024 * 1024
  const bodies = { wire: MIB, decoded: MIB }
  const deps = { sizeLimits: { ...bodies, in_flight: MIB, header_line: 8192 }, zstd }
  const large = Buffer.concat([Buffer.from('{"dsn":"first line"}\n'), Buffer.alloc(2 * MIB)])
  const refusal: Refusal = { status: 401, reason: 'no_key', detail: 'no key' }

  it.each([
    ['identity', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', rawZstd],
  ])('are judged by their start before the rest is read or decoded: %s', async (coding, encode) => {
    const wire = encode(large)
    let given = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (stream) => {
          const chunk = wire.subarray(given, given + 16 * 1024)
          given += chunk.length
          if (chunk.length === 0) stream.close()
          else stream.enqueue(chunk)
        },
      },
      { highWaterMark: 0 },
    )
    const starts: string[] = []
    const read = await readBody(streaming(body, { 'content-encoding': coding }), undefined, (start) => {
      if (start.length === 0) return null // not one block of zstd is complete
      starts.push(Buffer.from(start.subarray(0, 20)).toString())
      return refusal
    })
    expect(read).toEqual({ ok: false, error: refusal })
    expect(starts).toEqual(['{"dsn":"first line"}'])
    if (coding === 'identity') expect(given).toBeLessThan(100_000)
  })

  it('are read when their start is accepted, and small ones are never judged by their start', async () => {
    const accepted = await readBody(request(gzipSync(large), { 'content-encoding': 'gzip' }), undefined, () => null)
    expect(accepted.ok && Buffer.from(accepted.value.bytes).equals(large)).toBe(true)
    const small = await readBody(request(Buffer.alloc(64 * 1024)), undefined, () => refusal)
    expect(small.ok && small.value.wireBytes).toBe(64 * 1024)
  })

  it('do not delay small ones, also when they use all memory', async () => {
    const { readBody: read, problem } = createBodyReader({ ...deps, later: never, monotonic: () => now })
    let now = 0
    const all = await read(request(Buffer.alloc(MIB)), bodies)
    const waiting = read(request(Buffer.alloc(100_000)), bodies)
    const zipped = request(gzipSync(Buffer.alloc(64 * 1024)), { 'content-encoding': 'gzip' })
    expect(await Promise.all([read(request(Buffer.alloc(64 * 1024)), bodies), read(zipped, bodies)])).toMatchObject([
      { ok: true },
      { ok: true },
    ])
    expect(problem()).toBe(null)
    now = 1500
    expect(problem()).toMatch(/^request bodies have waited 1\.5 s for memory: 1048576 of 1048576 bytes/)
    if (all.ok) all.value.release()
    expect(await waiting).toMatchObject({ ok: true })
    expect(problem()).toBe(null)
  })

  it('are dropped with 408 when they stall while others wait', async () => {
    const timers: (() => void)[] = []
    let now = 0
    const { readBody: read } = createBodyReader({
      ...deps,
      later: (work) => {
        timers.push(work)
        return () => timers.splice(timers.indexOf(work), 1)
      },
      monotonic: () => now,
    })
    const stalling = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new Uint8Array(600_000)),
    })
    const stalled = read(streaming(stalling, { 'content-length': '1048576' }), bodies)
    const honest = read(request(Buffer.alloc(900_000)), bodies)
    const next = () => new Promise((resolve) => setImmediate(resolve))
    while (timers.length < 2) await next()
    for (const at of [1500, 3000]) {
      now = at
      timers.at(-1)?.()
      await next()
    }
    expect(await stalled).toMatchObject({ error: { status: 408, reason: 'slow' } })
    expect(await honest).toMatchObject({ ok: true })
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
