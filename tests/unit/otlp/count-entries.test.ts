import { describe, expect, it } from 'vitest'
import { countEntries, findStamp } from '../../../lib/otlp/count-entries'
import { decodeRequest } from '../../../lib/otlp/decode'
import type { OtlpSignal } from '../../../lib/otlp/signals'
import { isStamp } from '../../../lib/protocol/request'
import { valueIn } from '../value-in'
import { encodeRequest, logsRequest, metricsRequest, SPAN, textAttribute, tracesRequest } from './requests'

const decoded = (signal: OtlpSignal, encoding: 'json' | 'protobuf', request: object) =>
  valueIn(decodeRequest(signal, encoding, encodeRequest(signal, encoding, request)))

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
    expect(countEntries('metrics', decoded('metrics', encoding, request))).toEqual({
      valid: 2,
      invalid: 1,
      problem: 'metric "b": needs a gauge, sum, histogram, exponentialHistogram or summary',
    })
  })

  it('counts spans without valid ids or start as invalid', () => {
    const request = tracesRequest(
      SPAN,
      { ...SPAN, traceId: '' },
      { ...SPAN, spanId: '0000000000000000' },
      { ...SPAN, startTimeUnixNano: '0' },
    )
    expect(countEntries('traces', decoded('traces', encoding, request))).toMatchObject({ valid: 1, invalid: 3 })
  })

  it.each([
    [{ traceId: '00' }, 'traceId must be 16 bytes, in JSON 32 hex digits, not all zeros'],
    [{ spanId: '0000000000000000' }, 'spanId must be 8 bytes, in JSON 16 hex digits, not all zeros'],
    [
      { startTimeUnixNano: '0' },
      'startTimeUnixNano must be an integer of nanoseconds since 1970, above 0 and before the year 2255, got "0"',
    ],
  ])('names the first invalid span: %j', (wrong, problem) => {
    const request = tracesRequest(SPAN, { ...SPAN, name: 'first', ...wrong }, { ...SPAN, name: 'second', traceId: '' })
    const counted = countEntries('traces', decoded('traces', encoding, request))
    expect(counted.problem).toMatch(/^span "first": /)
    expect(counted.problem).toContain(problem)
  })

  it('finds no problem in an empty request', () => {
    expect(countEntries('traces', decoded('traces', encoding, {}))).toEqual({ valid: 0, invalid: 0, problem: null })
  })
})

describe('a JSON request without the lists of its signal', () => {
  const problemOf = (request: object) => {
    const read = decodeRequest('traces', 'json', Buffer.from(JSON.stringify(request)))
    return read.ok ? countEntries('traces', read.value).problem : read.error
  }
  it('is named when its names are snake_case', () => {
    for (const request of [
      { resource_spans: [{ scope_spans: [{ spans: [SPAN] }] }] },
      { resourceSpans: [{ scope_spans: [{ spans: [SPAN] }] }] },
    ])
      expect(problemOf(request)).toMatch(
        /^the request has (?:resource|scope)_spans: OTLP\/JSON names are lowerCamelCase, so write (?:resource|scope)Spans$/,
      )
  })

  it('is named when it belongs to another signal', () => {
    expect(problemOf(logsRequest({}))).toBe('the request has resourceLogs: post it to /v1/logs')
  })
})
