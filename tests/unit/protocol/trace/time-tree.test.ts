import { describe, expect, it } from 'vitest'
import { buildSpanTree } from '../../../../lib/protocol/trace/span-tree'
import { type AnalysedSpan, timeTree } from '../../../../lib/protocol/trace/time-tree'
import { spanOf, timeTreeOf } from './analysed-spans'

/** Each span and its parent, parents before their children. */
const parentsIn = (...spans: readonly AnalysedSpan[]): readonly string[] => {
  const { nodes, parents } = timeTreeOf(...spans)
  return nodes.map(({ span }, index) => `${span.spanId} < ${nodes[parents[index] ?? -1]?.span.spanId ?? '-'}`)
}
const page = (startUs: number, endUs: number, parent = 'handler'): AnalysedSpan =>
  spanOf('page', parent, startUs, endUs, { op: 'pageload' })

describe('the tree by time', () => {
  const request = [
    spanOf('request', null, 10, 50),
    spanOf('handler', 'request', 12, 48),
    spanOf('query', 'handler', 20, 30),
  ]

  it('is the tree of parents without a page load below a request', () => {
    const { roots } = buildSpanTree(request)
    expect(timeTree(roots).roots).toBe(roots)
    expect(parentsIn(...request)).toEqual(['request < -', 'handler < request', 'query < handler'])
  })

  it('has the request that rendered a page below its page load', () => {
    expect(parentsIn(...request, page(0, 100), spanOf('script', 'page', 60, 70))).toEqual([
      ...['page < -', 'request < page', 'script < page', 'handler < request', 'query < handler'],
    ])
  })

  it('has it below the browser.request span of the page load, if there is one', () => {
    const fetched = spanOf('fetched', 'page', 5, 55, { op: 'browser.request' })
    expect(parentsIn(...request, page(0, 100), fetched)).toEqual([
      ...['page < -', 'fetched < page', 'request < fetched', 'handler < request', 'query < handler'],
    ])
  })

  it('keeps both as roots if the request started before or after the page load', () => {
    expect(parentsIn(...request, page(11, 100))).toContain('request < -')
    expect(parentsIn(...request, page(11, 100))).toContain('page < -')
    expect(parentsIn(...request, page(0, 10))).toContain('request < -')
  })

  it('has every span once, and roots and children in order of their start, also with several page loads', () => {
    const second = { ...page(5, 90), spanId: 'second' }
    const below = spanOf('below', 'page', 1, 3, { op: 'pageload' })
    const { nodes, roots, childrenOf } = timeTreeOf(...request, page(0, 100), second, below)
    expect(nodes.map(({ span }) => span.spanId).sort()).toEqual(
      [...['request', 'handler', 'query', 'page', 'second', 'below']].sort(),
    )
    for (const siblings of [roots, ...nodes.map(childrenOf)]) {
      const starts = siblings.map(({ span }) => span.startUs)
      expect(starts).toEqual([...starts].sort((a, b) => a - b))
    }
  })
})
