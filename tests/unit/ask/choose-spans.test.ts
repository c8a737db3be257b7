import { describe, expect, it } from 'vitest'
import { chooseSpans, MOST_SPANS } from '../../../lib/ask/get-trace'
import { buildSpanTree, nodesOf } from '../../../lib/protocol/trace/span-tree'
import type { Span } from '../../../lib/wire/trace'

interface Given extends Partial<Span> {
  readonly spanId: string
  readonly ms?: number
}

const spanOf = ({ ms = 1, ...given }: Given): Span => ({
  parentSpanId: null,
  segmentId: null,
  isSegment: false,
  name: given.spanId,
  op: null,
  status: null,
  origin: null,
  service: 'server',
  startUs: 1_795_000_000_000_000,
  endUs: 1_795_000_000_000_000 + ms * 1000,
  attributes: {},
  links: [],
  seq: 1,
  item: 0,
  ...given,
})

const chosen = (given: readonly Given[], most?: number, failed: readonly string[] = []): readonly string[] =>
  [...chooseSpans(nodesOf(buildSpanTree(given.map(spanOf)).roots), new Set(failed), most)]
    .map(({ span }) => span.spanId)
    .sort()

describe('the spans of an overview', () => {
  const tree: readonly Given[] = [
    { spanId: 'root', isSegment: true, ms: 500 },
    { spanId: 'long', parentSpanId: 'root', ms: 20 },
    { spanId: 'longer', parentSpanId: 'root', ms: 30 },
    { spanId: 'short', parentSpanId: 'root', ms: 9 },
    { spanId: 'above', parentSpanId: 'short' },
    { spanId: 'failed', parentSpanId: 'above', status: 'internal_error' },
    { spanId: 'segment', parentSpanId: 'above', isSegment: true },
  ]

  it('are failed ones first, then transactions, then long ones, each with the spans above it', () => {
    expect(chosen(tree, 4)).toEqual(['above', 'failed', 'root', 'short'])
    expect(chosen(tree, 5)).toEqual(['above', 'failed', 'root', 'segment', 'short'])
    expect(chosen(tree, 6)).toEqual(['above', 'failed', 'longer', 'root', 'segment', 'short'])
  })

  it('count a span as failed when an error names it', () => {
    expect(chosen(tree, 2, ['long'])).toEqual(['long', 'root'])
  })

  it('are at most 96, also of a trace that is deep', () => {
    const wide = Array.from({ length: 300 }, (_, index) => ({ spanId: `s${index}`, parentSpanId: 'root', ms: index }))
    expect(chosen([...tree, ...wide])).toHaveLength(MOST_SPANS)
    const deep = Array.from({ length: 300 }, (_, index) => ({
      spanId: `d${index}`,
      parentSpanId: index === 0 ? null : `d${index - 1}`,
      ms: 100,
    }))
    expect(chosen(deep)).toHaveLength(MOST_SPANS)
    expect(chosen(deep)).toContain('d0')
  })
})
