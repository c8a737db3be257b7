import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as Sentry from '@sentry/nextjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTunnel, type Tunnel } from '../../lib/tunnel/tunnel'
import { freePort, type RecordingCollector, startCollector, status } from '../unit/tunnel/recording-collector'

let folder: string
let port: number
let collector: RecordingCollector | null = null
let tunnel: Tunnel
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tunnel-'))
  port = await freePort()
  const collectorUrl = `http://127.0.0.1:${port}`
  tunnel = createTunnel({
    collectorUrl,
    accepts: ({ publicKey }) => publicKey === 'local',
    lifeboat: { folder },
    report: () => undefined,
  })
  Sentry.init({
    dsn: `http://local@127.0.0.1:${port}/1`,
    tunnel: `${collectorUrl}/tunnel`,
    transport: (options: Parameters<typeof Sentry.createTransport>[0]) =>
      Sentry.createTransport(options, ({ body }) => tunnel.send(body)),
    defaultIntegrations: false,
  })
})
afterAll(async () => {
  await Sentry.close()
  await tunnel.close()
  await collector?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe("the app's own server SDK, with the tunnel as its transport", () => {
  it('stores an error while the collector is down, and delivers it with the next one', async () => {
    Sentry.captureException(new Error('while down'))
    expect(await Sentry.flush()).toBe(true)
    expect(readdirSync(folder)).toHaveLength(1)
    collector = await startCollector(port)
    expect(await tunnel.drain()).toMatchObject({ delivered: 1, left: 0 })
    Sentry.captureException(new Error('while up'))
    expect(await Sentry.flush()).toBe(true)
    const bodies = collector.received.map(({ body }) => body.toString())
    expect(bodies).toEqual([expect.stringContaining('while down'), expect.stringContaining('while up')])
    expect(JSON.parse(bodies[0]?.split('\n')[0] ?? '')).toMatchObject({ dsn: `http://local@127.0.0.1:${port}/1` })
  })

  it('receives the rate limits of the collector', async () => {
    collector?.play(status(429, { 'x-sentry-rate-limits': '60:error:key', 'retry-after': '60' }))
    expect(await tunnel.send(new TextEncoder().encode('{"dsn":"http://local@127.0.0.1:1/1"}\n'))).toEqual({
      statusCode: 429,
      isWaiting: false,
      headers: { 'x-sentry-rate-limits': '60:error:key', 'retry-after': '60' },
    })
    Sentry.captureException(new Error('is answered with the limit'))
    await Sentry.flush()
    Sentry.captureException(new Error('is not sent'))
    await Sentry.flush()
    const bodies = collector?.received.map(({ body }) => body.toString()).join('\n')
    expect(bodies).toContain('is answered with the limit')
    expect(bodies).not.toContain('is not sent')
    expect(bodies).toContain('{"reason":"ratelimit_backoff","category":"error","quantity":1}')
  })

  it('applies the same rules: key, size, header', async () => {
    const statusOf = async (body: string | Uint8Array) => (await tunnel.send(body)).statusCode
    expect(await statusOf('{"dsn":"http://other@127.0.0.1:1/1"}\n')).toBe(403)
    expect(await statusOf('{}\n')).toBe(400)
    expect(await statusOf('')).toBe(400)
    expect(await statusOf(new Uint8Array(20 * 1024 * 1024 + 1))).toBe(413)
  })

  it('accepts the headers of a request', async () => {
    collector?.play(status(200))
    await tunnel.send('{"dsn":"http://local@127.0.0.1:1/1"}\n', { 'x-waystation-stamp': 's1', authorization: 'secret' })
    const headers = collector?.received.at(-1)?.headers
    expect(headers?.['x-waystation-stamp']).toBe('s1')
    expect(headers?.authorization).toBeUndefined()
  })
})
