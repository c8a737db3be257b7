import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTunnel, type Tunnel, type TunnelOptions } from '../../lib/tunnel/tunnel'
import { visitorCookie, visitorHash } from '../../lib/tunnel/visitor'
import { type RecordingCollector, startCollector, status } from '../unit/tunnel/recording-collector'

const folder = mkdtempSync(join(tmpdir(), 'waystation-visitors-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let collector: RecordingCollector
const tunnels: Tunnel[] = []
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(async () => {
  for (const tunnel of tunnels.splice(0)) await tunnel.close()
  await collector.close()
})

function tunnelTo(options: Partial<TunnelOptions> = {}): Tunnel {
  const tunnel = createTunnel({
    collectorUrl: collector.url,
    accepts: () => true,
    projectOfKey: () => '1',
    lifeboat: null,
    identifies: () => true,
    report: () => undefined,
    schedule: () => () => undefined,
    ...options,
  })
  tunnels.push(tunnel)
  return tunnel
}

const PAGE = { origin: 'http://app.test', host: 'app.test' }
const post = (headers: Record<string, string>): Request =>
  new Request('http://app.test/tunnel', {
    method: 'POST',
    headers,
    body: '{"dsn":"http://local@127.0.0.1/1"}\n{"type":"event"}\n{}',
  })
const sentVisitors = () => collector.received.map(({ headers }) => headers['x-waystation-visitor'])
const ID = 'AAAAAAAAAAAAAAAAAAAAAA'
const COOKIE = visitorCookie(ID, false).split(';', 1)[0] ?? ''

describe('the visitor of a post', () => {
  it('is a cookie that the answer sets, of which only the hash goes on', async () => {
    const tunnel = tunnelTo({ newVisitor: () => ID })
    const first = await tunnel.handle(post(PAGE))
    expect(first.headers.get('set-cookie')).toBe(`${COOKIE}; Path=/; HttpOnly; SameSite=Lax`)
    const second = await tunnel.handle(post({ ...PAGE, cookie: COOKIE }))
    expect(second.headers.get('set-cookie')).toBeNull()
    expect(sentVisitors()).toEqual([visitorHash(ID), visitorHash(ID)])
    expect(JSON.stringify(collector.received)).not.toContain(ID)
  })

  it('is made for a form whose server sends the message, too', async () => {
    const tunnel = tunnelTo({ newVisitor: () => ID })
    const body = '{"dsn":"http://local@127.0.0.1/1"}\n{"type":"feedback"}\n{}'
    const answer = await tunnel.send(body, PAGE)
    expect(answer.headers['set-cookie']).toBe(`${COOKIE}; Path=/; HttpOnly; SameSite=Lax`)
    expect(sentVisitors()).toEqual([visitorHash(ID)])
    expect((await tunnel.send(body)).headers).not.toHaveProperty('set-cookie')
  })

  it('is never the one that a header claims', async () => {
    const claimed = { 'x-waystation-visitor': visitorHash('of another') }
    await tunnelTo().handle(post(claimed))
    await tunnelTo().handle(post({ ...PAGE, ...claimed, cookie: COOKIE }))
    await tunnelTo({ identifies: () => false }).handle(post({ ...PAGE, ...claimed, cookie: COOKIE }))
    expect(sentVisitors()).toEqual([undefined, visitorHash(ID), undefined])
  })

  it('gets no cookie without consent, by default, or with a refusal', async () => {
    const answers = await Promise.all([
      tunnelTo({ identifies: (headers) => headers.get('cookie') === 'consent=all' }).handle(post(PAGE)),
      createTunnel({ collectorUrl: collector.url, accepts: () => true, lifeboat: null }).handle(post(PAGE)),
      tunnelTo({ accepts: () => false }).handle(post(PAGE)),
      tunnelTo().handle(post({})),
    ])
    expect(answers.map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null, null, null])
  })

  it('gets a cookie of another name with each answer to posts at the same time, so that none is lost', async () => {
    const tunnel = tunnelTo()
    const answers = await Promise.all([tunnel.handle(post(PAGE)), tunnel.handle(post(PAGE))])
    const names = answers.map(({ headers }) => headers.get('set-cookie')?.split('=', 1)[0])
    expect(new Set(names).size).toBe(2)
    expect(new Set(sentVisitors()).size).toBe(2)
  })

  it('goes on with exports of OpenTelemetry', async () => {
    const headers = { ...PAGE, 'content-type': 'application/json', 'x-sentry-auth': 'sentry sentry_key=local' }
    const answer = await tunnelTo({ newVisitor: () => ID }).handleTraces(
      new Request('http://app.test/tunnel/v1/traces', { method: 'POST', headers, body: '{"resourceSpans":[]}' }),
    )
    expect(answer.headers.get('set-cookie')).toContain(ID)
    expect(sentVisitors()).toEqual([visitorHash(ID)])
  })

  it('is stored in the lifeboat, with the token added only to the post', async () => {
    const lifeboat = { folder: join(folder, 'kept') }
    collector.play(status(503))
    const first = tunnelTo({ lifeboat, token: 'secret-token' })
    const kept = await first.handle(post({ ...PAGE, cookie: COOKIE }))
    expect(kept.status).toBe(200)
    collector.play(status(200))
    const next = tunnelTo({ lifeboat })
    expect(await next.drain()).toMatchObject({ delivered: 1 })
    expect(sentVisitors()).toEqual([visitorHash(ID), visitorHash(ID)])
    expect(collector.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret-token', undefined])
  })

  it('counts and removes its files in the lifeboat, also refused ones, and those of nobody else', async () => {
    const lifeboat = { folder: join(folder, 'forgotten') }
    collector.play(status(503))
    const tunnel = tunnelTo({ lifeboat })
    const other = visitorCookie('BBBBBBBBBBBBBBBBBBBBBA', false).split(';', 1)[0] ?? ''
    await tunnel.handle(post({ ...PAGE, cookie: COOKIE }))
    collector.play(status(400))
    expect(await tunnel.drain()).toMatchObject({ refused: 1 })
    collector.play(status(503))
    for (const cookie of [COOKIE, other]) await tunnel.handle(post({ ...PAGE, cookie }))
    await tunnel.handle(post({}))
    expect(await tunnel.waiting([visitorHash(ID)])).toEqual({ ok: true, value: 2 })
    expect(await tunnel.forget([visitorHash(ID)])).toEqual({ ok: true, value: 2 })
    expect(await tunnel.waiting([visitorHash(ID)])).toEqual({ ok: true, value: 0 })
    expect(readdirSync(lifeboat.folder)).toHaveLength(2)
    expect(await tunnelTo().forget([visitorHash(ID)])).toEqual({ ok: true, value: 0 })
  })
})
