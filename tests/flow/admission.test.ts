import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { SIZE_LIMITS } from '../../lib/protocol/size-limits'
import { collectorClient } from '../../lib/wire/collector-client'
import { rawZstd, zerosZstd } from '../unit/intake/zstd-frames'
import { type CollectorProcess, endCollectors, postEnvelope, startCollector } from './collector-process'
import { errorEnvelope } from './envelopes'

afterAll(endCollectors)

const MIB = 1024 * 1024
const DSN = 'http://local@127.0.0.1/1'
const UPSTREAM = { WAYSTATION_UPSTREAM: 'http://known@127.0.0.1:9/42', WAYSTATION_RELAY: 'off' }

/** An envelope of this size with one attachment. */
function envelopeOf(size: number, dsn: string = DSN): Buffer {
  const header = Buffer.from(`${JSON.stringify({ dsn })}\n{"type":"attachment"}\n`)
  return Buffer.concat([header, Buffer.alloc(size - header.length)])
}

const open: Socket[] = []
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/** Posts all of a body but its last bytes. Resolves with the status of an answer, and 0 when the connection ends without. */
function stall(collector: CollectorProcess, body: Uint8Array, missing: number): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(collector.url)
    const socket = connect(Number(port), hostname)
    open.push(socket)
    let answer = ''
    const settle = (): void => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0))
    socket.on('error', settle)
    socket.on('close', settle)
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1')
      settle()
    })
    socket.write(`POST /api/1/envelope/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${body.length}\r\n\r\n`)
    socket.write(body.subarray(0, body.length - missing))
  })
}

/** Waits until the collector has received the start of so many bodies: its own connections have no other sign of it. */
async function untilReadiness(collector: CollectorProcess, pattern: RegExp): Promise<void> {
  await expect.poll(async () => (await fetch(`${collector.url}/health/ready`)).text()).toMatch(pattern)
}

describe('senders that stall', () => {
  it('small bodies are not delayed by stalled bodies of 20 MiB; a large body drops a stalled one', async () => {
    const collector = await startCollector()
    const large = envelopeOf(SIZE_LIMITS.wire)
    const stalled = Array.from({ length: 9 }, () => stall(collector, large, 10))
    for (let count = 0; count < 20; count += 1)
      expect((await postEnvelope(collector, errorEnvelope(DSN).body)).status).toBe(200)
    expect((await postEnvelope(collector, envelopeOf(2 * MIB))).status).toBe(200)
    expect(await Promise.race(stalled)).toBe(408)
    const { refusals } = await collectorClient(collector.url, fetch).overview()
    expect(refusals.map(({ reason }) => reason)).toContain('slow')
  })

  it('readiness reports stalled bodies that fill the memory while others wait', async () => {
    const collector = await startCollector({ WAYSTATION_LIMITS: 'wire=1MiB,decoded=1MiB,in_flight=1MiB' })
    const large = envelopeOf(MIB)
    const ended = Array.from({ length: 40 }, () => stall(collector, large, 10))
    await untilReadiness(collector, /request bodies have waited \d\.\d s for memory/)
    expect((await postEnvelope(collector, errorEnvelope(DSN).body)).status).toBe(200)
    expect([408, 503]).toContain(await Promise.race(ended))
  })

  it('300 stalled bodies just below 64 KiB do not stop small bodies', async () => {
    const collector = await startCollector()
    const small = envelopeOf(64 * 1024)
    const ended = Array.from({ length: 300 }, () => stall(collector, small, 10))
    for (let count = 0; count < 5; count += 1)
      expect((await postEnvelope(collector, errorEnvelope(DSN).body)).status).toBe(200)
    expect(await Promise.race(ended)).toBe(408)
  })
})

it('accepted bodies of the largest size use bounded memory, far less than their sum of 1.1 GB and its copies', async () => {
  const collector = await startCollector()
  const body = gzipSync(envelopeOf(SIZE_LIMITS.decoded - 1000))
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, () => postEnvelope(collector, body, { 'content-encoding': 'gzip' })),
    ...Array.from({ length: 16 }, () => postEnvelope(collector, envelopeOf(SIZE_LIMITS.wire))),
  ])
  // On a busy machine a body waits too long for memory (503), or arrives too slowly while others wait (408).
  const statuses = new Set(answers.map(({ status }) => status))
  expect(statuses).toContain(200)
  expect([200, 408, 503]).toEqual(expect.arrayContaining([...statuses]))
  console.log(`24 large bodies: ${Math.round(peakOf(collector) / 1e6)} MB at the peak`)
  expect(peakOf(collector)).toBeLessThan(800_000_000)
})

describe('a body of an unknown sender', () => {
  const decoded = envelopeOf(99 * MIB, 'http://other@127.0.0.1/42')
  it.each([
    ['identity', (bytes: Buffer) => bytes.subarray(0, SIZE_LIMITS.wire)],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', (bytes: Buffer) => Buffer.concat([rawZstd(bytes.subarray(0, 200)), zerosZstd(bytes.length - 200)])],
  ])('is refused after its first bytes, before decoding: %s', async (coding, encode) => {
    const collector = await startCollector(UPSTREAM)
    const before = peakOf(collector)
    const wire = encode(decoded)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postEnvelope(collector, wire, { 'content-encoding': coding })),
    )
    // On a busy machine a body may wait too long for the memory that others hold until they are refused (503).
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toContain(403)
    expect([403, 503]).toEqual(expect.arrayContaining([...statuses]))
    expect(peakOf(collector) - before).toBeLessThan(64_000_000)
  })

  it('is refused before any byte of it when a header names the sender', async () => {
    const collector = await startCollector(UPSTREAM)
    const socket = connect(Number(new URL(collector.url).port), '127.0.0.1')
    open.push(socket)
    const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())))
    socket.write(
      'POST /api/42/envelope/?sentry_key=other HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n',
    )
    expect(await answered).toMatch(/^HTTP\/1\.1 403/)
  })
})

/** Peak resident memory in bytes; 0 on systems other than Linux. */
function peakOf({ pid }: CollectorProcess): number {
  if (process.platform !== 'linux') return 0
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}
