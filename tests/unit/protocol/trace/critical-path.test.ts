import { describe, expect, it } from 'vitest'
import { criticalPaths } from '../../../../lib/protocol/trace/critical-path'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { randomSpans, spanOf, timeTreeOf } from './analysed-spans'

/** The sections of the main path: `span from-to`. */
const mainPath = (...spans: readonly AnalysedSpan[]): readonly string[] =>
  criticalPaths(timeTreeOf(...spans))
    .filter(({ isMain }) => isMain)
    .flatMap(({ sections }) => sections.map(({ spanId, startUs, endUs }) => `${spanId} ${startUs}-${endUs}`))

/** The nine cases that Jaeger UI draws, with its figures. Case 5 has a link there; here a consumer below a producer. */
describe('the critical path of a drawn case', () => {
  it.each<[number, string, readonly AnalysedSpan[], readonly string[]]>([
    [
      1,
      'two children one after the other',
      [spanOf('E', 'C', 50, 60), spanOf('C', null, 1, 101), spanOf('D', 'C', 20, 40)],
      ['C 1-20', 'D 20-40', 'C 40-50', 'E 50-60', 'C 60-101'],
    ],
    [
      2,
      'two overlapping children: only the last to finish',
      [spanOf('X', null, 1, 101), spanOf('A', 'X', 10, 50), spanOf('C', 'X', 20, 60)],
      ['X 1-20', 'C 20-60', 'X 60-101'],
    ],
    [3, 'a longer child after its parent', [spanOf('A', null, 100, 140), spanOf('B', 'A', 150, 250)], ['A 100-140']],
    [
      4,
      'a child after its parent, with a child of its own',
      [spanOf('A', null, 1, 31), spanOf('B', 'A', 40, 80), spanOf('C', 'B', 50, 60)],
      ['A 1-31'],
    ],
    [
      5,
      'a child for which its parent does not wait',
      [spanOf('A', null, 1, 31, { kind: 'producer' }), spanOf('B', 'A', 10, 20, { kind: 'consumer' })],
      ['A 1-31'],
    ],
    [
      6,
      'a child that outlasts its parent, and one that begins before it',
      [spanOf('A', null, 1, 30), spanOf('B', 'A', 15, 35), spanOf('C', 'B', 10, 25)],
      ['A 1-15', 'C 15-25', 'B 25-30'],
    ],
    [
      7,
      'each child outlasts its parent',
      [spanOf('A', null, 1, 30), spanOf('B', 'A', 15, 35), spanOf('C', 'B', 20, 40)],
      ['A 1-15', 'B 15-20', 'C 20-30'],
    ],
    [8, 'a child around its parent', [spanOf('A', null, 10, 30), spanOf('B', 'A', 5, 35)], ['B 10-30']],
    [9, 'a child before its parent', [spanOf('A', null, 10, 30), spanOf('B', 'A', 1, 5)], ['A 10-30']],
  ])('%i: %s', (_number, _title, spans, sections) => {
    expect(mainPath(...spans)).toEqual(sections)
  })
})

describe('the critical path', () => {
  it('follows 20,000 levels', () => {
    const deep = Array.from({ length: 20_000 }, (_, at) => spanOf(`s${at}`, at ? `s${at - 1}` : null, at, 40_000 - at))
    const path = mainPath(...deep)
    expect([path.length, path[0], path.at(-1)]).toEqual([39_999, 's0 0-1', 's0 39999-40000'])
  })

  it('reads 50,000 children of one span in less than quadratic time', () => {
    const children = Array.from({ length: 50_000 }, (_, at) => spanOf(`s${at}`, 'root', 2 * at, 2 * at + 1))
    const begin = performance.now()
    expect(mainPath(spanOf('root', null, 0, 100_000), ...children)).toHaveLength(100_000)
    expect(performance.now() - begin).toBeLessThan(2000)
  })

  it('has a child that ends exactly when the next one starts, and one without duration once', () => {
    const root = spanOf('root', null, 0, 10)
    expect(mainPath(root, spanOf('a', 'root', 2, 5), spanOf('b', 'root', 5, 9))).toEqual([
      ...['root 0-2', 'a 2-5', 'b 5-9', 'root 9-10'],
    ])
    const instants = ['x', 'y', 'z'].map((id) => spanOf(id, 'root', 5, 5))
    expect(mainPath(root, ...instants)).toEqual(['root 0-10'])
    expect(mainPath(root, ...instants, spanOf('a', 'root', 2, 5))).toEqual(['root 0-2', 'a 2-5', 'root 5-10'])
  })

  it('has the longest of the children that end together, and none that ends before its start', () => {
    const spans = [spanOf('root', null, 0, 10), spanOf('short', 'root', 6, 9), spanOf('long', 'root', 3, 9)]
    expect(mainPath(...spans)).toEqual(['root 0-3', 'long 3-9', 'root 9-10'])
    expect(mainPath(...spans.toReversed())).toEqual(['root 0-3', 'long 3-9', 'root 9-10'])
    expect(mainPath(...spans, spanOf('wrong', 'root', 9, 3))).toEqual(['root 0-3', 'long 3-9', 'root 9-10'])
    expect(mainPath(spanOf('root', null, 0, 10), spanOf('wrong', 'root', 9, 2))).toEqual(['root 0-10'])
  })

  it('goes on before a child that starts at time 0', () => {
    const spans = [spanOf('root', null, -10, 10), spanOf('a', 'root', -8, 0), spanOf('b', 'root', 0, 8)]
    expect(mainPath(...spans)).toEqual(['root -10--8', 'a -8-0', 'b 0-8', 'root 8-10'])
    expect(mainPath(spanOf('root', null, 0, 4), spanOf('a', 'root', 0, 3))).toEqual(['a 0-3', 'root 3-4'])
  })

  it('exists for each root; orphans are labelled, and main only without other roots', () => {
    const dated = 1_700_000_000_000_000
    const spans = [
      spanOf('orphan', 'lost', dated, dated + 500),
      spanOf('early', null, dated + 1, dated + 101),
      spanOf('late', null, dated + 2, dated + 102),
      spanOf('short', null, dated, dated + 3),
      spanOf('undated', null, 0, 900),
    ]
    const summary = (shown: readonly AnalysedSpan[]) =>
      criticalPaths(timeTreeOf(...shown)).map(({ rootId, isMain, orphan, sections }) =>
        [rootId, isMain && 'main', orphan && 'orphan', sections.length].filter(Boolean).join(' '),
      )
    expect(summary(spans)).toEqual(['undated 1', 'orphan orphan 1', 'short 1', 'early main 1', 'late 1'])
    expect(summary([spans[0], spans[4]].flatMap((one) => one ?? []))).toEqual(['undated 1', 'orphan main orphan 1'])
    expect(criticalPaths(timeTreeOf())).toEqual([])
  })

  it.each([
    ['kinds', { kind: 'producer' }, { kind: 'consumer' }],
    ['ops', { op: 'queue.publish' }, { op: 'queue.process' }],
  ])('leaves out a consumer below its producer, by %s, but not one below another span', (_by, producer, consumer) => {
    const spans = [spanOf('p', null, 0, 10, producer), spanOf('c', 'p', 2, 8, consumer), spanOf('d', 'c', 3, 7)]
    expect(mainPath(...spans)).toEqual(['p 0-10'])
    const [root, ...below] = spans
    expect(mainPath({ ...spanOf('p', null, 0, 10), ...root, kind: 'server' }, ...below)).toHaveLength(5)
  })

  it.each<[number, number, string]>([
    [5, 5, 'the root span r has no duration'],
    [5, 4, 'the root span r starts at 5 µs and ends at 4 µs, before its start'],
    [
      5,
      Number.POSITIVE_INFINITY,
      'the root span r starts at 5 µs and ends at Infinity µs; both must be finite numbers',
    ],
    [5, Number.NaN, 'the root span r starts at 5 µs and ends at NaN µs; both must be finite numbers'],
  ])('is not computed for a root from %d to %d, with the reason', (startUs, endUs, failure) => {
    const [path] = criticalPaths(timeTreeOf(spanOf('r', null, startUs, endUs), spanOf('c', 'r', 1, 9)))
    expect(path).toEqual({ rootId: 'r', isMain: true, orphan: false, sections: [], failure })
  })

  it('of a page load includes the request that rendered it', () => {
    const spans = [
      spanOf('request', null, 20, 60),
      spanOf('query', 'request', 30, 50),
      spanOf('page', 'request', 0, 200, { op: 'pageload' }),
      spanOf('fetched', 'page', 10, 70, { op: 'browser.request' }),
    ]
    expect(mainPath(...spans)).toEqual([
      ...['page 0-10', 'fetched 10-20', 'request 20-30', 'query 30-50'],
      ...['request 50-60', 'fetched 60-70', 'page 70-200'],
    ])
    expect(criticalPaths(timeTreeOf(...spans))).toHaveLength(1)
  })

  it('of any tree is a sequence without gaps, within its spans and as long as its root', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const spans = randomSpans(seed, 60)
      const byId = new Map(spans.map((span) => [span.spanId, span]))
      for (const { rootId, sections, failure } of criticalPaths(timeTreeOf(...spans))) {
        const root = byId.get(rootId)
        if (root === undefined || failure !== null) continue
        let atUs = root.startUs
        for (const { spanId, startUs, endUs } of sections) {
          expect([seed, startUs]).toEqual([seed, atUs])
          const span = byId.get(spanId)
          expect(startUs < endUs && span && span.startUs <= startUs && endUs <= span.endUs).toBe(true)
          atUs = endUs
        }
        expect([seed, atUs]).toEqual([seed, root.endUs])
      }
    }
  })
})
