import { describe, expect, it } from 'vitest'
import { payloadOf } from '../../../dashboards/envelopes/item-payload'
import { durationShare } from '../../../dashboards/traces/traces-board'
import type { EnvelopeDetail } from '../../../lib/wire/envelope'

it('a duration bar loses a quarter for each power of ten below the longest', () => {
  const shares = [1000, 100, 10, 1, 0.1, 0].map((durationUs) => durationShare(durationUs, 1000))
  expect(shares).toEqual([1, 0.75, 0.5, 0.25, 0, 0])
  expect([durationShare(0, 0), durationShare(5, 1)]).toEqual([0, 1])
})

describe('a payload', () => {
  const item = (more: Partial<EnvelopeDetail['items'][number]>): EnvelopeDetail['items'][number] => ({
    index: 0,
    type: 'event',
    category: 'error',
    quantity: 1,
    bytes: 10,
    deliveryStatus: { name: 'kept', reason: null },
    problem: null,
    header: {},
    text: '{"a":1}',
    truncated: false,
    ...more,
  })

  it('is indented JSON, plain text, binary or empty', () => {
    expect(payloadOf(item({}))).toEqual({
      kind: 'text',
      text: '{\n  "a": 1\n}',
      lines: 3,
      truncated: false,
      json: { a: 1 },
    })
    expect(payloadOf(item({ text: '{"id":12345678901234567890}' }))).toMatchObject({
      json: { id: '12345678901234567890' },
    })
    expect(payloadOf(item({ truncated: true }))).toMatchObject({ kind: 'text', json: undefined })
    expect(payloadOf(item({ text: '<b>x</b>', truncated: true }))).toEqual({
      kind: 'text',
      text: '<b>x</b>',
      lines: 1,
      truncated: true,
    })
    expect(payloadOf(item({ text: null }))).toEqual({ kind: 'binary' })
    expect(payloadOf(item({ bytes: 0, text: '' }))).toEqual({ kind: 'empty' })
  })
})
