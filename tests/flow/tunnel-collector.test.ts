import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { TunnelEvent } from '../../lib/tunnel/report'
import { createTunnel, type Tunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { type Play, type RecordingCollector, startCollector, status } from '../unit/tunnel/recording-collector'

let collector: RecordingCollector
let tunnel: Tunnel
let events: TunnelEvent[]
beforeEach(async () => {
  collector = await startCollector()
  events = []
  tunnel = tunnelTo(collector.url)
})
afterEach(async () => {
  await tunnel.close()
  await collector.close()
})

/** Long enough for a loaded machine. */
const LONG_TIMEOUT_MS = 10_000
/** For a collector that does not answer. */
const SHORT_TIMEOUT_MS = 300

const tunnelTo = (collectorUrl: string, options: Partial<TunnelOptions> = {}): Tunnel =>
  createTunnel({
    collectorUrl,
    accepts: (sent) => sent.publicKey === 'allowed',
    lifeboat: null,
    timeoutMs: LONG_TIMEOUT_MS,
    report: (event) => events.push(event),
    ...options,
  })

const post = (dsn: string) =>
  tunnel.handle(
    new Request('http://app.test/tunnel', { method: 'POST', body: `${JSON.stringify({ dsn })}\n{"type":"event"}\n{}` }),
  )
const DSN = 'http://allowed@127.0.0.1:8969/1'

describe('an envelope whose DSN has another host', () => {
  const connections: string[] = []
  const watch = (message: unknown) => {
    const { connectParams } = message as { connectParams: { host: string } }
    connections.push(connectParams.host)
  }
  beforeEach(() => {
    connections.length = 0
    subscribe('undici:client:beforeConnect', watch)
  })
  afterEach(() => {
    unsubscribe('undici:client:beforeConnect', watch)
  })

  it('causes connections only to the collector', async () => {
    const decoy = await startCollector()
    const attacks = [
      'http://allowed@169.254.169.254/1',
      'http://169.254.169.254/latest/meta-data',
      `http://allowed@127.0.0.1:${decoy.port}/1`,
      `http://allowed:secret@127.0.0.1:${decoy.port}/1`,
      `http://allowed@127.0.0.1:${decoy.port}/prefix/1`,
      `http://allowed@[::ffff:127.0.0.1]:${decoy.port}/1`,
      `http://allowed@2130706433:${decoy.port}/1`,
      `http://allowed@127.0.0.1.:${decoy.port}/1`,
      `http://ALLOWED@127.0.0.1:${decoy.port}/1`,
      `HTTP://allowed@127.0.0.1:${decoy.port}/1`,
      `http://allowed@127.0.0.1:${decoy.port}/../1`,
      `http://allowed@127.0.0.1:${decoy.port}/%2f1`,
      `http://allowed@127.0.0.1:${decoy.port}/1?x=`,
      `http://allowed@127.0.0.1:${decoy.port}/١`,
      `http://allowed\r\nHost:evil@127.0.0.1:${decoy.port}/1`,
      `http://allowed@127.0.0.1:${decoy.port}\\@evil.test/1`,
      'file:///etc/passwd',
      'https://allowed@evil.test/1',
      'https://evil.test/allowed',
      'https://allowed.evil.test/1',
      'https://o1.ingest.sentry.io\\@evil.test/1',
    ]
    const statuses: number[] = []
    for (const dsn of attacks) statuses.push((await post(dsn)).status)
    expect(new Set(statuses)).toEqual(new Set([200, 400, 403]))
    expect(collector.received.map(({ url, headers }) => [url, headers.host])).toEqual(
      statuses.filter((one) => one === 200).map(() => ['/tunnel', `127.0.0.1:${collector.port}`]),
    )
    expect(decoy.received).toHaveLength(0)
    expect(new Set(connections)).toEqual(new Set([`127.0.0.1:${collector.port}`]))
    await decoy.close()
  })
})

describe("the collector's answer", () => {
  it('is returned with status, limits, error and JSON, and nothing else', async () => {
    const reply = {
      'x-sentry-rate-limits': '60:error:key',
      'retry-after': '60',
      'x-sentry-error': 'too many',
    }
    for (const code of [200, 202, 400, 401, 403, 404, 408, 413, 429]) {
      collector.play(status(code, { ...reply, 'set-cookie': 'a=1', 'x-other': '1' }, '{"detail":"d","causes":[]}'))
      const response = await post(DSN)
      expect(response.status).toBe(code)
      expect(Object.fromEntries(response.headers)).toEqual({ ...reply, 'content-type': 'application/json' })
      expect(await response.json()).toEqual({ detail: 'd', causes: [] })
    }
    expect(events.some(({ kind }) => kind === 'lost' || kind === 'down')).toBe(false)
  })

  it('the tunnel returns an empty answer without content', async () => {
    collector.play((_received, response) => {
      response.writeHead(204).end()
    })
    const response = await post(DSN)
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  it('the tunnel replaces an answer that is not JSON, or longer than 64 KiB, by an error message', async () => {
    const jsonOf = (length: number) => `"${'a'.repeat(length - 2)}"`
    collector.play(status(400, {}, jsonOf(65_536)))
    expect(await (await post(DSN)).text()).toBe(jsonOf(65_536))
    for (const body of [jsonOf(65_537), '<script>alert(1)</script>', '']) {
      collector.play(status(400, { 'x-sentry-error': 'kept' }, body))
      const response = await post(DSN)
      expect(response.status).toBe(400)
      expect(response.headers.get('x-sentry-error')).toBe('kept')
      expect(await response.json()).toMatchObject({
        detail: expect.stringContaining('the collector answered 400 with'),
      })
      collector.play(status(200, {}, body))
      expect(await (await post(DSN)).text()).toBe('{}')
    }
  })

  const failures: [string, Play, string, number?][] = [
    ['500', status(500), 'the collector answered 500'],
    ['503', status(503), 'the collector answered 503'],
    ['a redirect, which is not followed', status(307, { location: 'http://169.254.169.254/' }), 'answered 307'],
    ['no answer', () => undefined, 'no answer within 300 ms', SHORT_TIMEOUT_MS],
    [
      'a body that never ends',
      (_received, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":')
      },
      'no answer within 300 ms',
      SHORT_TIMEOUT_MS,
    ],
    ['a closed connection', (_received, response) => response.destroy(), ''],
  ]
  it.each(failures)(
    'an answer with %s counts as a failure: 503 without a lifeboat',
    async (_what, play, cause, timeoutMs = LONG_TIMEOUT_MS) => {
      collector.play(play)
      tunnel = tunnelTo(collector.url, { timeoutMs })
      const response = await post(DSN)
      expect(response.status).toBe(503)
      expect(response.headers.get('x-sentry-error')).toMatch(/could not be stored/)
      expect(await response.json()).toMatchObject({
        causes: [expect.stringContaining(cause), 'no lifeboat is configured'],
      })
      // The count of the 503 cannot be posted either.
      const kinds = events.map(({ kind }) => kind).filter((kind) => kind !== 'uncounted')
      expect(kinds).toEqual(['down', 'lost'])
    },
  )
})

describe('an internal error of the tunnel', () => {
  it('is answered with 500 and reported, and never thrown', async () => {
    tunnel = tunnelTo(collector.url, {
      accepts: () => {
        throw new Error('a bug')
      },
    })
    const response = await post(DSN)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ detail: expect.any(String), causes: [] })
    expect(events).toEqual([{ kind: 'bug', error: new Error('a bug') }])
    expect(await tunnel.send(`{"dsn":"${DSN}"}`)).toMatchObject({ statusCode: 500 })
  })

  it('an error in a report function is logged and changes no answer', async () => {
    const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    tunnel = createTunnel({
      collectorUrl: collector.url,
      accepts: () => false,
      lifeboat: null,
      report: () => {
        throw new Error('a bug in the report')
      },
    })
    expect((await post(DSN)).status).toBe(403)
    expect(written).toHaveBeenCalledOnce()
    written.mockRestore()
  })
})
