import { describe, expect, it } from 'vitest'
import { parseTransaction } from '../../../../lib/protocol/items/transaction'
import { segmentFromTransaction } from '../../../../lib/protocol/trace/segment'
import { buildSpanTree } from '../../../../lib/protocol/trace/span-tree'
import { valueIn } from '../../value-in'
import { capturedPayload } from '../captured'
import { draw, outline } from './drawing'

const traceId = 'a'.repeat(32)
const id = (letter: string): string => letter.padStart(16, '0')

/** Builds a transaction from a drawing: the first span is that of the segment. Times are seconds, as SDKs send them. */
function transactionOf(drawing: string, more: Record<string, unknown> = {}, trace: Record<string, unknown> = {}) {
  const [own, ...children] = draw(drawing)
  if (own === undefined) throw new Error('nothing drawn')
  const wire = {
    type: 'transaction',
    event_id: 'b'.repeat(32),
    platform: 'javascript',
    transaction: '/docs',
    start_timestamp: own.startUs / 1e6,
    timestamp: own.endUs / 1e6,
    contexts: { trace: { trace_id: traceId, span_id: id(own.spanId), op: 'pageload', ...trace } },
    spans: children.map((span) => ({
      trace_id: traceId,
      span_id: id(span.spanId),
      ...(span.parentSpanId !== null && { parent_span_id: id(span.parentSpanId) }),
      start_timestamp: span.startUs / 1e6,
      timestamp: span.endUs / 1e6,
      description: span.spanId,
    })),
    ...more,
  }
  const parsed = valueIn(parseTransaction(Buffer.from(JSON.stringify(wire)), null))
  return segmentFromTransaction(parsed)
}

describe('the segment of a transaction', () => {
  const drawn = transactionOf(`
    a       |--------|
    b < a     |---|
    c < b      |-|
    d              ||
  `)

  it('is the transaction', () => {
    expect(drawn.segment).toMatchObject({
      traceId,
      segmentId: id('a'),
      parentSpanId: null,
      name: '/docs',
      op: 'pageload',
      lifecycle: 'static',
      service: 'browser',
    })
    expect(drawn.segment.endUs - drawn.segment.startUs).toBe(9000)
  })

  it('has its own span first, then its children, all in one segment', () => {
    expect(drawn.spans.map((span) => [span.name, span.isSegment, span.segmentId])).toEqual([
      ['/docs', true, id('a')],
      ['b', false, id('a')],
      ['c', false, id('a')],
      ['d', false, id('a')],
    ])
  })

  it('has a child without a parent below its own span', () => {
    const short = drawn.spans.map((span) => ({
      ...span,
      spanId: span.spanId.replace(/^0+/, ''),
      parentSpanId: span.parentSpanId?.replace(/^0+/, '') ?? null,
    }))
    expect(outline(buildSpanTree(short).roots)).toBe('a\n  b\n    c\n  d\n')
  })

  it('keeps the parent that another service names', () => {
    const { segment, spans } = transactionOf('a |--|', {}, { parent_span_id: id('f') })
    expect([segment.parentSpanId, spans[0]?.parentSpanId]).toEqual([id('f'), id('f')])
  })

  it('has no negative duration when the clock was set back', () => {
    const { segment, spans } = transactionOf('a |--|', {
      start_timestamp: 10,
      timestamp: 9,
      spans: [{ span_id: id('b'), start_timestamp: 12, timestamp: 11 }],
    })
    expect([segment.startUs, segment.endUs]).toEqual([10_000_000, 10_000_000])
    expect(spans.map((span) => span.endUs - span.startUs)).toEqual([0, 0])
  })

  it.each([
    ['its operation', { transaction: undefined }, { op: 'task' }, 'task'],
    ['a placeholder', { transaction: '' }, { op: undefined }, '(unnamed)'],
  ])('without a name has %s', (_name, more, trace, expected) => {
    expect(transactionOf('a |--|', more, trace).segment.name).toBe(expected)
  })

  it('has measurements among the attributes', () => {
    const { spans } = transactionOf(
      'a |--|',
      { measurements: { lcp: { value: 208, unit: 'millisecond' } } },
      { data: { 'url.path': '/docs' } },
    )
    expect(spans[0]?.attributes).toEqual({
      'url.path': '/docs',
      'measurements.lcp': { value: 208, unit: 'millisecond' },
    })
  })

  it('keeps a duplicate child', () => {
    const { spans } = transactionOf(`
      a       |--------|
      b < a     |---|
      b < a      |---|
    `)
    expect(spans.map((span) => span.name)).toEqual(['/docs', 'b', 'b'])
  })
})

describe('the segment of a captured transaction', () => {
  const segmentOf = (name: string) => {
    const parsed = valueIn(parseTransaction(capturedPayload(name, 'transaction'), null))
    return segmentFromTransaction(parsed)
  }

  it('the segment of SDK 11.8 in the browser is linked to the trace before it', () => {
    const { segment, spans } = segmentOf('envelopes/browser-11.8-static-navigation')
    expect(segment).toMatchObject({
      name: '/other',
      op: 'navigation',
      status: 'ok',
      service: 'browser',
      sdk: 'sentry.javascript.nextjs',
      previousTrace: '5c90e2533c304e648574215c9b34ac3c',
    })
    expect(spans[0]?.links).toEqual([
      { traceId: '5c90e2533c304e648574215c9b34ac3c', spanId: '9a8dd7d89f4d91fe', type: 'previous_trace' },
    ])
    expect(buildSpanTree(spans).roots).toHaveLength(1)
    expect(spans).toHaveLength(3)
  })

  it('the segment of SDK 7.80 in the browser has its 22 children in one tree', () => {
    const { segment, spans } = segmentOf('envelopes/browser-7.80-pageload')
    expect(segment).toMatchObject({ name: '/', op: 'pageload', status: null, service: 'browser' })
    expect(spans).toHaveLength(23)
    expect(buildSpanTree(spans).roots).toHaveLength(1)
  })

  it('the segment of SDK 7.80 on the server has the service server', () => {
    expect(segmentOf('envelopes/server-7.80-page').segment).toMatchObject({
      name: 'Layout Server Component (/)',
      service: 'server',
      lifecycle: 'static',
    })
  })
})
