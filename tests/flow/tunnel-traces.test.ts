import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { localTunnel } from '../../lib/tunnel/local-tunnel'
import type { TunnelEvent } from '../../lib/tunnel/report'
import { createTunnel, type Tunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { freePort, type RecordingCollector, startCollector, status } from '../unit/tunnel/recording-collector'

let root: string
let folder: string
let collector: RecordingCollector
let events: TunnelEvent[]
const closing: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tunnel-'))
  folder = join(root, 'lifeboat')
  events = []
  collector = await collectorOn()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(root, { recursive: true, force: true })
})

async function collectorOn(port = 0): Promise<RecordingCollector> {
  const started = await startCollector(port)
  closing.push(started.close)
  return started
}

function tunnelTo(port: number, options: Partial<TunnelOptions> = {}): Tunnel {
  const tunnel = createTunnel({
    collectorUrl: `http://127.0.0.1:${port}`,
    accepts: ({ publicKey, projectId }) => publicKey === 'public' && projectId === '42',
    projectOfKey: () => '42',
    lifeboat: { folder },
    schedule: () => () => undefined,
    report: (event) => events.push(event),
    ...options,
  })
  closing.push(tunnel.close)
  return tunnel
}

const PATH = '/api/42/otlp/v1/traces?sentry_key=public'
const SPANS = Buffer.from('{"resourceSpans":[{"scopeSpans":[]}]}')
const HEADERS = { 'content-type': 'application/json', 'x-sentry-auth': 'sentry sentry_key=public' }

const post = (tunnel: Tunnel, headers: Record<string, string> = {}, body: Uint8Array = SPANS) =>
  tunnel.handleTraces(
    new Request('http://app.test/tunnel/v1/traces', {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: Buffer.from(body),
    }),
  )

describe('spans of OpenTelemetry', () => {
  it("go to the collector's OTLP path of their project, byte for byte, with stamp and receipt", async () => {
    const headers = { 'content-encoding': 'gzip', cookie: 'a=secret; waystation-stamp=s1', 'x-waystation-lab': '1' }
    const response = await post(tunnelTo(collector.port), headers, gzipSync(SPANS))
    expect(response.status).toBe(200)
    const [received] = collector.received
    expect(received).toMatchObject({
      method: 'POST',
      url: PATH,
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-waystation-stamp': 's1',
        'x-waystation-lab': '1',
        'x-waystation-receipt': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
    expect(received?.body.equals(gzipSync(SPANS))).toBe(true)
    expect(received?.headers).not.toHaveProperty('cookie')
    expect(received?.headers).not.toHaveProperty('x-sentry-auth')
  })

  it.each<[number, string, Record<string, string>]>([
    [403, 'an unknown key', { 'x-sentry-auth': 'sentry sentry_key=other' }],
    [403, 'a page of another origin', { origin: 'https://evil.test', host: 'app.test' }],
    [415, 'another content type', { 'content-type': 'text/plain' }],
    [413, 'too many bytes', { 'content-length': '1001' }],
  ])('are refused with %i for %s, and nothing is forwarded or stored', async (code, _why, headers) => {
    const response = await post(tunnelTo(collector.port, { maxBytes: 1000 }), headers)
    expect(response.status).toBe(code)
    expect(collector.received).toEqual([])
    expect(() => readdirSync(folder)).toThrow(/ENOENT/)
    expect(events.map(({ kind }) => kind)).toEqual(['refused'])
  })

  it('are refused with 405 by another method', async () => {
    const response = await tunnelTo(collector.port).handleTraces(new Request('http://app.test/tunnel/v1/traces'))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('get the answer of the collector, with the time to wait', async () => {
    collector.play(status(429, { 'retry-after': '7' }, '{"code":8,"message":"slow down"}'))
    const response = await post(tunnelTo(collector.port))
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await response.json()).toEqual({ code: 8, message: 'slow down' })
  })

  it('are accepted by a tunnel for one DSN', async () => {
    const dsn = `http://public@127.0.0.1:${collector.port}/42`
    const tunnel = localTunnel({ dsn })
    closing.push(tunnel.close)
    expect((await post(tunnel)).status).toBe(200)
    expect((await post(tunnel, { 'x-sentry-auth': 'sentry sentry_key=other' })).status).toBe(403)
    expect(collector.received.map(({ url }) => url)).toEqual([PATH])
  })
})

describe('while the collector is down, spans of OpenTelemetry', () => {
  it('are stored with path and content type, and delivered there later among envelopes', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    const envelope = '{"dsn":"http://public@127.0.0.1:9/42"}\n{"type":"event"}\n{}'
    const asEnvelope = new Request('http://app.test/tunnel', { method: 'POST', body: envelope })
    expect((await tunnel.handle(asEnvelope)).status).toBe(200)
    const response = await post(tunnel, { 'content-type': 'application/x-protobuf', cookie: 'waystation-stamp=s1' })
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0])
    const stored = readdirSync(folder).sort()
    expect(stored).toHaveLength(2)
    const file = readFileSync(join(folder, stored[1] ?? ''))
    const facts: unknown = JSON.parse(file.subarray(0, file.indexOf(10)).toString())
    expect(facts).toMatchObject({ path: PATH, headers: { 'content-type': 'application/x-protobuf' } })

    const back = await collectorOn(port)
    expect(await tunnel.drain()).toMatchObject({ delivered: 2, left: 0 })
    expect(back.received.map(({ url }) => url)).toEqual(['/tunnel', PATH])
    const spans = back.received[1]
    expect(spans?.body.equals(SPANS)).toBe(true)
    expect(spans?.headers).toMatchObject({
      'content-type': 'application/x-protobuf',
      'x-waystation-stamp': 's1',
      'x-waystation-receipt': (facts as { receipt: string }).receipt,
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('the tunnel keeps spans that the collector refuses, and tries them again at the next start', async () => {
    const port = await freePort()
    const tunnel = tunnelTo(port)
    await post(tunnel)
    const back = await collectorOn(port)
    back.play(status(400))
    expect(await tunnel.drain()).toMatchObject({ refused: 1, left: 0 })
    back.play(status(200))
    expect(await tunnelTo(port).drain()).toMatchObject({ delivered: 1, left: 0 })
    expect(back.received.map(({ url }) => url)).toEqual([PATH, PATH])
  })
})
