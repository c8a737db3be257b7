import { describe, expect, it } from 'vitest'
import { attributeChanges } from '../../../dashboards/traces/views/attribute-changes'
import { bytesOf } from '../../../dashboards/traces/views/compare-view'
import { medianTrace } from '../../../dashboards/traces/views/other-trace'
import { submissionIn, traceOf } from './drawn-trace'

describe('the median of traces', () => {
  /** Traces with these durations, the newest first; their ids are their positions. */
  const medianOf = (...durations: readonly number[]) =>
    medianTrace(durations.map((durationUs, at) => traceOf({ summary: { traceId: `${at}`, durationUs } }).summary))
      ?.traceId

  it('is the one with the median of the durations, the lower one of an even number', () => {
    expect(medianOf(30, 10, 20)).toBe('2')
    expect(medianOf(40, 10, 30, 20)).toBe('3')
    expect(medianOf(100, 9, 8, 7, 6)).toBe('2')
  })

  it('is the newest of those with the same duration', () => {
    expect(medianOf(9, 5, 1, 5, 5)).toBe('1')
  })

  it('needs three traces', () => {
    expect([medianOf(), medianOf(1), medianOf(1, 2)]).toEqual([undefined, undefined, undefined])
  })
})

describe('the attributes of two spans', () => {
  it('differ where one is missing or has another value, by name', () => {
    const a = { route: '/a', 'db.rows': 3, gone: null, nested: { list: [1, 2] }, same: { list: [1, 2] } }
    const b = { new: 'x', route: '/b', 'db.rows': '3', nested: { list: [2, 1] }, same: { list: [1, 2] } }
    expect(attributeChanges(a, b)).toEqual([
      { name: 'db.rows', a: 3, b: '3' },
      { name: 'gone', a: null, b: undefined },
      { name: 'nested', a: { list: [1, 2] }, b: { list: [2, 1] } },
      { name: 'new', a: undefined, b: 'x' },
      { name: 'route', a: '/a', b: '/b' },
    ])
  })

  it('have no values from the prototype', () => {
    expect(attributeChanges({}, { constructor: 1 })).toEqual([{ name: 'constructor', a: undefined, b: 1 }])
  })
})

describe('the bytes of a trace', () => {
  it('are those of its envelopes without copies', () => {
    expect(bytesOf({ submissions: [submissionIn(1, { bytes: 100 }), submissionIn(2, { bytes: 20 })] })).toBe(120)
    const copies = [submissionIn(2, { bytes: 99, copy: true }), submissionIn(3, { bytes: 1, copy: true })]
    expect(bytesOf({ submissions: [submissionIn(1, { bytes: 100 }), ...copies] })).toBe(100)
    expect(bytesOf({ submissions: copies })).toBe(100)
  })
})
