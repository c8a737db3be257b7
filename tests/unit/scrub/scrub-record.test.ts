import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseRecord } from '../../../lib/protocol/record'
import { scrubRecord } from '../../../lib/scrub/scrub-record'
import { capturedBytes, capturedNames } from '../protocol/captured'

const HEADER = '{"dsn":"http://k@h/1","sent_at":"2026-11-20T10:00:00.000Z"}'
const bytesOf = (...lines: string[]): Uint8Array => Buffer.from(lines.join('\n'))
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe('a record', () => {
  it('is scrubbed item by item; headers keep what is needed to parse an item, with a new length', () => {
    const before = '{"message":"a@example.com"}'
    const after = '{"message":"[Filtered]"}'
    const body = bytesOf(
      HEADER,
      `{ "type":"event" , "length": ${before.length}, "x":"length" }`,
      before,
      '{"type":"attachment","length":13,"filename":"a@example.com"}',
      'a@example.com',
      '{"type":"log","item_count":1}',
      '{"items":[{"body":"token=abc"}]}',
      '',
    )
    const { body: scrubbed, removed } = scrubRecord('envelope', body, 'on')
    expect(textOf(scrubbed)).toBe(
      textOf(body)
        .replace(`"length": ${before.length}`, `"length": ${after.length}`)
        .replace(before, after)
        .replace('"filename":"a@example.com"', '"filename":"[Filtered]"')
        .replace('token=abc', 'token=[Filtered]'),
    )
    expect(removed).toEqual([
      { rule: 'email', path: '0.message' },
      { rule: 'email', path: '1.header.filename' },
      { rule: 'parameter', path: '2.items.0.body' },
    ])
  })

  it.each([
    ['a name with an escape', '{"type":"event","l\\u0065ngth":27}', '{"type":"event","l\\u0065ngth":24}'],
    ['an exponent', '{"type":"event","length":2.7e1}', '{"type":"event","length":24}'],
    [
      'a length that is there twice',
      '{"length":1,"type":"event","length" : 27}',
      '{"length":24,"type":"event","length" : 24}',
    ],
    [
      'a length of something else',
      '{"type":"event","a":{"length":5},"length":27}',
      '{"type":"event","a":{"length":5},"length":24}',
    ],
    ['no length', '{"type":"event","length":null}', '{"type":"event","length":null}'],
  ])('has the new length with %s', (_what, before, after) => {
    const { body } = scrubRecord('envelope', bytesOf(HEADER, before, '{"message":"a@example.com"}'), 'on')
    expect(textOf(body)).toBe(`${HEADER}\n${after}\n{"message":"[Filtered]"}`)
    expect(parseRecord('envelope', body).ok).toBe(true)
  })

  it('is the same array where nothing is removed, and in report mode', () => {
    const clean = bytesOf(HEADER, '{"type":"event"}', '{"message":"ok"}')
    expect(scrubRecord('envelope', clean, 'on')).toEqual({ body: clean, removed: [] })
    expect(scrubRecord('envelope', clean, 'on').body).toBe(clean)
    const dirty = bytesOf(HEADER, '{"type":"event"}', '{"message":"a@example.com"}')
    const reported = scrubRecord('envelope', dirty, 'report')
    expect(reported.body).toBe(dirty)
    expect(reported.removed).toEqual([{ rule: 'email', path: '0.message' }])
  })

  it.each([
    'event',
    'transaction',
    'span',
    'log',
    'trace_metric',
    'session',
    'sessions',
    'user_report',
    'feedback',
    'replay_event',
    'check_in',
    'profile',
    'profile_chunk',
    'profile_chunk_ui',
    'raw_security',
    'nel',
  ])('loses the secret in an item of type %s', (type) => {
    const { body } = scrubRecord('tunnel', bytesOf(HEADER, JSON.stringify({ type }), '{"a":"a@example.com"}'), 'on')
    expect(textOf(body)).toContain('{"a":"[Filtered]"}')
  })

  it.each(['attachment', 'replay_recording', 'replay_video', 'client_report', 'statsd', 'constructor', 'unheard_of'])(
    'keeps an item of type %s as it is',
    (type) => {
      const body = bytesOf(HEADER, JSON.stringify({ type }), '{"a":"a@example.com"}')
      expect(scrubRecord('tunnel', body, 'on').body).toBe(body)
    },
  )

  it('keeps a profile whose JSON is followed by other bytes', () => {
    const body = bytesOf(HEADER, '{"type":"profile_chunk","meta_length":21}', '{"a":"a@example.com"}""')
    expect(scrubRecord('tunnel', body, 'on').body).toBe(body)
  })

  it('a record in base64, from an old SDK, becomes plain JSON', () => {
    const event = '{"event_id":"0123456789abcdef0123456789abcdef","message":"a@example.com"}'
    for (const body of [event, Buffer.from(event).toString('base64'), deflateSync(event).toString('base64')]) {
      const { body: scrubbed, removed } = scrubRecord('store', Buffer.from(body), 'on')
      expect(textOf(scrubbed)).toBe(event.replace('a@example.com', '[Filtered]'))
      expect(removed).toEqual([{ rule: 'email', path: '0.message' }])
      expect(parseRecord('store', scrubbed).ok).toBe(true)
    }
  })

  it('a record of browser reports loses their secrets', () => {
    const { body } = scrubRecord('security', Buffer.from('[{"body":{"blockedURL":"https://x.test/?token=1"}}]'), 'on')
    expect(textOf(body)).toBe('[{"body":{"blockedURL":"https://x.test/?token=[Filtered]"}}]')
  })

  it('a record that cannot be parsed is unchanged', () => {
    const body = Buffer.from('a@example.com')
    expect(scrubRecord('envelope', body, 'on')).toEqual({ body, removed: [] })
  })

  it.each(['password=hunter2', '{"password":"hunter2"}', 'a@example.com token', '4111111111111111'])(
    'tells no place by a name that holds a secret, as %j',
    (name) => {
      const body = bytesOf(HEADER, '{"type":"event"}', JSON.stringify({ extra: { [name]: 'token=x' } }))
      expect(scrubRecord('envelope', body, 'on').removed.map(({ path }) => path)).toEqual(['0.extra._'])
    },
  )

  it('reports the first 200 removals, and removes all', () => {
    const messages = Array.from({ length: 300 }, () => ({ token: 'x' }))
    const { body, removed } = scrubRecord(
      'envelope',
      bytesOf(HEADER, '{"type":"event"}', JSON.stringify(messages)),
      'on',
    )
    expect(removed).toHaveLength(200)
    expect(textOf(body).match(/\[Filtered\]/g)).toHaveLength(300)
  })

  it('reports equal paths once', () => {
    const body = bytesOf(HEADER, '{"type":"event"}', `{${'"token":"x",'.repeat(5000)}"password":"x"}`)
    expect(scrubRecord('envelope', body, 'on').removed).toEqual([{ rule: 'key', path: '0.token' }])
  })

  it.each([
    ['a name that is long', 'n'.repeat(5000), `0.${'n'.repeat(63)}….password`],
    ['a name that is markup', '<img src=x onerror=alert(1)>\u202e\u0000', '0._img_src_x_onerror_alert_1____.password'],
    ['a name that is a secret', 'alice@example.com', '0._.password'],
    ['a name of another script', 'имя', '0.имя.password'],
    ['a name that every object has', '__proto__', '0.__proto__.password'],
  ])('reports the path past %s', (_what, name, path) => {
    const body = bytesOf(HEADER, '{"type":"event"}', `{${JSON.stringify(name)}:{"password":"x"}}`)
    expect(scrubRecord('envelope', body, 'on').removed).toEqual([{ rule: 'key', path }])
  })

  it('reports paths of at most 200 characters', () => {
    const payload = `${'{"a":'.repeat(200)}{"password":"x"}${'}'.repeat(200)}`
    const [removed] = scrubRecord('envelope', bytesOf(HEADER, '{"type":"event"}', payload), 'on').removed
    expect(removed?.path).toHaveLength(200)
    expect(removed?.path).toMatch(/^0\.a\.a.*…$/)
  })
})

it.each(capturedNames)('the captured envelope %s keeps its items, and nothing is removed twice', (name) => {
  const bytes = capturedBytes(name)
  const before = parseRecord('envelope', bytes)
  const { body, removed } = scrubRecord('envelope', bytes, 'on')
  const after = parseRecord('envelope', body)
  if (!before.ok || !after.ok) return expect.fail('it cannot be framed')
  expect(after.value.items.map(({ header }) => header.type)).toEqual(
    before.value.items.map(({ header }) => header.type),
  )
  expect(scrubRecord('envelope', bytes, 'report')).toEqual({ body: bytes, removed })
  expect(scrubRecord('envelope', body, 'on')).toEqual({ body, removed: [] })
})
