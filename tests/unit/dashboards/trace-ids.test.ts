import { describe, expect, it } from 'vitest'
import { formOf, namesTraces, traceIdsIn } from '../../../dashboards/envelopes/item-payload'

const A = 'aaaabbbbccccddddaaaabbbbccccdddd'
const B = '11112222333344441111222233334444'

describe('the traces of a log or metric item', () => {
  it('are the distinct ids of its entries', () => {
    const items = [{ trace_id: A }, { trace_id: B }, { body: 'without' }, { trace_id: A }]
    expect(traceIdsIn(JSON.stringify({ items }))).toEqual([A, B])
    expect(traceIdsIn(JSON.stringify({ items }, null, 2))).toEqual([A, B])
  })

  it('are found in the spelling of OTLP/JSON', () => {
    expect(traceIdsIn(`{"resourceLogs":[{"traceId": "${A.toUpperCase()}"}]}`)).toEqual([A])
  })

  it('are found in a cut payload', () => {
    expect(traceIdsIn(`{"items":[{"trace_id":"${A}"},{"trace_id":"1111`)).toEqual([A])
  })

  it('are not taken from quoted text', () => {
    expect(traceIdsIn(JSON.stringify({ items: [{ body: `{"trace_id":"${A}"}` }] }))).toEqual([])
    expect(traceIdsIn('{"trace_id":"short"}')).toEqual([])
  })

  it.each(['log', 'trace_metric', 'otlp_traces', 'otlp_logs', 'otlp_metrics'])('are searched in a %s', (type) => {
    expect(namesTraces(type)).toBe(true)
  })

  it.each(['event', 'transaction', 'attachment'])('are not searched in a %s', (type) => {
    expect(namesTraces(type)).toBe(false)
  })
})

it.each([
  ['application/x-protobuf', 'protobuf'],
  ['application/json; charset=utf-8', 'json'],
  [null, 'json'],
])('the encoding of a request of type %s is %s', (contentType, form) => {
  expect(formOf(contentType)).toBe(form)
})
