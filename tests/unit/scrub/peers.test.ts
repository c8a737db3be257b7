import { describe, expect, it } from 'vitest'
import { scrubPayload } from '../../../lib/scrub/payload'

type Json = Readonly<Record<string, unknown>>

const scrubbed = (payload: Json): string =>
  Buffer.from(scrubPayload(Buffer.from(JSON.stringify(payload)), () => undefined)).toString()
const isTaken = (payload: Json): boolean => scrubbed(payload) !== JSON.stringify(payload)

const PEER = { 'network.peer.address': '104.16.30.34' }
const typed = (attributes: Json): Json =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, { value, type: 'string' }]))
/** The peer before and after the op or kind. */
const streamed = (attributes: Json): readonly Json[] => [
  { version: 2, items: [{ name: 'GET', attributes: typed({ ...PEER, ...attributes }) }] },
  { version: 2, items: [{ name: 'GET', attributes: typed({ ...attributes, ...PEER }) }] },
]
const ofTransaction = (span: Json): readonly Json[] => [
  { contexts: { trace: { data: PEER, ...span } }, spans: [] },
  {
    contexts: { trace: { op: 'http.server', data: {} } },
    spans: [
      { op: 'db', data: {} },
      { ...span, data: PEER },
    ],
  },
]

describe('the address of a peer', () => {
  it.each([
    ['http.client', null],
    ['db.query', null],
    ['cache.get', null],
    ['http.client', 'client'],
    [null, 'CLIENT'],
    ['custom', 'producer'],
  ])('stays in a span that made the call: op %s, kind %s', (op, kind) => {
    const attributes = { ...(op && { 'sentry.op': op }), ...(kind && { 'sentry.kind': kind }) }
    for (const payload of streamed(attributes)) expect(scrubbed(payload)).toBe(JSON.stringify(payload))
    for (const payload of ofTransaction({ ...(op && { op }), ...(kind && { kind }) }))
      expect(scrubbed(payload)).toBe(JSON.stringify(payload))
  })

  it.each([
    ['http.server', null],
    ['websocket.server', null],
    ['custom', null],
    [null, null],
    ['custom', 'server'],
    ['http.client', 'SPAN_KIND_SERVER'],
  ])('is removed in a span that was called, or with an unknown direction: op %s, kind %s', (op, kind) => {
    const attributes = { ...(op && { 'sentry.op': op }), ...(kind && { 'otel.kind': kind }) }
    for (const payload of [...streamed(attributes), ...ofTransaction({ ...(op && { op }), ...(kind && { kind }) })])
      expect(scrubbed(payload)).toBe(JSON.stringify(payload).replace('104.16.30.34', '[ip]'))
  })

  it.each(['network.peer.address', 'net.peer.ip', 'net.sock.peer.addr'])('is recognised as %s', (name) => {
    const of = (op: string): Json => ({ spans: [{ op, data: { [name]: '2606:4700::6810:1e22' } }] })
    expect([isTaken(of('http.client')), isTaken(of('http.server'))]).toEqual([false, true])
  })

  it('depends on its own span only, not on a sibling, parent or child', () => {
    const call = { op: 'http.client', data: {} }
    expect(isTaken({ op: 'http.client', spans: [call, { op: 'http.server', data: PEER }, call] })).toBe(true)
    expect(isTaken({ op: 'http.client', data: { deep: { er: PEER } } })).toBe(true)
    expect(isTaken({ spans: [{ data: { ...PEER, spans: [call] } }] })).toBe(true)
    expect(isTaken({ tags: PEER, contexts: { trace: call } })).toBe(true)
  })

  it('is scrubbed by all other rules as well', () => {
    expect(isTaken({ op: 'http.client', data: { 'network.peer.address': 'ada@example.org' } })).toBe(true)
    expect(isTaken({ op: 'http.client', data: { ...PEER, 'client.address': '203.0.113.7' } })).toBe(true)
  })

  it('is found in cut JSON, and at any depth', () => {
    const cut = Buffer.from('{"items":[{"op":"http.server","data":{"net.peer.ip":"203.0.113.7"')
    expect(Buffer.from(scrubPayload(cut, () => undefined)).toString()).toContain('"[ip]"')
    const deep = (levels: number): Json => {
      const span = '{"op":"http.client","data":{"net.peer.ip":"203.0.113.7"}}'
      return JSON.parse('{"a":'.repeat(levels) + span + '}'.repeat(levels))
    }
    expect([100, 253, 254, 255, 256, 300].map((levels) => isTaken(deep(levels)))).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ])
  })
})

it.each([
  '127.0.0.1',
  '127.0.0.1:3000',
  '::1',
  '[::1]:3000',
  '::ffff:127.0.0.1',
  '::1, 127.0.0.1',
  'for=127.0.0.1;host=localhost:3000;proto=http',
  '0:0:0:0:0:0:0:1',
])('an address stays where it is loopback: %s', (text) => {
  expect(isTaken({ headers: { 'X-Forwarded-For': text, Forwarded: text }, user: { ip_address: text } })).toBe(false)
  expect(isTaken({ spans: [{ op: 'http.server', data: { 'network.peer.address': text } }] })).toBe(false)
})

it.each(['127.0.0.1, 203.0.113.7', '::1:2', '2001:db8::1', '::1, fe80::1', '192.168.1.7:3000'])(
  'an address is somebody’s where there is another: %s',
  (text) => {
    expect(isTaken({ headers: { 'X-Forwarded-For': text } })).toBe(true)
  },
)
