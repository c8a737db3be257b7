import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { collectorClient } from '../../lib/wire/collector-client'
import { type CollectorProcess, endCollectors, factAfter, startCollector } from './collector-process'

let upstream: StandIn
let collector: CollectorProcess
beforeAll(async () => {
  upstream = await startStandIn()
  collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(upstream.dsn) })
})
afterAll(async () => {
  endCollectors()
  await upstream.close()
})

const KEY = 'sentry_key=local'
const EVENT_ID = 'e7e61c49bce441e98fb7dfb591bbfc26'
const DASHED = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const FORM = 'multipart/form-data; boundary=bound'
const part = (head: string, body: string) => `--bound\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
const DUMP = part('name="upload_file_minidump"; filename="a.dmp"', 'MDMP\x93\xa7\x00\xff')
const bytes = (text: string) => Buffer.from(text, 'latin1')
const form = (...parts: string[]) => bytes(`${parts.join('')}--bound--\r\n`)
const REPORTS =
  '[{"age":1,"type":"network-error","url":"https://app.test/","body":{"type":"dns.unreachable","phase":"dns"}}]'

interface Sent {
  readonly path: string
  readonly method?: string
  readonly body?: Uint8Array<ArrayBuffer>
  readonly type?: string
  readonly headers?: Record<string, string>
}

const send = ({ path, method = 'POST', body, type, headers = {} }: Sent): Promise<Response> =>
  fetch(`${collector.url}${path}`, {
    method,
    ...(body !== undefined && { body }),
    headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
  })

/** Sends with a unique User-Agent, and resolves with the answer, the relayed post and the record. */
async function relayed(sent: Sent) {
  const agent = `test/${randomUUID()}`
  const response = await send({ ...sent, headers: { ...sent.headers, 'user-agent': agent } })
  for (;;) {
    const next = upstream.nextPost()
    const post = upstream.received().find(({ headers }) => headers['user-agent'] === agent)
    if (post !== undefined) {
      const client = collectorClient(collector.url, fetch)
      const { envelopes } = await client.envelopes({ limit: 1 })
      const seq = envelopes[0]?.seq ?? 0
      const raw = Buffer.from(await (await fetch(client.rawUrl(seq))).arrayBuffer())
      return { response, post, seq, raw, envelope: await client.envelope(seq) }
    }
    await next
  }
}

const SENTRY_AUTH = 'Sentry sentry_key=local, sentry_version=7, sentry_client=waystation/1'

describe('a body that is not an envelope', () => {
  it.each<[string, Sent, { path: string; auth?: string; category: string; quantity?: number; status?: number }]>([
    [
      'a minidump in a form',
      { path: `/api/1/minidump/?${KEY}`, body: form(part('name="sentry"', '{"release":"1"}'), DUMP), type: FORM },
      { path: '/api/1/minidump/', auth: SENTRY_AUTH, category: 'error' },
    ],
    [
      'a bare minidump',
      { path: `/api/1/minidump?${KEY}`, body: bytes('MDMP\x93\xa7\x00\xff'), type: 'application/octet-stream' },
      { path: '/api/1/minidump/', auth: SENTRY_AUTH, category: 'error' },
    ],
    [
      'a crash report of Unreal',
      { path: '/api/1/unreal/local/?UserID=7', body: bytes('CR1\x78\x9c\xff'), type: 'application/octet-stream' },
      { path: '/api/1/unreal/local/?UserID=7', category: 'error' },
    ],
    [
      'network reports of a browser',
      { path: `/api/1/nel/?${KEY}&sentry_release=1`, body: bytes(REPORTS), type: 'application/reports+json' },
      { path: '/api/1/nel/?sentry_release=1', auth: SENTRY_AUTH, category: 'nel' },
    ],
    [
      'a check-in as JSON',
      {
        path: '/api/1/cron/nightly/local/',
        body: bytes('{"status":"ok","n":9007199254740993}'),
        type: 'application/json',
      },
      { path: '/api/1/cron/nightly/local/', category: 'monitor', status: 202 },
    ],
    [
      'a check-in without a key in its path',
      { path: `/api/1/cron/nightly/?status=in_progress&${KEY}`, body: bytes('') },
      { path: '/api/1/cron/nightly/?status=in_progress', auth: SENTRY_AUTH, category: 'monitor', status: 202 },
    ],
    [
      'files of an event',
      {
        path: `/api/1/events/${EVENT_ID}/attachments/?${KEY}`,
        body: form(part('name="a"; filename="a.bin"', '\x00\xff\r\n'), part('name="b"; filename="b.txt"', 'b')),
        type: FORM,
      },
      {
        path: `/api/1/events/${EVENT_ID}/attachments/`,
        auth: SENTRY_AUTH,
        category: 'attachment',
        quantity: 2,
        status: 201,
      },
    ],
  ])('%s is stored and relayed byte for byte to the same endpoint', async (_name, sent, expected) => {
    const { response, post, raw, envelope } = await relayed(sent)
    expect(response.status).toBe(expected.status ?? 200)
    expect(post.path).toBe(expected.path)
    expect(post.headers['x-sentry-auth']).toBe(expected.auth)
    if (sent.type !== undefined) expect(post.headers['content-type']).toBe(sent.type)
    expect(Buffer.from(post.body).equals(Buffer.from(sent.body ?? []))).toBe(true)
    expect(raw.equals(Buffer.from(sent.body ?? []))).toBe(true)
    expect(envelope?.items).toMatchObject([{ category: expected.category, quantity: expected.quantity ?? 1 }])
    expect(post.categories).toEqual([expected.category])
  })

  it('is decoded, and relayed without its content encoding', async () => {
    const body = form(DUMP)
    const { post } = await relayed({
      path: `/api/1/minidump/?${KEY}`,
      body: gzipSync(body),
      type: FORM,
      headers: { 'content-encoding': 'gzip' },
    })
    expect(Buffer.from(post.body).equals(body)).toBe(true)
  })

  it('is counted in the ledger, which balances', async () => {
    const { categories } = await collectorClient(collector.url, fetch).losses()
    for (const name of ['error', 'nel', 'monitor', 'attachment'])
      expect(categories.find(({ category }) => category === name)).toMatchObject({ unexplained: 0, lost: 0 })
  })

  it('is listed by its endpoint', async () => {
    const page = await (await fetch(`${collector.url}/query/envelopes?endpoint=unreal`)).json()
    expect(page).toMatchObject({ envelopes: [{ endpoint: 'unreal', items: [{ type: 'unreal_report' }] }] })
  })
})

it('a crash report is answered the id of its event as text', async () => {
  const named = form(part('name="sentry"', `{"event_id":"${EVENT_ID}"}`), DUMP)
  const response = await send({ path: `/api/1/minidump/?${KEY}`, body: named, type: FORM })
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  expect((await response.text()).replaceAll('-', '')).toBe(EVENT_ID)
  for (const sent of [
    { path: `/api/1/minidump/?${KEY}`, body: form(DUMP), type: FORM },
    { path: '/api/1/unreal/local/', body: bytes('CR1') },
  ])
    expect(await (await send(sent)).text()).toMatch(DASHED)
})

it('the collector relays a check-in by GET with its query, and lists it with its monitor', async () => {
  const checkInId = randomUUID().replaceAll('-', '')
  const before = (await collectorClient(collector.url, fetch).overview()).journal
  const query = `status=error&duration=2.5&check_in_id=${checkInId}`
  const { response, post, seq, raw } = await relayed({
    path: `/api/1/cron/nightly%20job/local/?${query}`,
    method: 'GET',
  })
  expect([response.status, post.path, post.body.length, raw.length]).toEqual([
    202,
    `/api/1/cron/nightly%20job/local/?${query}`,
    0,
    0,
  ])
  expect(post.headers).not.toHaveProperty('content-length')
  const client = collectorClient(collector.url, fetch)
  let seen = before
  for (;;) {
    seen = await factAfter(collector, 'digested', seen)
    const { signals } = await client.signals('check_in', { limit: 1 })
    if (signals[0]?.seq !== seq) continue
    expect(signals[0]).toMatchObject({ name: 'nightly job', level: 'error', fields: { duration: 2.5 } })
    return
  }
})

it.each<[string, Sent, number]>([
  ['a form without a minidump', { path: `/api/1/minidump/?${KEY}`, body: form(), type: FORM }, 400],
  ['a minidump without a key', { path: '/api/1/minidump/', body: form(DUMP), type: FORM }, 401],
  ['an empty crash report', { path: '/api/1/unreal/local/', body: bytes('') }, 400],
  ['a crash report of another project', { path: '/api/1/unreal/other/', body: bytes('CR1') }, 403],
  ['a malformed key', { path: '/api/1/unreal/a%20b/', body: bytes('CR1') }, 400],
  ['two keys', { path: `/api/1/unreal/other/?${KEY}`, body: bytes('CR1') }, 401],
  ['reports of another type', { path: `/api/1/nel/?${KEY}`, body: bytes(REPORTS), type: 'application/json' }, 415],
  ['reports that are no JSON', { path: `/api/1/nel/?${KEY}`, body: bytes('x'), type: 'application/reports+json' }, 400],
  ['a check-in without a status', { path: '/api/1/cron/nightly/local/', method: 'GET' }, 400],
  ['a check-in without a key', { path: '/api/1/cron/nightly/?status=ok', method: 'GET' }, 401],
  [
    'a check-in over its limit',
    { path: '/api/1/cron/a/local/', body: bytes(`{"status":"ok","a":"${'x'.repeat(100 * 1024)}"}`) },
    413,
  ],
  ['files of no event', { path: `/api/1/events/none/attachments/?${KEY}`, body: form(DUMP), type: FORM }, 400],
  ['a form without files', { path: `/api/1/events/${EVENT_ID}/attachments/?${KEY}`, body: form(), type: FORM }, 400],
  ['a page of another site', { path: '/api/1/unreal/local/', headers: { origin: 'https://evil.test' } }, 403],
])('is refused: %s', async (_name, sent, status) => {
  const { counts } = await collectorClient(collector.url, fetch).overview()
  const response = await send(sent)
  expect(response.status).toBe(status)
  expect(response.headers.get('x-sentry-error')).not.toBeNull()
  expect((await collectorClient(collector.url, fetch).overview()).counts.refused).toBe(counts.refused + 1)
})

it('an upstream without such an endpoint is not paused: the record becomes a dead letter', async () => {
  upstream.play({ answers: [{ does: 'answer', status: 404, times: 1 }] })
  const { seq } = await relayed({ path: '/api/1/unreal/local/', body: bytes('CR1') })
  const client = collectorClient(collector.url, fetch)
  const { journal } = await client.overview()
  const after = await relayed({ path: '/api/1/unreal/local/', body: bytes('CR2') })
  expect(after.response.status).toBe(200)
  expect(journal).toBeGreaterThan(0)
  expect((await client.envelope(seq))?.deliveryStatus).toEqual({ name: 'pending', reason: 'dead_letter' })
  expect((await client.overview()).upstreams[0]?.state).not.toBe('paused')
})
