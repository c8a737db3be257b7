import { brotliCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { StandIn } from '../../collector/stand-in/stand-in'
import { startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { parseEnvelope } from '../../lib/protocol/envelope'
import { collectorClient } from '../../lib/wire/collector-client'
import {
  type CollectorProcess,
  digested,
  endCollectors,
  factAfter,
  postEnvelope,
  startCollector,
} from './collector-process'

const standIns: StandIn[] = []

afterEach(async () => {
  endCollectors()
  await Promise.all(standIns.splice(0).map((one) => one.close()))
})

const SECRETS = [
  'hunter2',
  'alice@example.com',
  '4111 1111 1111 1111',
  's3cr3t-span',
  's3cr3t-log',
  's3cr3t-name',
  '203.0.113.7',
]
/** The path of each secret, and the rule that removes it. */
const REMOVED = [
  { rule: 'parameter', path: 'header.trace.transaction' },
  { rule: 'parameter', path: '0.exception.values.0.value' },
  { rule: 'email', path: '0.breadcrumbs.0.message' },
  { rule: 'key', path: '0.breadcrumbs.1.data.password' },
  { rule: 'ip', path: '0.user.ip_address' },
  { rule: 'key', path: '1.items.0.attributes.http.request.header.authorization.value' },
  { rule: 'parameter', path: '2.items.0.body' },
  { rule: 'card', path: '2.items.0.attributes.note.value' },
]
const TRACE = '0123456789abcdef0123456789abcdef'
const SPAN = {
  trace_id: TRACE,
  span_id: '0123456789abcdef',
  name: 'GET /',
  start_timestamp: 1_795_000_000,
  end_timestamp: 1_795_000_001,
  is_segment: true,
  status: 'ok',
}

function envelope(dsn: string): string {
  const event = {
    event_id: TRACE,
    exception: { values: [{ type: 'Error', value: 'login failed: password=hunter2' }] },
    breadcrumbs: [{ message: 'mail to alice@example.com' }, { data: { password: 'hunter2' } }],
    user: { ip_address: '203.0.113.7' },
  }
  const attribute = (value: string) => ({ value, type: 'string' })
  const span = { ...SPAN, attributes: { 'http.request.header.authorization': attribute('s3cr3t-span') } }
  const log = {
    timestamp: 1_795_000_000,
    trace_id: TRACE,
    level: 'info',
    body: 'called ?token=s3cr3t-log',
    attributes: { note: attribute('card 4111 1111 1111 1111') },
  }
  const payload = JSON.stringify(event)
  return [
    JSON.stringify({ dsn, event_id: TRACE, trace: { trace_id: TRACE, transaction: 'GET /reset?token=s3cr3t-name' } }),
    JSON.stringify({ type: 'event', length: Buffer.byteLength(payload) }),
    payload,
    JSON.stringify({ type: 'span', item_count: 1, content_type: 'application/vnd.sentry.items.span.v2+json' }),
    JSON.stringify({ version: 2, items: [span] }),
    JSON.stringify({ type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' }),
    JSON.stringify({ items: [log] }),
  ].join('\n')
}

interface Followed {
  readonly collector: CollectorProcess
  readonly posted: string
  /** The body that upstream received. */
  readonly relayed: string
  /** The stored body. */
  readonly recorded: string
}

async function follow(env: Record<string, string>): Promise<Followed & { readonly headers: StandInHeaders }> {
  const standIn = await startStandIn()
  standIns.push(standIn)
  const collector = await startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn), ...env })
  const posted = envelope(collector.dsn)
  const arrived = standIn.nextPost()
  expect((await postEnvelope(collector, posted, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(200)
  const { body, headers } = await arrived
  await factAfter(collector, 'delivered')
  const recorded = await (await fetch(`${collector.url}/query/envelopes/1?raw`)).text()
  return { collector, posted, relayed: Buffer.from(body).toString(), recorded, headers }
}
type StandInHeaders = Awaited<ReturnType<StandIn['nextPost']>>['headers']

const secretsIn = (text: string): readonly string[] => SECRETS.filter((secret) => text.includes(secret))
const signal = new AbortController().signal
const clientOf = ({ url }: CollectorProcess) => collectorClient(url, fetch)

describe('an envelope with secrets', () => {
  it('is relayed without them but stored with them when scrubbing is on', async () => {
    const { collector, posted, relayed, recorded, headers } = await follow({ WAYSTATION_SCRUB: 'on' })
    expect(recorded).toBe(posted)
    expect(secretsIn(relayed)).toEqual([])
    expect(JSON.stringify(headers)).not.toContain('203.0.113.7')
    const framed = parseEnvelope(Buffer.from(relayed))
    expect(framed.ok && framed.value.items.map(({ header }) => header.type)).toEqual(['event', 'span', 'log'])
    const { deliveries } = await clientOf(collector).deliveries({ signal })
    expect(deliveries).toMatchObject([{ status: 200, form: ['scrubbed'], removed: REMOVED }])
    expect(JSON.stringify(deliveries)).not.toMatch(new RegExp(SECRETS.slice(0, 2).join('|')))
  })

  it('is relayed and stored without them when the store is scrubbed, too', async () => {
    const { collector, relayed, recorded } = await follow({ WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' })
    expect(secretsIn(recorded)).toEqual([])
    expect(relayed).toBe(recorded)
    await digested(collector, 3)
    const detail = await clientOf(collector).envelope(1, signal)
    expect(detail?.facts.scrubbed).toEqual(REMOVED)
    expect(detail?.attempts).toMatchObject([{ form: ['received'], removed: [] }])
    expect(detail?.items.map(({ problem }) => problem)).toEqual([null, null, null])
  })

  it('is relayed unchanged in report mode, and the delivery lists what would be removed', async () => {
    const { collector, posted, relayed, recorded } = await follow({ WAYSTATION_SCRUB: 'report' })
    expect(relayed).toBe(posted)
    expect(recorded).toBe(posted)
    const { deliveries } = await clientOf(collector).deliveries({ signal })
    expect(deliveries).toMatchObject([{ form: ['received'], removed: REMOVED }])
  })

  it('is relayed unchanged and not searched by default', async () => {
    const { collector, posted, relayed, headers } = await follow({})
    expect(relayed).toBe(posted)
    expect(headers).toMatchObject({ 'x-forwarded-for': '203.0.113.7' })
    expect((await clientOf(collector).deliveries({ signal })).deliveries).toMatchObject([{ removed: [] }])
  })
})

/** Four spans of 9.5 MB whose text takes as long to scrub as any: less than 4 KB on the wire. */
function slowEnvelope(dsn: string): Uint8Array {
  const header = JSON.stringify({ dsn, event_id: TRACE })
  const span = { ...SPAN, attributes: { note: { value: '%41key: '.repeat(9_500_000 / 8), type: 'string' } } }
  const item = [
    JSON.stringify({ type: 'span', item_count: 1, content_type: 'application/vnd.sentry.items.span.v2+json' }),
    JSON.stringify({ version: 2, items: [span] }),
  ]
  return brotliCompressSync([header, ...Array.from({ length: 4 }, () => item).flat()].join('\n'))
}

describe('an envelope that takes too long to scrub', () => {
  it('delays no small one, and is refused and counted when the store is scrubbed', async () => {
    const collector = await startCollector({ WAYSTATION_SCRUB: 'on', WAYSTATION_SCRUB_STORE: 'on' })
    const slow = slowEnvelope(collector.dsn)
    expect(slow.byteLength).toBeLessThan(4096)
    const order: string[] = []
    const refused = postEnvelope(collector, slow, { 'content-encoding': 'br' }).then(async (response) => {
      order.push('slow')
      return { status: response.status, text: await response.text() }
    })
    // So many that most arrive while the slow one is scrubbed, not while it is decoded.
    const small = Array.from({ length: 100 }, () => 'small')
    for (const name of small) {
      expect((await postEnvelope(collector, envelope(collector.dsn))).status).toBe(200)
      order.push(name)
    }
    const { status, text } = await refused
    expect(status).toBe(422)
    expect(text).toMatch(/it takes longer than 12\.2 s, the limit for 36\.2 MiB/)
    expect(order).toEqual([...small, 'slow'])
    expect(await (await fetch(`${collector.url}/query/losses`)).text()).toContain('unscrubbed')
    expect((await fetch(`${collector.url}/query/envelopes/${small.length}?raw`)).status).toBe(200)
    expect((await fetch(`${collector.url}/query/envelopes/${small.length + 1}?raw`)).status).toBe(404)
  })
})
