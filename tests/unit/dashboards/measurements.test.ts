import { describe, expect, it } from 'vitest'
import {
  bucketsOf,
  bucketsText,
  measurementText,
  quantilesOf,
  typeText,
  unitText,
} from '../../../dashboards/signals/measurement-text'

it.each([
  [{ value: 12.5, unit: 'ms' }, '12.5 ms'],
  [{ value: 0, unit: '1' }, '0'],
  [{ value: 0.1 + 0.2, unit: 's' }, '0.3 s'],
  [{ value: 1_234_567, unit: 'By' }, '1234567 By'],
  [{ value: '9223372036854775807' }, '9223372036854775807'],
  [{ value: 'NaN', unit: 'ms' }, 'NaN ms'],
  [{ value: null, unit: 'ms' }, null],
  [{ count: 1, value: null, unit: 'ms' }, '1 value'],
  [{ count: 1200, value: 310, unit: 'ms' }, '1,200 values · sum 310 ms'],
  [{ count: '18446744073709551615', value: 1 }, '18446744073709551615 values · sum 1'],
  [{ count: 2, value: 95, min: 5, max: 90, unit: 'ms' }, '2 values · sum 95 · 5 to 90 ms'],
  [{ count: 2, value: 95, min: 5, max: null }, '2 values · sum 95'],
  [{ count: 2, value: 10_233.46, min: 0.123_456, max: 812.25 }, '2 values · sum 10233 · 0.1235 to 812.3'],
  [{ value: {}, count: [] }, null],
])('the measurement %j is listed as %s', (fields, text) => {
  expect(measurementText(fields)).toBe(text)
})

it.each([
  [{ type: 'gauge' }, 'gauge'],
  [{ type: 'sum', temporality: 'delta' }, 'sum · delta'],
  [{ type: 'histogram', temporality: 'unspecified' }, 'histogram'],
  [{ type: 7 }, null],
])('a measurement of type %j is listed as %s', (fields, text) => {
  expect(typeText(fields)).toBe(text)
})

it.each([
  ['ms', 'ms'],
  ['{request}', 'request'],
  ['{request}/s', '{request}/s'],
  ['1', null],
  ['none', null],
  ['', null],
  [undefined, null],
])('a measurement in a list has unit %j as %s', (unit, text) => {
  expect(unitText(unit)).toBe(text)
})

describe('the buckets of a histogram', () => {
  const fields = { type: 'histogram', bounds: [0, 5, 10.5], buckets: [0, 2, 7, '3'] }

  it('end at their bounds, which belong to the lower bucket', () => {
    expect(bucketsOf(fields)?.map(({ range, to, count }) => [range, to, count])).toEqual([
      ['(−∞, 0]', '0', 0],
      ['(0, 5]', '5', 2],
      ['(5, 10.5]', '10.5', 7],
      ['(10.5, +∞)', null, '3'],
    ])
  })

  it('are one sentence', () => {
    expect(bucketsText(bucketsOf(fields) ?? [], 'ms')).toBe(
      '12 values in 3 of 4 buckets; the largest is (5, 10.5] ms with 7.',
    )
    expect(bucketsText(bucketsOf({ ...fields, buckets: [0, 0, 0, 0] }) ?? [], null)).toBe('4 empty buckets.')
  })

  it('have sizes for counts above 2^53', () => {
    const [first] = bucketsOf({ type: 'histogram', bounds: [], buckets: ['18446744073709551615'] }) ?? []
    expect(first).toMatchObject({ range: '(−∞, +∞)', count: '18446744073709551615', size: 2 ** 64 })
  })

  it('are absent for a histogram that has none, and for other metrics', () => {
    expect([bucketsOf({ ...fields, buckets: [] }), bucketsOf({ ...fields, type: 'gauge' }), bucketsOf({})]).toEqual([
      null,
      null,
      null,
    ])
    expect(bucketsOf({ type: 'histogram', bounds: 'x', buckets: {} })).toBeNull()
  })
})

describe('the buckets of an exponential histogram', () => {
  const empty = {
    type: 'exponential_histogram',
    scale: 0,
    zeroCount: 0,
    zeroThreshold: 0,
    positive: null,
    negative: null,
  }

  it('run from the lowest negative value over zero to the highest value', () => {
    const fields = {
      ...empty,
      zeroCount: 4,
      positive: { offset: 1, counts: [1, 2] },
      negative: { offset: 0, counts: [5, 6] },
    }
    expect(bucketsOf(fields)?.map(({ range, count }) => [range, count])).toEqual([
      ['[−4, −2)', 6],
      ['[−2, −1)', 5],
      ['0', 4],
      ['(2, 4]', 1],
      ['(4, 8]', 2],
    ])
  })

  it('have bounds by their scale, also below 1', () => {
    const ranges = (scale: number, offset: number) =>
      bucketsOf({ ...empty, scale, positive: { offset, counts: [1, 1] } })?.map(({ range }) => range)
    expect(ranges(1, 0)).toEqual(['(1, 1.414]', '(1.414, 2]'])
    expect(ranges(-1, -1)).toEqual(['(0.25, 1]', '(1, 4]'])
  })

  it('show the zero threshold, and no zero bucket without values', () => {
    expect(bucketsOf({ ...empty, zeroCount: 1, zeroThreshold: 0.5 })?.map(({ range }) => range)).toEqual([
      '[−0.5, 0.5]',
    ])
    expect(bucketsOf(empty)).toBeNull()
  })
})

it('the quantiles of a summary have names of percentiles', () => {
  const quantiles = [0, 0.5, 0.999, 1].map((quantile, at) => ({ quantile, value: at + 0.5 }))
  expect(quantilesOf({ type: 'summary', unit: 'ms', quantiles })).toEqual([
    { name: 'min', value: '0.5 ms' },
    { name: 'p50', value: '1.5 ms' },
    { name: 'p99.9', value: '2.5 ms' },
    { name: 'max', value: '3.5 ms' },
  ])
})

it('the quantiles of a summary are absent for other metrics', () => {
  expect(quantilesOf({ type: 'gauge', quantiles: [{ quantile: 0, value: 1 }] })).toBeNull()
  expect(quantilesOf({ type: 'summary', quantiles: [] })).toBeNull()
})
