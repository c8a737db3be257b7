import { readFileSync } from 'node:fs'
import type { Transform } from 'node:stream'
import { constants, createBrotliCompress, createDeflate, createDeflateRaw, createGzip, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { rawZstd, WINDOW_8_MIB, zerosZstd } from '../unit/intake/zstd-frames'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

/** Encodes 1 GiB of zeros as a stream. */
async function encodeZeros(encoder: Transform): Promise<Buffer> {
  const zeros = Buffer.alloc(4 * MIB)
  const blocks: Buffer[] = []
  encoder.on('data', (block: Buffer) => blocks.push(block))
  for (let written = 0; written < GIB; written += zeros.length)
    if (!encoder.write(zeros)) await new Promise((resolve) => encoder.once('drain', resolve))
  const ended = new Promise((resolve) => encoder.once('end', resolve))
  encoder.end()
  await ended
  return Buffer.concat(blocks)
}

/** Peak (`VmHWM`) or current (`VmRSS`) resident memory in bytes. Only Linux reports it exactly. */
function memory(collector: CollectorProcess, line: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${collector.pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024
}

/** A single bomb may make the process grow by this many bytes. */
const ONE_BOMB = 64_000_000

const isLinux = process.platform === 'linux'
if (!isLinux) console.log('This is not Linux, so resident memory is not measured.')

describe('a bomb of 1 GiB of zeros', () => {
  const bombs = new Map<string, { readonly coding: string; readonly wire: Buffer }>()
  beforeAll(async () => {
    const fast = { level: 1 }
    const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
    const made = await Promise.all([
      encodeZeros(createGzip(fast)),
      encodeZeros(createDeflate(fast)),
      encodeZeros(createDeflateRaw(fast)),
      encodeZeros(createBrotliCompress(quick)),
    ])
    const names = ['gzip', 'deflate', 'raw deflate', 'br'] as const
    for (const [index, wire] of made.entries()) {
      const name = names[index] ?? ''
      bombs.set(name, { coding: name.replace('raw ', ''), wire })
    }
    bombs.set('zstd', { coding: 'zstd', wire: zerosZstd(GIB, WINDOW_8_MIB) })
  }, 120_000)
  afterAll(endCollectors)

  const started = async (): Promise<CollectorProcess> => {
    const collector = await startCollector()
    // The first requests allocate memory that stays.
    for (let count = 0; count < 20; count += 1) await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    return collector
  }
  const throwAt = async (collector: CollectorProcess, name: string): Promise<number> => {
    const bomb = bombs.get(name)
    if (bomb === undefined) throw new Error(`unknown bomb ${name}`)
    return (await postEnvelope(collector, bomb.wire, { 'content-encoding': bomb.coding })).status
  }

  it.each(['gzip', 'deflate', 'raw deflate', 'br', 'zstd'])(
    'the collector refuses a bomb in %s with 413, and its memory grows by less than 64 MB',
    async (name) => {
      const collector = await started()
      const before = isLinux ? memory(collector, 'VmHWM') : 0
      expect(await throwAt(collector, name)).toBe(413)
      const after = isLinux ? memory(collector, 'VmHWM') : 0
      if (isLinux)
        console.log(`${name}: ${bombs.get(name)?.wire.length} bytes, +${((after - before) / 1e6).toFixed(1)} MB`)
      expect(after - before).toBeLessThan(ONE_BOMB)
      expect((await postEnvelope(collector, errorEnvelope(collector.dsn).body)).status).toBe(200)
    },
    60_000,
  )

  it('sent twenty times at once is refused with 413 in bounded memory, while other requests are answered', async () => {
    const collector = await started()
    const before = isLinux ? memory(collector, 'VmRSS') : 0
    const names = [...bombs.keys()]
    const thrown = Array.from({ length: 20 }, (_, index) => throwAt(collector, names[index % names.length] ?? ''))
    expect((await postEnvelope(collector, errorEnvelope(collector.dsn).body)).status).toBe(200)
    expect(await Promise.all(thrown)).toEqual(Array.from({ length: 20 }, () => 413))
    const after = isLinux ? memory(collector, 'VmHWM') : 0
    if (isLinux) console.log(`20 at once: +${((after - before) / 1e6).toFixed(1)} MB`)
    // On a busy machine the bodies in flight reach their limit; beside them, the process may grow as by one bomb.
    expect(after - before).toBeLessThan(SIZE_LIMITS.in_flight + ONE_BOMB)
  }, 120_000)
})

describe('a body of 19 bytes that takes minutes to decode', () => {
  /** One block of 98,303 copies of 64 KiB each: none fits the output, and the library does not check. */
  const BUSY = Buffer.from('28b52ffd00385500000961ffffff5400003401', 'hex')

  it('is refused after a timeout, while other bodies and the next one in zstd are accepted', async () => {
    const collector = await startCollector()
    const { body } = errorEnvelope(collector.dsn)
    const zstd = { 'content-encoding': 'zstd' }
    const busy = postEnvelope(collector, BUSY, zstd)
    const next = postEnvelope(collector, rawZstd(Buffer.from(body)), zstd)
    expect((await postEnvelope(collector, gzipSync(body), { 'content-encoding': 'gzip' })).status).toBe(200)
    const refused = await busy
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ causes: ['it takes too long to decode'] })
    expect((await next).status).toBe(200)
    expect((await postEnvelope(collector, rawZstd(Buffer.from(body)), zstd)).status).toBe(200)
    expect(await collector.stop()).toBe(0)
  })
})
