import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { anyFreePort } from '../../collector/launch/ports'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, endCollectors, startCollector } from './collector-process'
import { ROOT } from './npm-start'
import { madeRequest, postOtlp } from './otlp-posts'

afterAll(endCollectors)

const LOOPBACKS = ['127.0.0.1', '::1']

async function withOtlpPort(): Promise<{ collector: CollectorProcess; url: string; port: number }> {
  const port = await anyFreePort(LOOPBACKS)
  const collector = await startCollector({ WAYSTATION_OTLP_PORT: String(port) })
  return { collector, url: `http://127.0.0.1:${port}`, port }
}

/** The first bytes of a gRPC client (RFC 9113 §3.4), and an empty SETTINGS frame. */
const HTTP2_PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0),
])

async function speakHttp2(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(HTTP2_PREFACE)
  return text(socket)
}

describe('the port of OpenTelemetry', () => {
  it('receives every signal, on both loopback addresses', async () => {
    const { collector, url, port } = await withOtlpPort()
    for (const at of [url, `http://[::1]:${port}`])
      for (const signal of ['traces', 'logs', 'metrics'] as const) {
        const { body } = madeRequest(signal, 'protobuf')
        expect((await postOtlp({ url: at }, { signal, encoding: 'protobuf', body })).status).toBe(200)
      }
    expect((await collectorClient(collector.url, fetch).overview()).counts.envelopes).toBe(6)
  })

  it('serves nothing else, and names the address of everything else', async () => {
    const { collector, url } = await withOtlpPort()
    for (const path of ['/', '/query/status', '/api/1/envelope/', '/api/1/integration/otlp/v1/traces', '/tunnel.mjs']) {
      const response = await fetch(`${url}${path}`, { method: path.includes('api') ? 'POST' : 'GET' })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        detail: `this port serves only POST /v1/traces, /v1/logs and /v1/metrics; everything else is at ${collector.url}`,
      })
    }
  })

  it('counts and logs posts to addresses that serve nothing, once a minute', async () => {
    const { collector, url } = await withOtlpPort()
    for (const at of [`${url}/v1/traces/v1/traces`, `${collector.url}/v1/trace`, `${url}/`])
      expect((await fetch(at, { method: 'POST' })).status).toBe(404)
    const { refusals } = await collectorClient(collector.url, fetch).overview()
    expect(refusals.map(({ reason, envelopes }) => [reason, envelopes])).toEqual([['unknown_endpoint', 3]])
    const logged = collector
      .output()
      .split('\n')
      .filter((line) => line.startsWith('OTLP refused'))
    expect(logged).toEqual([
      `OTLP refused (unknown_endpoint, /v1/traces/v1/traces): this port serves only POST /v1/traces, /v1/logs and /v1/metrics; everything else is at ${collector.url}`,
    ])
  })

  it('refuses pages of foreign origins, as the other port does', async () => {
    const { url } = await withOtlpPort()
    const { body } = madeRequest('traces', 'json')
    const response = await postOtlp({ url }, { signal: 'traces', body, headers: { origin: 'https://evil.test' } })
    expect(response.status).toBe(403)
    const own = await postOtlp({ url }, { signal: 'traces', body, headers: { origin: 'http://localhost:4000' } })
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, 'http://localhost:4000'])
  })

  it('stops the start with its value where it is set and taken', async () => {
    const { port } = await withOtlpPort()
    await expect(startCollector({ WAYSTATION_OTLP_PORT: String(port) })).rejects.toThrow(
      `WAYSTATION_OTLP_PORT=${port} cannot be used: the port is taken`,
    )
  })
})

describe('a client that speaks HTTP/2', () => {
  it('gets a refusal with the setting of its exporter, and one line is logged on both ports', async () => {
    const { collector, url } = await withOtlpPort()
    for (const at of [collector.url, url, collector.url]) {
      const answer = await speakHttp2(at)
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
      expect(answer).toContain('OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf')
    }
    const hints = collector
      .output()
      .split('\n')
      .filter((line) => line.includes('gRPC'))
    expect(hints).toEqual([
      `A client connects with HTTP/2, as gRPC exporters do; this collector receives OTLP over HTTP/1.1. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url} in that program.`,
    ])
  })

  it('is found by the gRPC exporter of the OpenTelemetry SDK', async () => {
    const { collector, url } = await withOtlpPort()
    const program = `
      const { NodeSDK } = await import('@opentelemetry/sdk-node')
      const { trace } = await import('@opentelemetry/api')
      const sdk = new NodeSDK()
      sdk.start()
      trace.getTracer('test').startSpan('one').end()
      await sdk.shutdown().catch((error) => console.log(error.message))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        OTEL_TRACES_EXPORTER: 'otlp',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(await text(child.stdout)).toContain('UNAVAILABLE')
    expect(collector.output()).toContain('Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf')
  })
})
