import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { NO_FRAMING_LIMITS } from '../../../lib/protocol/envelope'
import { parseRecord } from '../../../lib/protocol/record'
import { ENDPOINTS, isEnvelope, isOtlp } from '../../../lib/protocol/request'
import { valueIn } from '../value-in'
import { capturedBytes } from './captured'

const eventId = 'e7e61c49bce441e98fb7dfb591bbfc26'

describe('a record', () => {
  it.each(ENDPOINTS.filter(isEnvelope))('a record that came by %s frames as an envelope', (endpoint) => {
    const framed = parseRecord(endpoint, capturedBytes('envelopes/cli-2.58-event'))
    expect(framed).toMatchObject({ ok: true, value: { items: [{ header: { type: 'event', length: 549 } }] } })
  })

  it.each(ENDPOINTS.filter(isOtlp))('a record that came by %s is one item that spans the whole body', (endpoint) => {
    const body = Uint8Array.of(0x0a, 0x00)
    expect(parseRecord(endpoint, body)).toMatchObject({
      ok: true,
      value: { items: [{ header: { type: endpoint }, payload: body }] },
    })
  })

  it.each([
    ['event', { event_id: eventId, message: 'x' }],
    ['transaction', { event_id: eventId, type: 'transaction' }],
    ['event', { event_id: eventId, type: 'default' }],
  ])('a bare %s becomes one item that spans the whole body', (type, event) => {
    const body = Buffer.from(JSON.stringify(event))
    const framed = valueIn(parseRecord('store', body))
    expect(framed.header).toEqual({ event_id: eventId })
    expect(framed.items).toMatchObject([{ header: { type }, start: 0, payloadStart: 0, payloadEnd: body.length }])
    expect(framed.items[0]?.payload).toBe(body)
  })

  it.each([
    ['deflated', deflateSync(JSON.stringify({ event_id: eventId, message: 'ü' })).toString('base64')],
    ['as it is', Buffer.from(JSON.stringify({ event_id: eventId, message: 'ü' })).toString('base64')],
    [
      'in lines',
      Buffer.from(JSON.stringify({ event_id: eventId, message: 'ü' }))
        .toString('base64')
        .replace(/.{20}/g, '$&\r\n'),
    ],
  ])('a bare event in base64, %s, becomes its decoded JSON and spans the whole body', (_name, base64) => {
    const body = Buffer.from(base64)
    const framed = valueIn(parseRecord('store', body))
    expect(framed.header).toEqual({ event_id: eventId })
    expect(framed.items).toMatchObject([{ header: { type: 'event' }, start: 0, payloadEnd: body.length }])
    expect(JSON.parse(Buffer.from(framed.items[0]?.payload ?? []).toString())).toEqual({
      event_id: eventId,
      message: 'ü',
    })
  })

  it('a bare event is inflated up to the limit of events', () => {
    const limits = { ...NO_FRAMING_LIMITS, event: 1000 }
    const event = (size: number) => JSON.stringify({ m: 'x'.repeat(size - 8) })
    const ways = [
      (json: string) => json,
      (json: string) => Buffer.from(json).toString('base64'),
      (json: string) => deflateSync(json).toString('base64'),
    ]
    for (const write of ways) {
      expect(parseRecord('store', Buffer.from(write(event(1000))), limits)).toMatchObject({ ok: true })
      expect(parseRecord('store', Buffer.from(write(event(1001))), limits)).toMatchObject({
        ok: false,
        error: { code: 'payload_too_large', message: "envelope exceeded size limits for type 'event'" },
      })
    }
  })

  it.each([
    ['one report', '{"csp-report":{"document-uri":"https://app.test/"}}'],
    ['several', '[{"type":"csp-violation","body":{}},{"type":"deprecation","body":{}}]'],
  ])('the body of %s of a browser becomes one item that spans the whole body', (_name, report) => {
    const body = Buffer.from(report)
    const framed = parseRecord('security', body)
    expect(framed).toMatchObject({ ok: true, value: { header: {}, items: [{ header: { type: 'raw_security' } }] } })
    expect(framed.ok && framed.value.items[0]?.payload).toBe(body)
  })

  it.each([
    ['is empty', '', 'empty'],
    ['is no JSON', 'csp', 'header_not_json'],
    ['is a number', '7', 'header_not_json'],
    ['is null', 'null', 'header_not_json'],
  ])('a report is refused when it %s', (_name, body, code) => {
    expect(parseRecord('security', Buffer.from(body))).toMatchObject({ ok: false, error: { code } })
  })

  it('a bare event takes neither DSN nor length from the received JSON', () => {
    const framed = parseRecord('store', Buffer.from('{"dsn":"https://abc@evil.test/1","event_id":7,"length":1}'))
    expect(framed).toMatchObject({ ok: true, value: { header: {}, items: [{ header: { type: 'event' } }] } })
    expect(framed.ok && Object.keys(framed.value.header)).toEqual([])
    expect(framed.ok && Object.keys(framed.value.items[0]?.header ?? {})).toEqual(['type'])
  })

  it.each([
    ['is empty', '', 'empty'],
    ['is base64 cut short', 'eJy1VlFv', 'header_not_json'],
    ['is base64 of a list', Buffer.from('[]').toString('base64'), 'header_not_json'],
    ['is no base64', 'eJy1VlFv!', 'header_not_json'],
    ['is spaces and a sign', `${' '.repeat(1_000_000)}!`, 'header_not_json'],
    ['is a list', '[]', 'header_not_json'],
    ['is an envelope', '{}\n{"type":"event"}\n{}', 'header_not_json'],
    ['is no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'header_not_json'],
  ])('a bare event is refused when it %s', (_name, body, code) => {
    expect(parseRecord('store', Buffer.from(body))).toMatchObject({ ok: false, error: { code } })
  })
})
