import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OTLP_SIGNALS, type OtlpEncoding, type OtlpSignal } from '../../lib/otlp/signals'
import { rawZstd } from '../unit/intake/zstd-frames'
import { lengthDelimited } from '../unit/otlp/protobuf-bytes'
import { encodeRequest, messageType, SPAN, tracesRequest } from '../unit/otlp/requests'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { CONTENT_TYPES, clientOf, ENCODINGS, expectStored, madeRequest, noise, postOtlp } from './otlp-posts'
import { retryWhileEvicting } from './retry-while-evicting'

afterAll(endCollectors)

const SENTRY_PREFIXES = ['/api/1/integration/otlp', '/api/1/otlp']
const KEY = { 'x-sentry-auth': 'sentry sentry_key=local' }

/** Reads the `google.rpc.Status` of an answer in its encoding. */
async function statusOf(response: Response, encoding: OtlpEncoding): Promise<{ code: number; message: string }> {
  expect(response.headers.get('content-type')).toBe(CONTENT_TYPES[encoding])
  const bytes = Buffer.from(await response.arrayBuffer())
  if (encoding === 'json') return JSON.parse(bytes.toString())
  // Field 1: the code, below 128. Field 2: the message.
  expect([bytes[0], bytes[2]]).toEqual([0x08, 0x12])
  const isLong = (bytes[3] ?? 0) > 127
  return { code: bytes[1] ?? 0, message: bytes.subarray(isLong ? 5 : 4).toString() }
}

describe('OTLP/HTTP', () => {
  let collector: CollectorProcess
  beforeAll(async () => {
    collector = await startCollector({ WAYSTATION_ORIGINS: 'https://app.test' })
  })

  const PATHS: readonly (readonly [OtlpSignal, string, Readonly<Record<string, string>>])[] = OTLP_SIGNALS.flatMap(
    (signal) =>
      ['', ...(signal === 'metrics' ? [] : SENTRY_PREFIXES)].flatMap((prefix) =>
        ['', '/'].map((slash) => [signal, `${prefix}/v1/${signal}${slash}`, prefix === '' ? {} : KEY] as const),
      ),
  )

  describe.each(ENCODINGS)('in %s', (encoding) => {
    it.each(PATHS)('accepts %s at %s and stores the same bytes', async (signal, path, headers) => {
      const { body } = madeRequest(signal, encoding)
      const response = await postOtlp(collector, { signal, body, encoding, path, headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(CONTENT_TYPES[encoding])
      expect(await response.text()).toBe(encoding === 'json' ? '{}' : '')
      await expectStored(collector, body)
    })

    it.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', rawZstd],
    ] as const)('decodes %s', async (coding, compress) => {
      const { body } = madeRequest('traces', encoding)
      const headers = { 'content-encoding': coding }
      const response = await postOtlp(collector, { signal: 'traces', body: compress(body), encoding, headers })
      expect(response.status).toBe(200)
      await expectStored(collector, body)
    })

    it.each([
      ['traces', 'rejectedSpans', 'collector.trace.v1.ExportTraceServiceResponse'],
      ['metrics', 'rejectedDataPoints', 'collector.metrics.v1.ExportMetricsServiceResponse'],
    ] as const)('accepts the valid part of %s and states the rejected number', async (signal, field, name) => {
      const requests = {
        traces: tracesRequest(SPAN, { ...SPAN, traceId: '00' }, { ...SPAN, spanId: '0000000000000000' }),
        metrics: {
          resourceMetrics: [
            {
              scopeMetrics: [
                {
                  metrics: [{ name: 'a', gauge: { dataPoints: [{ asInt: '1' }] } }, { name: 'b' }, { name: 'c' }],
                },
              ],
            },
          ],
        },
      }
      const body = Buffer.from(encodeRequest(signal, encoding, requests[signal]))
      const response = await postOtlp(collector, { signal, body, encoding })
      expect(response.status).toBe(200)
      const bytes = Buffer.from(await response.arrayBuffer())
      const type = messageType(name)
      const answer = encoding === 'json' ? JSON.parse(bytes.toString()) : type.toObject(type.decode(bytes), LONGS)
      expect(answer).toEqual({
        partialSuccess: {
          [field]: '2',
          errorMessage: expect.stringMatching(
            /^(?:span "GET \/orders": traceId must be 16 bytes|metric "b": needs a gauge)/,
          ),
        },
      })
      await expectStored(collector, body)
    })

    it('stores nothing of a request whose entries are all invalid, and counts it', async () => {
      const before = await refusals(collector)
      const body = encodeRequest('traces', encoding, tracesRequest({ ...SPAN, spanId: '' }))
      const response = await postOtlp(collector, { signal: 'traces', body, encoding })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('spanId must be 8 bytes')
      await expectStored(collector, Buffer.from(body), 0)
      expect(await refusals(collector)).toEqual(counted(before, 'otlp_invalid'))
    })

    it('accepts an empty request without storing it', async () => {
      const before = await refusals(collector)
      const body = Buffer.from(encoding === 'json' ? '{}' : '')
      const response = await postOtlp(collector, { signal: 'logs', body, encoding })
      expect([response.status, await response.text()]).toEqual([200, encoding === 'json' ? '{}' : ''])
      expect(await refusals(collector)).toEqual(before)
    })

    const BROKEN = Buffer.from(
      encoding === 'json' ? '{"resourceSpans":[' : '0aff01',
      encoding === 'json' ? 'utf8' : 'hex',
    )
    const { body: VALID } = madeRequest('traces', encoding)
    it.each([
      ['a body that cannot be decoded', { body: BROKEN }, 400, 3, 'otlp_malformed'],
      ['a body that is not gzip', { body: VALID, headers: { 'content-encoding': 'gzip' } }, 400, 3, 'encoding'],
      ['an unknown content coding', { body: VALID, headers: { 'content-encoding': 'snappy' } }, 415, 3, 'encoding'],
      ['two content codings', { body: VALID, headers: { 'content-encoding': 'gzip, br' } }, 415, 3, 'encoding'],
      ['no key at the path of a project', { body: VALID, path: '/api/1/otlp/v1/traces' }, 401, 16, 'no_key'],
      [
        'a path without a numeric project',
        { body: VALID, path: '/api/mine/integration/otlp/v1/traces/', headers: KEY },
        400,
        3,
        'malformed_project',
      ],
      ['more than 10 MiB', { body: padded(VALID, encoding) }, 413, 8, 'payload_too_large'],
    ] as const)('refuses %s with a google.rpc.Status and counts it', async (_case, sent, status, code, reason) => {
      const before = await refusals(collector)
      const response = await postOtlp(collector, { signal: 'traces', encoding, ...sent })
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBeNull()
      expect(await statusOf(response, encoding)).toEqual({ code, message: expect.stringMatching(/\w{4}/) })
      expect(await refusals(collector)).toEqual(counted(before, reason))
    })

    it('answers 404 with a google.rpc.Status for metrics at the path of a project, where Sentry has no endpoint', async () => {
      const { body } = madeRequest('metrics', encoding)
      const path = '/api/1/integration/otlp/v1/metrics'
      const response = await postOtlp(collector, { signal: 'metrics', body, encoding, path, headers: KEY })
      expect(response.status).toBe(404)
      expect((await statusOf(response, encoding)).code).toBe(5)
    })
  })

  it('refuses a few KB of gzip that would become five million empty spans', async () => {
    const spans = Buffer.alloc(10_000_000, Buffer.from('1200', 'hex'))
    const body = gzipSync(lengthDelimited(1, lengthDelimited(2, spans)))
    const headers = { 'content-encoding': 'gzip' }
    const response = await postOtlp(collector, { signal: 'traces', body, encoding: 'protobuf', headers })
    expect(response.status).toBe(400)
    expect((await statusOf(response, 'protobuf')).message).toMatch(/more than 1000000 .* export fewer entries at once/)
  })

  it.each(['text/plain', 'application/grpc', 'application/octet-stream'])(
    'refuses content type %s with 415, and names the valid ones',
    async (contentType) => {
      const { body } = madeRequest('traces', 'json')
      const response = await postOtlp(collector, { signal: 'traces', body, headers: { 'content-type': contentType } })
      expect(response.status).toBe(415)
      expect((await statusOf(response, 'json')).message).toMatch(/application\/json or application\/x-protobuf/)
    },
  )

  it.each(['http://localhost:4000', 'http://127.0.0.1:5173', 'http://[::1]:80', 'https://app.test'])(
    'accepts a page of %s',
    async (origin) => {
      const { body } = madeRequest('traces', 'json')
      const preflight = await fetch(`${collector.url}/v1/traces`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      })
      expect(preflight.status).toBe(204)
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/x-sentry-auth.*content-type/)
      const response = await postOtlp(collector, { signal: 'traces', body, headers: { origin } })
      expect(response.status).toBe(200)
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      const failure = await postOtlp(collector, { signal: 'traces', body: Buffer.from('{'), headers: { origin } })
      expect(failure.headers.get('access-control-allow-origin')).toBe(origin)
    },
  )

  it.each(['/v1/traces', '/api/1/integration/otlp/v1/traces/'])('refuses pages of other sites at %s', async (path) => {
    const before = await refusals(collector)
    const { body } = madeRequest('traces', 'protobuf')
    const headers = { ...KEY, origin: 'https://evil.test' }
    const response = await postOtlp(collector, { signal: 'traces', body, encoding: 'protobuf', path, headers })
    expect(response.status).toBe(403)
    expect((await statusOf(response, 'protobuf')).code).toBe(7)
    await expectStored(collector, body, 0)
    expect(await refusals(collector)).toEqual(counted(before, 'origin'))
  })

  it('stores a request once when its receipt is repeated', async () => {
    const { body } = madeRequest('logs', 'protobuf')
    const headers = { 'x-waystation-receipt': randomUUID() }
    for (const _ of [1, 2])
      expect((await postOtlp(collector, { signal: 'logs', body, encoding: 'protobuf', headers })).status).toBe(200)
    await expectStored(collector, body)
  })
})

const LONGS = { longs: String }

/** The same request, larger than the limit of a container. */
function padded(body: Buffer, encoding: OtlpEncoding): Buffer {
  const padding = Buffer.alloc(11 * 1024 * 1024, ' ')
  // In protobuf an unknown field 15 of this length.
  return Buffer.concat(encoding === 'json' ? [body, padding] : [body, Buffer.from('7a8080c005', 'hex'), padding])
}

type Refusals = Readonly<Record<string, number>>

async function refusals(collector: CollectorProcess): Promise<Refusals> {
  const found = (await clientOf(collector).overview()).refusals
  return Object.fromEntries(found.map(({ reason, envelopes }) => [reason, envelopes]))
}

const counted = (before: Refusals, reason: string): Refusals => ({ ...before, [reason]: (before[reason] ?? 0) + 1 })

it.each(ENCODINGS)(
  'a collector with an upstream refuses an unknown project with 403 in %s, and accepts its own',
  async (encoding) => {
    const collector = await startCollector({ WAYSTATION_UPSTREAM: 'stand-in' })
    const { body } = madeRequest('traces', encoding)
    const send = (path: string) => postOtlp(collector, { signal: 'traces', body, encoding, path, headers: KEY })
    const refused = await send('/api/99/integration/otlp/v1/traces')
    expect(refused.status).toBe(403)
    expect(await statusOf(refused, encoding)).toEqual({ code: 7, message: expect.stringMatching(/^project 99 /) })
    expect((await send('/api/1/integration/otlp/v1/traces')).status).toBe(200)
    await expectStored(collector, body)
  },
)

describe('a collector whose disk budget is used up', () => {
  it('answers 503 with Retry-After and a google.rpc.Status, and stores nothing', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const collector = await startCollector({
      WAYSTATION_MAX_DISK: '16MiB',
      WAYSTATION_UPSTREAM: `http://key@127.0.0.1:${port}/1`,
    })
    const client = clientOf(collector)
    const large = (bytes: number): Buffer => madeRequest('logs', 'protobuf', { attributes: noise(bytes) }).body
    const send = (body: Buffer) =>
      retryWhileEvicting(() => postOtlp(collector, { signal: 'logs', body, encoding: 'protobuf' }))
    while ((await client.storage()).state !== 'backlog_full')
      expect([200, 503]).toContain((await send(large(512 * 1024))).status)

    const refused = await send(large(6 * 1024 * 1024))
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('10')
    expect(await statusOf(refused, 'protobuf')).toMatchObject({ code: 14 })
    expect(await client.storage()).toMatchObject({ state: 'backlog_full', refused: 2 })
    const { categories } = await client.losses()
    expect(categories.find(({ category }) => category === 'log_item')?.unexplained).toBe(0)
  }, 120_000)
})

it('a collector whose record is locked by another program answers 503 with Retry-After and a google.rpc.Status', async () => {
  const collector = await startCollector()
  const db = new Database(join(collector.folder, 'spool.db'))
  db.exec('BEGIN IMMEDIATE')
  try {
    const { body } = madeRequest('metrics', 'protobuf')
    const refused = await postOtlp(collector, { signal: 'metrics', body, encoding: 'protobuf' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10'])
    expect(await statusOf(refused, 'protobuf')).toEqual({
      code: 14,
      message: expect.stringMatching(/lock on spool.db/),
    })
  } finally {
    db.exec('ROLLBACK')
    db.close()
  }
})
