import { describe, expect, it } from 'vitest'
import { authorise } from '../../../collector/intake/authorise'
import type { Credentials } from '../../../collector/intake/credentials'
import { parseBody, readContents } from '../../../collector/intake/parse-body'
import { type Environment, readEnvironment } from '../../../lib/config/environment'
import type { Endpoint } from '../../../lib/protocol/request'
import { SIZE_LIMITS } from '../../../lib/protocol/size-limits'
import { capturedBytes } from '../protocol/captured'
import { valueIn } from '../value-in'

const DSN = 'https://abc@o1.ingest.sentry.io/42'
const body = (header: unknown, items = '{"type":"event"}\n{}'): Buffer =>
  Buffer.from(`${JSON.stringify(header)}\n${items}`)
const none = { project: null, key: null }
const ours = { project: '42', key: 'abc' }
const other = { project: '42', key: 'def' }
type Given = Pick<Credentials, 'project' | 'key'>

const accepting = (variables: Record<string, string>): Environment => valueIn(readEnvironment(variables))
/** Parses and authorises a body, and returns the sender with the contents. */
function check(endpoint: Endpoint, bytes: Uint8Array, credentials: Given, environment: Environment) {
  const parsed = parseBody(endpoint, bytes)
  if (!parsed.ok) return parsed
  const { header } = parsed.value
  const sender = authorise(endpoint, { ...credentials, mayOmitKey: false }, environment).byHeader(header)
  if (!sender.ok) return sender
  const { body, ...contents } = readContents(endpoint, parsed.value, bytes, SIZE_LIMITS, () => 'f'.repeat(32))
  return { ok: true as const, value: { ...sender.value, ...contents } }
}
/** The tunnel endpoint takes identity from the envelope alone. */
const checkTunnel = (bytes: Uint8Array, credentials: Given, environment: Environment) =>
  check('tunnel', bytes, credentials, environment)

const relayed = accepting({ WAYSTATION_UPSTREAM: DSN })
const localOnly = accepting({})

describe('authorise', () => {
  it.each<[string, unknown, Given]>([
    ['the DSN of the header alone', { dsn: DSN }, none],
    ['key and project of the request alone', {}, ours],
    ['both, when they are equal', { dsn: DSN }, ours],
    ['a DSN and the project of the path', { dsn: DSN }, { project: '42', key: null }],
    ['a DSN with another host', { dsn: 'http://abc@169.254.169.254/42' }, none],
    ['a DSN with a secret', { dsn: 'https://abc:secret@o1.ingest.sentry.io/42' }, none],
  ])('accepts %s', (_name, header, credentials) => {
    expect(checkTunnel(body(header), credentials, relayed)).toMatchObject({
      ok: true,
      value: { publicKey: 'abc', project: '42' },
    })
  })

  it.each<[string, unknown, Given, number, string]>([
    ['an envelope without key and project', {}, none, 401, 'no_key'],
    ['a key without a project', {}, { project: null, key: 'abc' }, 401, 'no_key'],
    ['a project without a key', {}, { project: '42', key: null }, 401, 'no_key'],
    ['another key', { dsn: 'https://abd@o1.ingest.sentry.io/42' }, none, 403, 'unknown_project'],
    ['another project', { dsn: 'https://abc@o1.ingest.sentry.io/43' }, none, 403, 'unknown_project'],
    ['another key in the request', {}, { project: '42', key: 'abd' }, 403, 'unknown_project'],
    ['an unknown key of the request, before its DSN', { dsn: DSN }, other, 403, 'unknown_project'],
    ['a project that differs from the DSN', { dsn: DSN }, { project: '43', key: null }, 400, 'dsn_mismatch'],
    ['a foreign DSN with a configured key', { dsn: 'https://def@evil.test/42' }, ours, 400, 'dsn_mismatch'],
    ['a project that is not a number', {}, { project: '<b>', key: 'abc' }, 400, 'malformed_project'],
    ['a project of 21 digits', {}, { project: '1'.repeat(21), key: 'abc' }, 400, 'malformed_project'],
    ['a malformed DSN', { dsn: 'nonsense' }, ours, 400, 'malformed_dsn'],
    ['a DSN that is not a string', { dsn: { key: 'abc' } }, ours, 400, 'malformed_dsn'],
    [
      'a DSN with the upstream host as its user name',
      { dsn: 'https://o1.ingest.sentry.io@evil.test/42' },
      none,
      400,
      'malformed_dsn',
    ],
  ])('refuses %s', (_name, header, credentials, status, reason) => {
    expect(checkTunnel(body(header), credentials, relayed)).toMatchObject({ ok: false, error: { status, reason } })
  })

  it('accepts every project when no upstream is configured', () => {
    expect(checkTunnel(body({ dsn: 'http://anykey@evil.test/999' }), none, localOnly)).toMatchObject({
      ok: true,
      value: { publicKey: 'anykey', project: '999' },
    })
  })

  it('refuses malformed framing with the rule and the byte position', () => {
    expect(checkTunnel(Buffer.from('{}\n{"type":"x","length":9}\nab'), ours, relayed)).toMatchObject({
      ok: false,
      error: { status: 400, reason: 'payload_too_short', causes: ['at byte 27'] },
    })
  })

  it.each([
    ['an event id that is no UUID', '{"event_id":"not-an-id"}', 'event_id_invalid', 0],
    ['an event id that is a number', '{"event_id":7}', 'event_id_invalid', 0],
    ['a byte order mark', '\ufeff{}', 'byte_order_mark', 0],
    ['a byte order mark before an item', '{}\n\ufeff{"type":"x"}\n', 'byte_order_mark', 3],
  ])('refuses %s, as Relay does', (_name, text, reason, at) => {
    expect(checkTunnel(Buffer.from(text), ours, relayed)).toMatchObject({
      ok: false,
      error: { status: 400, reason, causes: [`at byte ${at}`] },
    })
  })

  it('reports malformed framing before missing credentials', () => {
    expect(checkTunnel(Buffer.alloc(0), none, relayed)).toMatchObject({ error: { status: 400, reason: 'empty' } })
  })

  it('never repeats received text in a refusal', () => {
    const refused = checkTunnel(body({ dsn: 'https://secretkey@evil.test/43' }), none, relayed)
    expect(JSON.stringify(refused)).not.toContain('secretkey')
    expect(JSON.stringify(refused)).not.toContain('evil.test')
  })
})

describe('the decision about a sender', () => {
  const decide = (endpoint: Endpoint, given: Partial<Credentials>) =>
    authorise(endpoint, { ...none, mayOmitKey: false, ...given }, relayed)
  const reasonOf = (decision: ReturnType<typeof decide>['byAddress']) =>
    decision === null ? 'not yet known' : decision.ok ? 'accepted' : decision.error.reason

  it.each<[Endpoint, Partial<Credentials>, string]>([
    ['envelope', {}, 'not yet known'],
    ['envelope', ours, 'not yet known'],
    ['envelope', { ...ours, project: '43' }, 'unknown_project'],
    ['envelope', { project: 'x' }, 'malformed_project'],
    ['tunnel', {}, 'not yet known'],
    ['stream', {}, 'not yet known'],
    ['store', ours, 'accepted'],
    ['store', {}, 'no_key'],
    ['minidump', { ...ours, key: 'abd' }, 'unknown_project'],
    ['otlp_traces', ours, 'accepted'],
    ['otlp_traces', {}, 'no_key'],
    ['otlp_traces', { mayOmitKey: true }, 'accepted'],
    ['otlp_traces', { mayOmitKey: true, project: '42' }, 'no_key'],
  ])('after the address at %s with %j is %s', (endpoint, given, reason) => {
    expect(reasonOf(decide(endpoint, given).byAddress)).toBe(reason)
  })

  it('is made once', () => {
    const byHeader = decide('tunnel', {})
    expect(reasonOf(byHeader.byHeader({ dsn: DSN }))).toBe('accepted')
    expect(reasonOf(byHeader.byHeader({}))).toBe('accepted')
    const byAddress = decide('store', ours)
    expect(reasonOf(byAddress.byHeader({ dsn: 'https://def@evil.test/7' }))).toBe('accepted')
  })

  it('accepts a copy of any sender, and of none', () => {
    expect(decide('stream', {}).byHeader({})).toEqual({ ok: true, value: { publicKey: 'copy', project: '0' } })
    expect(decide('stream', {}).byHeader({ dsn: 'http://other@sentry.test/7' })).toEqual({
      ok: true,
      value: { publicKey: 'other', project: '7' },
    })
  })
})

it.each([
  ['the event id without dashes', 'e7e61c49-bce4-41e9-8fb7-dfb591bbfc26', 'e7e61c49bce441e98fb7dfb591bbfc26'],
  ['an assigned id when neither header nor event has one', undefined, 'f'.repeat(32)],
  ['the id of the header without dashes', '01234567-89ab-cdef-0123-456789abcdef', '0123456789abcdef0123456789abcdef'],
])('an authorised envelope has %s', (_name, event_id, eventId) => {
  expect(checkTunnel(body({ event_id }), ours, relayed)).toMatchObject({ ok: true, value: { eventId } })
})

it('an authorised envelope has one quantity per item', () => {
  const items = '{"type":"span","item_count":3}\n{"items":[]}\n{"type":"client_report"}\n{}\n{"type":"constructor"}\n{}'
  expect(checkTunnel(body({}, items), ours, relayed)).toMatchObject({
    ok: true,
    value: {
      quantities: [
        { category: 'span', quantity: 3 },
        { category: 'internal', quantity: 1 },
        { category: 'constructor', quantity: 1 },
      ],
    },
  })
})

it('an authorised envelope may have no items', () => {
  expect(checkTunnel(Buffer.from('{}'), ours, relayed)).toMatchObject({ ok: true, value: { quantities: [] } })
})

it('the DSN in the header identifies the project of a captured browser envelope', () => {
  const authorised = checkTunnel(capturedBytes('envelopes/browser-11.8-replay'), none, localOnly)
  expect(authorised).toMatchObject({ ok: true, value: { publicKey: 'publickey', project: '42' } })
  expect(authorised.ok && authorised.value.quantities.map((one) => one.category)).toEqual(['replay', 'replay'])
})

describe('a bare event of an old SDK', () => {
  const event = Buffer.from(
    '{"event_id":"e7e61c49bce441e98fb7dfb591bbfc26","message":"x","dsn":"https://def@evil.test/7"}',
  )

  it('uses key and project of the request, and counts as an error', () => {
    expect(check('store', event, ours, relayed)).toEqual({
      ok: true,
      value: {
        publicKey: 'abc',
        project: '42',
        eventId: 'e7e61c49bce441e98fb7dfb591bbfc26',
        quantities: [{ category: 'error', quantity: 1 }],
        discards: [],
      },
    })
  })

  it.each([
    ['has no credentials', event, none, 401],
    ['has another key', event, other, 403],
    ['is not JSON', Buffer.from('eJy1VlFv'), ours, 400],
    ['is empty', Buffer.alloc(0), ours, 400],
  ])('is refused when it %s', (_name, bytes, credentials, status) => {
    expect(check('store', bytes, credentials, relayed)).toMatchObject({ ok: false, error: { status } })
  })
})
