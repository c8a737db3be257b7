import { describe, expect, it } from 'vitest'
import { gapsOf } from '../../../../lib/protocol/trace/gaps'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { spanOf, timeTreeOf } from './analysed-spans'

const ms = (...[id, parent, from, to, more]: Parameters<typeof spanOf>): AnalysedSpan =>
  spanOf(id, parent, from * 1000, to * 1000, more)
const gaps = (traceMs: number, ...spans: readonly AnalysedSpan[]): readonly string[] =>
  gapsOf(timeTreeOf(...spans), traceMs * 1000).map(
    ({ parentId, startUs, endUs }) => `${parentId} ${startUs / 1000}-${endUs / 1000}`,
  )

describe('a gap', () => {
  it('is before, between and after the children of a span', () => {
    const spans = [ms('p', null, 0, 500), ms('a', 'p', 50, 100), ms('b', 'p', 160, 400), ms('c', 'b', 160, 380)]
    expect(gaps(2000, ...spans)).toEqual(['p 0-50', 'p 100-160', 'p 400-500'])
  })

  it('is nothing in a span without children', () => {
    expect(gaps(500, ms('p', null, 0, 500))).toEqual([])
  })

  it.each([
    ['50 ms of a long trace', 5000, 50, 49],
    ['5 % of a short one', 400, 20, 19],
    ['1 ms of a very short one', 4, 1, 0.9],
  ])('has at least %s', (_title, traceMs, longMs, shortMs) => {
    const after = (gapMs: number) => gaps(traceMs, ms('p', null, 0, 1000 + gapMs), ms('a', 'p', 0, 1000))
    expect(after(longMs)).toHaveLength(1)
    expect(after(shortMs)).toEqual([])
  })

  it('is not the time in which the server renders the page', () => {
    const page = ms('page', 'request', 0, 300, { op: 'pageload' })
    const script = ms('script', 'page', 200, 300)
    const request = [ms('request', null, 5, 190), ms('query', 'request', 5, 185)]
    expect(gaps(2000, page, script)).toEqual(['page 0-200'])
    expect(gaps(2000, page, script, ...request)).toEqual([])
  })
})
