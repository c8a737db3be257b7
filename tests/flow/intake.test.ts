import { randomUUID } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  isShared,
  postEnvelope,
  startCollector,
  temporaryFolder,
} from './collector-process'
import { errorEnvelope } from './envelopes'
import { relaying } from './upstream'

afterAll(endCollectors)

describe('intake', () => {
  let standIn: StandIn
  let collector: CollectorProcess
  beforeAll(async () => {
    standIn = await startStandIn()
    collector = await relaying(standIn)
  })
  afterAll(() => standIn.close())
  const project = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    fetch(`${collector.url}${path}`, { method: 'POST', body: body as string, headers })
  const withoutDsn = (): string => {
    const { body } = errorEnvelope('unused')
    const [header = '', ...rest] = body.split('\n')
    const { dsn: _, ...kept } = JSON.parse(header) as Record<string, unknown>
    return [JSON.stringify(kept), ...rest].join('\n')
  }

  it('answers 200 with the event id, with and without the trailing slash', async () => {
    for (const path of ['/api/1/envelope', '/api/1/envelope/']) {
      const { body, eventId } = errorEnvelope(collector.dsn)
      const response = await project(path, body)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ id: eventId })
    }
  })

  it('accepts the key in X-Sentry-Auth, in Authorization, in the query, and in the envelope', async () => {
    const auth = 'Sentry sentry_version=7, sentry_key=local, sentry_client=test/1'
    expect((await project('/api/1/envelope/', withoutDsn(), { 'x-sentry-auth': auth })).status).toBe(200)
    expect((await project('/api/1/envelope/', withoutDsn(), { authorization: auth })).status).toBe(200)
    expect((await project('/api/1/envelope/?sentry_key=local&sentry_version=7', withoutDsn())).status).toBe(200)
    expect((await project('/api/1/envelope/', errorEnvelope(collector.dsn).body)).status).toBe(200)
  })

  it.each([
    ['no key at all', () => project('/api/1/envelope/', withoutDsn()), 401],
    [
      'a key by header and by query',
      () => project('/api/1/envelope/?sentry_key=local', withoutDsn(), { 'x-sentry-auth': 'Sentry sentry_key=local' }),
      401,
    ],
    [
      'another key in the envelope than in the query',
      () => project('/api/1/envelope/?sentry_key=local', errorEnvelope('http://other@127.0.0.1/1').body),
      400,
    ],
    [
      'a key in the query that is not relayed, without reading the envelope',
      () => project('/api/1/envelope/?sentry_key=other', 'hello'),
      403,
    ],
    [
      'another project in the path than in the envelope',
      () => project('/api/2/envelope/', errorEnvelope(collector.dsn).body),
      400,
    ],
    ['a project that is not relayed', () => project('/tunnel', errorEnvelope('http://local@127.0.0.1/99').body), 403],
    ['a key that is not relayed', () => project('/tunnel', errorEnvelope('http://other@127.0.0.1/1').body), 403],
    ['an empty body', () => project('/tunnel', ''), 400],
    ['a body that is not an envelope', () => project('/tunnel', 'hello'), 400],
    [
      'an item that is shorter than its length',
      () => project('/tunnel', `{"dsn":"${collector.dsn}"}\n{"type":"attachment","length":9}\nabc`),
      400,
    ],
    ['malformed gzip', () => project('/tunnel', 'plain', { 'content-encoding': 'gzip' }), 400],
    [
      'a header nested deeper than 32 levels',
      () => project('/tunnel', `{"dsn":"${collector.dsn}","x":${'['.repeat(33)}${']'.repeat(33)}}`),
      400,
    ],
    ['malformed zstd', () => project('/tunnel', 'plain', { 'content-encoding': 'zstd' }), 400],
    ['two content encodings', () => project('/tunnel', 'plain', { 'content-encoding': 'gzip, gzip' }), 415],
    ['a body over the limit', () => project('/tunnel', new Uint8Array(20 * 1024 * 1024 + 1)), 413],
  ])('refuses %s and says why', async (_case, send, status) => {
    const response = await send()
    expect(response.status).toBe(status)
    const { detail } = (await response.json()) as { detail: string }
    expect(detail).not.toBe('')
    expect(response.headers.get('x-sentry-error')).not.toBeNull()
  })

  it('stores the decoded body', async () => {
    const { body, eventId } = errorEnvelope(collector.dsn)
    const response = await project('/tunnel', gzipSync(body), { 'content-encoding': 'gzip' })
    expect(response.status).toBe(200)
    const client = collectorClient(collector.url, fetch)
    const newest = (await client.envelopes({ limit: 1 })).envelopes[0]
    expect(newest?.bytes).toBe(Buffer.byteLength(body))
    expect(await (await fetch(client.rawUrl(newest?.seq ?? 0))).text()).toBe(body)
    expect(eventId).toHaveLength(32)
  })

  it('accepts the bare event of an old SDK, and relays it byte for byte to the store endpoint', async () => {
    const eventId = 'ab'.repeat(16)
    const event = `{"event_id": "${eventId}", "message": "from long ago"}`
    const auth = { 'x-sentry-auth': 'Sentry sentry_key=local, sentry_version=7' }
    for (const path of ['/api/1/store', '/api/1/store/']) {
      const response = await project(path, gzipSync(event), { ...auth, 'content-encoding': 'gzip' })
      expect(await response.json()).toEqual({ id: eventId })
    }
    const seq = (await collectorClient(collector.url, fetch).envelopes({ limit: 1 })).envelopes[0]?.seq ?? 0
    await expect
      .poll(async () => (await collectorClient(collector.url, fetch).envelope(seq))?.deliveryStatus.name)
      .toBe('accepted')
    const posted = standIn.received().find((post) => post.path === '/api/1/store/')
    expect(Buffer.from(posted?.body ?? []).toString()).toBe(event)
    // Relay does not wait for the digest.
    await expect
      .poll(async () => (await collectorClient(collector.url, fetch).event(eventId))?.title)
      .toBe('from long ago')
    expect((await project('/api/1/store/', 'nonsense', auth)).status).toBe(400)
    expect((await project('/api/1/store/', event)).status).toBe(401)
  })

  it('stores an envelope once when its receipt is repeated, and repeats the answer', async () => {
    const { body, eventId } = errorEnvelope(collector.dsn)
    const receipt = randomUUID()
    const first = await postEnvelope(collector, body, { 'x-waystation-receipt': receipt })
    const second = await postEnvelope(collector, body, { 'x-waystation-receipt': receipt })
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await second.json()).toEqual({ id: eventId })
    const { envelopes } = await collectorClient(collector.url, fetch).envelopes({ limit: 200 })
    const details = await Promise.all(envelopes.map((one) => collectorClient(collector.url, fetch).envelope(one.seq)))
    expect(details.filter((one) => one?.facts.receipt === receipt)).toHaveLength(1)
  })

  it('stores both of two different bodies with the same receipt', async () => {
    const receipt = randomUUID()
    const bodies = [errorEnvelope(collector.dsn), errorEnvelope(collector.dsn)]
    for (const { body } of bodies) await postEnvelope(collector, body, { 'x-waystation-receipt': receipt })
    const client = collectorClient(collector.url, fetch)
    for (const { eventId } of bodies) await expect.poll(() => client.event(eventId)).not.toBeNull()
  })

  it('accepts a bare event of exactly 1 MiB, and refuses one more byte', async () => {
    const event = (bytes: number): string => `{"message":"${'x'.repeat(bytes - 14)}"}`
    const auth = { 'x-sentry-auth': 'Sentry sentry_key=local' }
    expect((await project('/api/1/store/', event(1024 * 1024), auth)).status).toBe(200)
    expect((await project('/api/1/store/', event(1024 * 1024 + 1), auth)).status).toBe(413)
  })

  it('counts a refused envelope, but does not list it', async () => {
    const before = await collectorClient(collector.url, fetch).overview()
    await project('/tunnel', 'hello')
    const after = await collectorClient(collector.url, fetch).overview()
    expect(after.counts.refused).toBe(before.counts.refused + 1)
    expect(after.counts.envelopes).toBe(before.counts.envelopes)
  })
})

describe('durability', () => {
  it('keeps every acknowledged envelope after a SIGKILL directly after the answer', async () => {
    const collector = await startCollector()
    const sent = Array.from({ length: 20 }, () => errorEnvelope(collector.dsn))
    const answers = await Promise.all(sent.map(({ body }) => postEnvelope(collector, body)))
    await collector.kill()
    expect(answers.map((answer) => answer.status)).toEqual(sent.map(() => 200))
    const again = await collector.restart()
    await digested(again, sent.length)
    const { events } = await collectorClient(again.url, fetch).events({ limit: 200 })
    expect(new Set(events.map((event) => event.eventId))).toEqual(new Set(sent.map((one) => one.eventId)))
  })

  it('exits with 0 on SIGTERM, and leaves no write-ahead log', async () => {
    const collector = await startCollector()
    await postEnvelope(collector, errorEnvelope(collector.dsn).body)
    expect(await collector.stop()).toBe(0)
    expect(readdirSync(collector.folder).sort()).toEqual(['ballast', 'lock.db', 'spool.db', 'telemetry.db'])
  })

  it('refuses to start with a damaged spool.db, with advice', async () => {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, 'spool.db'),
      'this is no database, but long enough to be taken for one by its first page',
    )
    const advice = isShared() ? 'it is a mirror of the shared record, so delete the folder' : 'put back a copy'
    await expect(startCollector({}, folder)).rejects.toThrow(`spool.db is damaged: ${advice}`)
  })

  it('refuses a data folder that another collector uses', async () => {
    const collector = await startCollector()
    await expect(startCollector({}, collector.folder)).rejects.toThrow(
      /another Waystation is using .*: stop it, or set WAYSTATION_DATA/,
    )
  })

  it('refuses a port in use, and names the variable to change', async () => {
    const collector = await startCollector()
    const port = new URL(collector.url).port
    await expect(startCollector({ WAYSTATION_PORT: port })).rejects.toThrow(
      new RegExp(`port ${port} is taken.*WAYSTATION_PORT`),
    )
  })
})
