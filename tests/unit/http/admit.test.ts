import { describe, expect, it } from 'vitest'
import { type AdmitsProject, admit, type Claim } from '../../../collector/http/admit'
import { isAdmitted, readEnvironment } from '../../../lib/config/environment'
import { capturedBytes } from '../protocol/captured'

const DSN = 'https://abc@o1.ingest.sentry.io/42'
const body = (header: unknown, items = '{"type":"event"}\n{}'): Buffer =>
  Buffer.from(`${JSON.stringify(header)}\n${items}`)
const nobody: Claim = { project: null, key: null }
const ours: Claim = { project: '42', key: 'abc' }

function admitsOf(variables: Record<string, string>): AdmitsProject {
  const read = readEnvironment(variables)
  if (!read.ok) throw new Error('not an environment')
  return (sent) => isAdmitted(read.value, sent)
}
/** At the tunnel, where an envelope may say all by itself. */
const knock = (bytes: Uint8Array, claim: Claim, admits: AdmitsProject) => admit('tunnel', bytes, claim, admits)

const relayed = admitsOf({ WAYSTATION_UPSTREAM: DSN })
const localOnly = admitsOf({})

describe('an envelope at the endpoint', () => {
  it.each<[string, unknown, Claim]>([
    ['its DSN alone, at the tunnel', { dsn: DSN }, nobody],
    ["the request's key and project alone", {}, ours],
    ['both, when they agree', { dsn: DSN }, ours],
    ['a DSN and the project of the path', { dsn: DSN }, { project: '42', key: null }],
    ['a DSN that points elsewhere: where it points is not read', { dsn: 'http://abc@169.254.169.254/42' }, nobody],
    ['a DSN with a secret', { dsn: 'https://abc:secret@o1.ingest.sentry.io/42' }, nobody],
  ])('is admitted by %s', (_name, header, claim) => {
    expect(knock(body(header), claim, relayed)).toMatchObject({ ok: true, value: { publicKey: 'abc', project: '42' } })
  })

  it.each<[string, unknown, Claim, number, string]>([
    ['nobody', {}, nobody, 401, 'no_key'],
    ['a key without a project', {}, { project: null, key: 'abc' }, 401, 'no_key'],
    ['a project without a key', {}, { project: '42', key: null }, 401, 'no_key'],
    ['another key', { dsn: 'https://abd@o1.ingest.sentry.io/42' }, nobody, 403, 'unknown_project'],
    ['another project', { dsn: 'https://abc@o1.ingest.sentry.io/43' }, nobody, 403, 'unknown_project'],
    ["another key in the request's place", {}, { project: '42', key: 'abd' }, 403, 'unknown_project'],
    ['a key that is not the one of its DSN', { dsn: DSN }, { project: '42', key: 'def' }, 400, 'dsn_mismatch'],
    ['a project that is not the one of its DSN', { dsn: DSN }, { project: '43', key: null }, 400, 'dsn_mismatch'],
    ["another's DSN behind our key", { dsn: 'https://def@evil.test/42' }, ours, 400, 'dsn_mismatch'],
    ['a project that is no number', {}, { project: '<b>', key: 'abc' }, 400, 'malformed_project'],
    ['a project of 21 digits', {}, { project: '1'.repeat(21), key: 'abc' }, 400, 'malformed_project'],
    ['a DSN that is none', { dsn: 'nonsense' }, ours, 400, 'malformed_dsn'],
    ['a DSN that is no text', { dsn: { key: 'abc' } }, ours, 400, 'malformed_dsn'],
    [
      'a DSN with our host as its user',
      { dsn: 'https://o1.ingest.sentry.io@evil.test/42' },
      nobody,
      400,
      'malformed_dsn',
    ],
  ])('is refused in the name of %s', (_name, header, claim, status, reason) => {
    expect(knock(body(header), claim, relayed)).toMatchObject({ ok: false, error: { status, reason } })
  })

  it('is admitted in any name when local only', () => {
    expect(knock(body({ dsn: 'http://whoever@evil.test/999' }), nobody, localOnly)).toMatchObject({
      ok: true,
      value: { publicKey: 'whoever', project: '999' },
    })
  })

  it('is refused when it is broken, with the rule and the byte', () => {
    expect(knock(Buffer.from('{}\n{"type":"x","length":9}\nab'), ours, relayed)).toMatchObject({
      ok: false,
      error: { status: 400, reason: 'payload_too_short', causes: ['at byte 27'] },
    })
  })

  it('is refused as broken before anybody asks whose it is', () => {
    expect(knock(Buffer.alloc(0), nobody, relayed)).toMatchObject({ error: { status: 400, reason: 'empty' } })
  })

  it('never repeats what was received in a refusal for the books', () => {
    const refused = knock(body({ dsn: 'https://secretkey@evil.test/43' }), nobody, relayed)
    expect(JSON.stringify(refused)).not.toContain('secretkey')
    expect(JSON.stringify(refused)).not.toContain('evil.test')
  })
})

describe('an admitted envelope', () => {
  it.each([
    [
      'its event id, without dashes',
      { event_id: 'e7e61c49-bce4-41e9-8fb7-dfb591bbfc26' },
      'e7e61c49bce441e98fb7dfb591bbfc26',
    ],
    ['none where there is none', {}, null],
    ['none where it is no id', { event_id: '<b>' }, null],
  ])('is answered with %s', (_name, header, eventId) => {
    expect(knock(body(header), ours, relayed)).toMatchObject({ ok: true, value: { eventId } })
  })

  it('is counted by item', () => {
    const items =
      '{"type":"span","item_count":3}\n{"items":[]}\n{"type":"client_report"}\n{}\n{"type":"constructor"}\n{}'
    expect(knock(body({}, items), ours, relayed)).toMatchObject({
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

  it('may have no items', () => {
    expect(knock(Buffer.from('{}'), ours, relayed)).toMatchObject({ ok: true, value: { quantities: [] } })
  })

  it('of a captured browser is known by the DSN in its header', () => {
    const admitted = knock(capturedBytes('envelopes/browser-11.8-replay'), nobody, localOnly)
    expect(admitted).toMatchObject({ ok: true, value: { publicKey: 'publickey', project: '42' } })
    expect(admitted.ok && admitted.value.quantities.map((one) => one.category)).toEqual(['replay', 'replay'])
  })
})

describe('a bare event of an old SDK', () => {
  const event = Buffer.from(
    '{"event_id":"e7e61c49bce441e98fb7dfb591bbfc26","message":"x","dsn":"https://def@evil.test/7"}',
  )

  it('is admitted by the key and project of its request, and counts as an error', () => {
    expect(admit('store', event, ours, relayed)).toEqual({
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
    ['names nobody', event, nobody, 401],
    ['names somebody else', event, { project: '42', key: 'def' }, 403],
    ['is no JSON', Buffer.from('eJy1VlFv'), ours, 400],
    ['is empty', Buffer.alloc(0), ours, 400],
  ])('that %s is refused', (_name, bytes, claim, status) => {
    expect(admit('store', bytes, claim, relayed)).toMatchObject({ ok: false, error: { status } })
  })
})
