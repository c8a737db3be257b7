import { expect, it } from 'vitest'
import { analyseTree } from '../../../../lib/protocol/trace/analyse-tree'
import { analysePacked, packTree, unpackFindings } from '../../../../lib/protocol/trace/packed-tree'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { randomSpans, spanOf, timeTreeOf } from './analysed-spans'

/** The findings by way of a worker, with the copies that posting makes. */
function posted(tree: ReturnType<typeof timeTreeOf>, traceUs: number) {
  const packed = structuredClone(packTree(tree, traceUs))
  return unpackFindings(structuredClone(analysePacked(packed)), tree.nodes)
}

const query = (id: string, parent: string, startUs: number): AnalysedSpan =>
  spanOf(id, parent, startUs, startUs + 2000, { op: 'db.query', name: `SELECT ${id.length} FROM ${parent}` })

const SHAPES: readonly (readonly [string, readonly AnalysedSpan[], number])[] = [
  ['no span', [], 0],
  ['one span', [spanOf('a', null, 5, 10)], 5],
  ['a root without a duration', [spanOf('a', null, 5, 5)], 0],
  ['a root that ends before its start', [spanOf('a', null, 10, 5)], 0],
  ['time 0', [spanOf('a', null, 0, 100), spanOf('b', 'a', 0, 40), spanOf('c', 'a', 40, 100)], 100],
  ['orphans only', [spanOf('a', 'gone', 0, 50), spanOf('b', 'lost', 10, 90)], 90],
  ['an orphan longer than the root', [spanOf('a', null, 0, 50), spanOf('b', 'lost', 10, 900)], 900],
  ['a cycle', [spanOf('a', 'c', 0, 50), spanOf('b', 'a', 10, 40), spanOf('c', 'b', 20, 30)], 50],
  ['a span that is its own parent', [spanOf('a', 'a', 0, 50), spanOf('b', 'a', 10, 40)], 50],
  [
    'groups with N+1, and gaps',
    [
      spanOf('root', null, 0, 400_000),
      ...['a', 'b', 'c', 'd', 'e'].map((id, at) => query(id, 'root', at * 3000)),
      ...['f', 'g', 'h'].map((id, at) => query(id, 'a', at)),
      spanOf('last', 'root', 200_000, 300_000, { status: 'internal_error' }),
    ],
    400_000,
  ],
  [
    'a producer and its consumer',
    [
      spanOf('a', null, 0, 100),
      spanOf('b', 'a', 10, 90, { kind: 'producer' }),
      spanOf('c', 'b', 20, 80, { kind: 'consumer' }),
    ],
    100,
  ],
  [
    'a page load below its request',
    [spanOf('request', null, 100, 200), spanOf('page', 'request', 50, 500, { op: 'pageload' })],
    450,
  ],
]

it.each(SHAPES)('finds the same in a worker: %s', (_title, spans, traceUs) => {
  const tree = timeTreeOf(...spans)
  expect(posted(tree, traceUs)).toEqual(analyseTree(tree, traceUs))
})

it('finds the same in a worker for random traces', () => {
  let groups = 0
  for (let seed = 1; seed <= 60; seed += 1) {
    const tree = timeTreeOf(...randomSpans(seed, seed * 10))
    const findings = analyseTree(tree, 1000)
    groups += findings.groups.length
    expect(posted(tree, 1000)).toEqual(findings)
  }
  expect(groups).toBeGreaterThan(50)
})
