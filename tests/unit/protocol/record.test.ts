import { describe, expect, it } from 'vitest'
import { DOORS, frameRecord } from '../../../lib/protocol/record'
import { capturedBytes } from './captured'

const eventId = 'e7e61c49bce441e98fb7dfb591bbfc26'

describe('a record', () => {
  it.each(DOORS.filter((door) => door !== 'store'))('that came by %s frames as an envelope', (door) => {
    const framed = frameRecord(door, capturedBytes('envelopes/cli-2.58-event'))
    expect(framed).toMatchObject({ ok: true, value: { items: [{ header: { type: 'event', length: 549 } }] } })
  })

  it.each([
    ['event', { event_id: eventId, message: 'x' }],
    ['transaction', { event_id: eventId, type: 'transaction' }],
    ['event', { event_id: eventId, type: 'default' }],
  ])('that is a bare %s frames as one item of the whole body', (type, event) => {
    const body = Buffer.from(JSON.stringify(event))
    const framed = frameRecord('store', body)
    if (!framed.ok) throw new Error(framed.error.message)
    expect(framed.value.header).toEqual({ event_id: eventId })
    expect(framed.value.items).toMatchObject([{ header: { type }, start: 0, payloadStart: 0, payloadEnd: body.length }])
    expect(framed.value.items[0]?.payload).toBe(body)
  })

  it('that is a bare event takes neither a DSN nor a length from what was received', () => {
    const framed = frameRecord('store', Buffer.from('{"dsn":"https://abc@evil.test/1","event_id":7,"length":1}'))
    expect(framed).toMatchObject({ ok: true, value: { header: {}, items: [{ header: { type: 'event' } }] } })
    expect(framed.ok && Object.keys(framed.value.header)).toEqual([])
    expect(framed.ok && Object.keys(framed.value.items[0]?.header ?? {})).toEqual(['type'])
  })

  it.each([
    ['is empty', '', 'empty'],
    ['is base64', 'eJy1VlFv', 'header_not_json'],
    ['is a list', '[]', 'header_not_json'],
    ['is an envelope', '{}\n{"type":"event"}\n{}', 'header_not_json'],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'header_not_json'],
  ])('that should be a bare event and %s is refused', (_name, body, code) => {
    expect(frameRecord('store', Buffer.from(body))).toMatchObject({ ok: false, error: { code } })
  })
})
