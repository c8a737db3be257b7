import { deflateSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { nameEvent } from '../../../lib/protocol/event-id'
import { type Endpoint, parseRecord } from '../../../lib/protocol/record'
import { valueIn } from '../value-in'

const NEW = '0123456789abcdef0123456789abcdef'
const OWN = 'e7e61c49bce441e98fb7dfb591bbfc26'

function named(body: string, endpoint: Endpoint = 'envelope') {
  const bytes = Buffer.from(body)
  const framed = valueIn(parseRecord(endpoint, bytes))
  const { eventId, body: after } = nameEvent(endpoint, framed, bytes, () => NEW)
  return { eventId, after: Buffer.from(after).toString(), isSame: after === bytes }
}

it.each([
  [
    'an empty header',
    '{}\n{"type":"event"}\n{"message":"a"}',
    `{"event_id":"${NEW}"}\n{"type":"event"}\n{"message":"a"}`,
  ],
  [
    'a header with other keys, and white space',
    ' {"dsn":"http://k@h/1", "n": 1.0 }\n{"type":"transaction"}\n{"a":9007199254740993}',
    ` {"dsn":"http://k@h/1", "n": 1.0 ,"event_id":"${NEW}"}\n{"type":"transaction"}\n{"a":9007199254740993}`,
  ],
  [
    'a header over lines',
    '{\n"sdk":{"name":"x"}\n}\n{"type":"event"}\n{"event_id":"no uuid"}',
    `{\n"sdk":{"name":"x"}\n,"event_id":"${NEW}"}\n{"type":"event"}\n{"event_id":"no uuid"}`,
  ],
  [
    'a header whose id is null',
    '{"event_id":null,"a":1}\n{"type":"event"}\n{}',
    `{"event_id":"${NEW}","a":1}\n{"type":"event"}\n{}`,
  ],
])('an event without an id gets one in %s', (_name, body, expected) => {
  expect(named(body)).toMatchObject({ eventId: NEW, after: expected })
  expect(parseRecord('envelope', Buffer.from(expected))).toMatchObject({
    ok: true,
    value: { header: { event_id: NEW } },
  })
})

it.each([
  ['as JSON', '{"message":"a","n":9007199254740993}'],
  ['as base64 of zlib', deflateSync('{"message":"a","n":9007199254740993}').toString('base64')],
  ['as base64 of JSON', Buffer.from('{"message":"a","n":9007199254740993}').toString('base64')],
])('an event without an id gets one at the store endpoint: %s', (_name, body) => {
  expect(named(body, 'store')).toMatchObject({
    eventId: NEW,
    after: `{"message":"a","n":9007199254740993,"event_id":"${NEW}"}`,
  })
})

it('an event without an id gets one at the store endpoint in place of a number', () => {
  expect(JSON.parse(named('{"event_id":7}', 'store').after)).toEqual({ event_id: NEW })
})

it.each([
  ['an event with an id in the header', `{"event_id":"${OWN}"}\n{"type":"event"}\n{}`, OWN],
  ['an event with an id in its payload', `{}\n{"type":"event"}\n{"event_id":"${OWN}"}`, OWN],
  ['an envelope without event', '{}\n{"type":"session"}\n{}', null],
  ['an event that is not JSON', '{}\n{"type":"event"}\nnone', null],
])('%s keeps its bytes', (_name, body, eventId) => {
  expect(named(body)).toMatchObject({ eventId, isSame: true })
})
