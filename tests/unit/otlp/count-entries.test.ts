import { describe, expect, it } from 'vitest'
import { countEntries, findStamp } from '../../../lib/otlp/count-entries'
import { decodeRequest, type OtlpSignal } from '../../../lib/otlp/decode'
import { isStamp } from '../../../lib/protocol/request'
import { encodeRequest, logsRequest, metricsRequest, SPAN, textAttribute, tracesRequest } from './requests'

function decoded(signal: OtlpSignal, encoding: 'json' | 'protobuf', request: object) {
  const read = decodeRequest(signal, encoding, encodeRequest(signal, encoding, request))
  if (!read.ok) throw new Error(read.error)
  return read.value
}

const stamped = (...stamps: readonly (string | null)[]) =>
  stamps.map((stamp) => ({
    ...SPAN,
    attributes: stamp === null ? [] : [textAttribute('other', 'x'), textAttribute('waystation.stamp', stamp)],
  }))

const withResource = (stamp: string, ...spans: readonly object[]) => ({
  resourceSpans: [{ resource: { attributes: [textAttribute('waystation.stamp', stamp)] }, scopeSpans: [{ spans }] }],
})

describe.each(['json', 'protobuf'] as const)('findStamp in %s', (encoding) => {
  it.each([
    ['that every span has', tracesRequest(...stamped('mine', 'mine')), 'mine'],
    ['of the resource', withResource('mine', ...stamped(null, null)), 'mine'],
    ['of the spans, where the resource has another', withResource('ours', ...stamped('mine')), 'mine'],
    ['of no span', tracesRequest(...stamped(null)), null],
    ['that some spans do not have', tracesRequest(...stamped('mine', null)), null],
    ['of two tests', tracesRequest(...stamped('mine', 'theirs')), null],
    ['that is invalid', tracesRequest(...stamped('<script>')), null],
  ])('reads a stamp %s', (_case, request, stamp) => {
    expect(findStamp('traces', decoded('traces', encoding, request), isStamp)).toBe(stamp)
  })

  it('reads the stamp of log records', () => {
    const request = logsRequest({ attributes: [textAttribute('waystation.stamp', 'mine')] })
    expect(findStamp('logs', decoded('logs', encoding, request), isStamp)).toBe('mine')
  })
})

describe.each(['json', 'protobuf'] as const)('countEntries in %s', (encoding) => {
  it('counts data points, and each metric without data as one invalid entry', () => {
    const data = { gauge: { dataPoints: [{ asInt: '1' }, { asDouble: 2 }] } }
    const request = metricsRequest({ name: 'a', ...data }, { name: 'b' }, { name: 'c', sum: { dataPoints: [] } })
    expect(countEntries('metrics', decoded('metrics', encoding, request))).toEqual({ valid: 2, invalid: 1 })
  })

  it('counts spans without valid ids or start as invalid', () => {
    const request = tracesRequest(
      SPAN,
      { ...SPAN, traceId: '' },
      { ...SPAN, spanId: '0000000000000000' },
      { ...SPAN, startTimeUnixNano: '0' },
    )
    expect(countEntries('traces', decoded('traces', encoding, request))).toEqual({ valid: 1, invalid: 3 })
  })
})
