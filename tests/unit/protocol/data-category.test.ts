import { describe, expect, it } from 'vitest'
import { categoryOf, quantityOf } from '../../../lib/protocol/data-category'
import { capturedEnvelope } from './captured'

/** A payload large enough for every item_count of these tests. */
const ROOMY = { length: 1_000_000 }

describe('the data category of an item', () => {
  it.each([
    ['event', 'error'],
    ['transaction', 'transaction'],
    ['span', 'span'],
    ['log', 'log_item'],
    ['trace_metric', 'trace_metric'],
    ['session', 'session'],
    ['sessions', 'session'],
    ['client_report', 'internal'],
    ['attachment', 'attachment'],
    ['user_report', 'feedback'],
    ['feedback', 'feedback'],
    ['replay_event', 'replay'],
    ['replay_recording', 'replay'],
    ['profile', 'profile'],
    ['profile_chunk', 'profile_chunk'],
    ['check_in', 'monitor'],
    ['raw_security', 'security'],
    ['statsd', 'metric_bucket'],
  ])('%s counts as %s', (type, category) => {
    expect(quantityOf({ header: { type }, payload: ROOMY })).toEqual({ category, quantity: 1 })
  })

  it.each(['of_tomorrow', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'of the unknown type %s is its name',
    (type) => {
      expect(quantityOf({ header: { type }, payload: ROOMY })).toEqual({ category: type, quantity: 1 })
    },
  )

  it('of an unknown type is cut at 64 characters', () => {
    expect(categoryOf('x'.repeat(65))).toBe('x'.repeat(64))
  })
})

describe('the quantity of a container', () => {
  it.each(['span', 'log', 'trace_metric'])('%s is its item_count', (type) => {
    expect(quantityOf({ header: { type, item_count: 528 }, payload: ROOMY }).quantity).toBe(528)
  })

  it.each([
    ['missing', undefined],
    ['0', 0],
    ['negative', -5],
    ['a fraction', 1.5],
    ['text', '5'],
    ['beyond safe integers', 2 ** 53],
    ['null', null],
  ])('is 1 when item_count is %s', (_name, count) => {
    expect(quantityOf({ header: { type: 'span', item_count: count }, payload: ROOMY }).quantity).toBe(1)
  })

  it('is 1 when item_count is higher than the payload can hold', () => {
    const header = { type: 'span', item_count: 4 }
    expect(quantityOf({ header, payload: { length: 12 } }).quantity).toBe(4)
    expect(quantityOf({ header, payload: { length: 11 } }).quantity).toBe(1)
  })

  it('ignores item_count of items that are no containers', () => {
    expect(quantityOf({ header: { type: 'event', item_count: 9 }, payload: ROOMY })).toEqual({
      category: 'error',
      quantity: 1,
    })
  })

  it('is the number of spans in a captured container', () => {
    const { items } = capturedEnvelope('envelopes/browser-11.8-navigation-spans')
    expect(items.map(quantityOf)).toEqual([{ category: 'span', quantity: 6 }])
  })
})
