import * as Sentry from '@sentry/nextjs'
import { describe, expect, it } from 'vitest'
import { scrubRecord } from '../../../lib/scrub/scrub-record'
import { type SdkEnvelope, scrubSdkEnvelope } from '../../../lib/scrub/sdk-envelope'
import type { Envelope } from '../../../lib/sdk/transport'

const SECRET = 'password=hunter2'
const HIDDEN = 'password=[Filtered]'
const scrubItem = (header: { readonly type: string; readonly [name: string]: unknown }, payload: unknown) =>
  scrubSdkEnvelope([{}, [[header, payload]]])[1][0]

/** The body of an envelope, as the SDK's transport writes it. */
async function serialized(envelope: SdkEnvelope): Promise<Buffer> {
  let written = Buffer.of()
  const options = { recordDroppedEvent: () => undefined }
  await Sentry.createTransport(options, ({ body }) => {
    written = Buffer.from(body)
    return Promise.resolve({})
  }).send(envelope as Envelope)
  return written
}

describe('an envelope of an SDK', () => {
  const header = {
    dsn: 'http://local@127.0.0.1:8969/1',
    event_id: 'a'.repeat(32),
    trace: { trace_id: 'b'.repeat(32), public_key: 'local', transaction: `/login?${SECRET}`, environment: 'test' },
  }
  const error = {
    exception: { values: [{ type: 'Error', value: `refused: ${SECRET}` }] },
    request: { headers: { Authorization: 'Bearer abcdef0123456789', Accept: '*/*' } },
    contexts: { trace: { data: { 'user.email': 'ada@example.org', n: 1 } } },
  }
  const items: SdkEnvelope[1] = [
    [{ type: 'event' }, error],
    [{ type: 'transaction' }, { transaction: '/', spans: [{ description: `GET /?${SECRET}` }] }],
    [{ type: 'span', item_count: 1 }, { items: [{ name: SECRET, attributes: { 'db.password': { value: 'x' } } }] }],
    [{ type: 'log', item_count: 1 }, { items: [{ body: `said ${SECRET}` }] }],
    [{ type: 'session' }, { attrs: { ip_address: '203.0.113.7' } }],
    [{ type: 'feedback' }, { contexts: { feedback: { message: `my ${SECRET}` } } }],
    [
      { type: 'client_report' },
      { discarded_events: [{ reason: 'ratelimit_backoff', category: 'error', quantity: 1 }] },
    ],
    [{ type: 'attachment', length: 16, filename: 'ada@example.org.txt' }, new TextEncoder().encode(SECRET)],
  ]

  it('is scrubbed as the collector scrubs its bytes', async () => {
    const before = await serialized([header, items])
    const after = await serialized(scrubSdkEnvelope([header, items]))
    expect(after.toString()).toBe(Buffer.from(scrubRecord('envelope', before, 'on').body).toString())
    expect(after.toString().split(SECRET)).toHaveLength(2)
    expect(after.toString()).not.toMatch(/abcdef0123456789|203\.0\.113\.7|ada@/)
  })

  it('is not changed itself', () => {
    const before = JSON.stringify([header, items])
    scrubSdkEnvelope([header, items])
    expect(JSON.stringify([header, items])).toBe(before)
  })

  it('keeps the objects in which nothing is secret', () => {
    const [event, headers] = [{ message: 'all is well' }, { event_id: 'a'.repeat(32) }]
    const clean = scrubSdkEnvelope([headers, [[{ type: 'event' }, event]]])
    expect(clean[0]).toBe(headers)
    expect(clean[1][0]?.[1]).toBe(event)
  })
})

describe('the payload of an item', () => {
  it('stays a text or bytes where it was, and its length is corrected', () => {
    const json = JSON.stringify({ message: SECRET })
    const clean = JSON.stringify({ message: HIDDEN })
    expect(scrubItem({ type: 'event' }, json)).toEqual([{ type: 'event' }, clean])
    expect(scrubItem({ type: 'event', length: json.length }, new TextEncoder().encode(json))).toEqual([
      { type: 'event', length: clean.length },
      new TextEncoder().encode(clean),
    ])
  })

  it.each(['attachment', 'replay_recording', 'of_the_future'])('of the type %s stays', (type) => {
    const payload = new TextEncoder().encode(JSON.stringify({ message: SECRET }))
    expect(scrubItem({ type }, payload)?.[1]).toBe(payload)
  })

  it('that cannot be serialized is an error', () => {
    const ring: Record<string, unknown> = {}
    ring.ring = ring
    expect(() => scrubItem({ type: 'event' }, ring)).toThrow(TypeError)
  })
})
