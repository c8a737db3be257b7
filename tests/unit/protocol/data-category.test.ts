import { describe, expect, it } from 'vitest'
import { categoryOf, quantityOf } from '../../../lib/protocol/data-category'
import { capturedEnvelope } from './captured'

/** A payload large enough for every item_count of these tests. */
const ROOMY = { length: 1_000_000 }

describe('the data category of an item', () => {
  /** Relay's `Item::quantities` (relay-server/src/envelope/item.rs). It does not count the types marked with *. */
  it.each([
    ['event', 'error'],
    ['transaction', 'transaction'],
    ['security', 'security'],
    ['raw_security', 'security'],
    ['nel *', 'nel'],
    ['unreal_report', 'error'],
    ['attachment', 'attachment'],
    ['session', 'session'],
    ['sessions', 'session'],
    ['statsd *', 'metric_bucket'],
    ['metric_buckets *', 'metric_bucket'],
    ['log', 'log_item'],
    ['trace_metric', 'trace_metric'],
    ['form_data *', 'form_data'],
    ['user_report', 'feedback'],
    ['feedback', 'feedback'],
    ['profile', 'profile'],
    ['replay_event', 'replay'],
    ['replay_recording', 'replay'],
    ['replay_video', 'replay'],
    ['client_report *', 'internal'],
    ['check_in', 'monitor'],
    ['span', 'span'],
    ['otel_span', 'span'],
    ['otlp_traces', 'span'],
    ['otlp_logs', 'log_item'],
    ['otlp_metrics', 'trace_metric'],
    ['profile_chunk', 'profile_chunk'],
    ['profile_chunk_ui', 'profile_chunk_ui'],
  ])('%s counts as %s', (marked, category) => {
    const type = marked.replace(' *', '')
    expect(quantityOf({ header: { type }, payload: ROOMY })).toEqual({ category, quantity: 1 })
  })

  it.each([
    ['javascript', 'profile_chunk_ui'],
    ['cocoa', 'profile_chunk_ui'],
    ['android', 'profile_chunk_ui'],
    ['node', 'profile_chunk'],
    ['python', 'profile_chunk'],
    [7, 'profile_chunk'],
    [undefined, 'profile_chunk'],
  ])('the category of a profile chunk of platform %j is %s', (platform, category) => {
    expect(quantityOf({ header: { type: 'profile_chunk', platform }, payload: ROOMY }).category).toBe(category)
  })

  it('the category of an empty type is unnamed', () => {
    expect(categoryOf('')).toBe('unnamed')
  })

  it.each(['of_tomorrow', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'the category of the unknown type %s is its name',
    (type) => {
      expect(quantityOf({ header: { type }, payload: ROOMY })).toEqual({ category: type, quantity: 1 })
    },
  )

  it('the category of an unknown type is cut at 64 characters', () => {
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

  it('ignores item_count of items that are not containers', () => {
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
