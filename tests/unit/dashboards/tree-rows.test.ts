import { describe, expect, it } from 'vitest'
import { collapsible, idsAbove, treeMove, treeRows } from '../../../dashboards/traces/tree-rows'
import { buildSpanTree } from '../../../lib/protocol/trace/span-tree'
import { draw } from '../protocol/trace/drawing'

const PAGE = `
  pageload       |--------------|
  call < pageload    |----|
  server < call       |--|           @server
  query < server       ||            @server
  late < pageload          |--|
  worker < lost      |---|           @worker
`

const rowsOf = (drawing: string, ...folded: string[]) => treeRows(buildSpanTree(draw(drawing)).roots, new Set(folded))

const lines = (drawing: string, ...folded: string[]): readonly string[] =>
  rowsOf(drawing, ...folded).map(
    (row) =>
      `${'  '.repeat(row.node.depth)}${row.id} ${row.position}/${row.siblings}${row.hidden.length > 0 ? ` +${row.hidden.length}` : ''}`,
  )

describe('the rows of a tree', () => {
  it('are the spans from top to bottom with their position among siblings', () => {
    expect(lines(PAGE)).toEqual([
      'pageload 1/2',
      '  call 1/2',
      '    server 1/1',
      '      query 1/1',
      '  late 2/2',
      'worker 2/2',
    ])
  })

  it('leave out and count the spans of a collapsed node', () => {
    expect(lines(PAGE, 'call')).toEqual(['pageload 1/2', '  call 1/2 +2', '  late 2/2', 'worker 2/2'])
    expect(lines(PAGE, 'pageload', 'call')).toEqual(['pageload 1/2 +4', 'worker 2/2'])
  })

  it('ignore a collapsed leaf, or a collapsed span that is gone', () => {
    expect(lines(PAGE, 'late', 'gone')).toEqual(lines(PAGE))
  })

  it('keep their ids when the tree grows', () => {
    const grown = `${PAGE}
  early < pageload |-|
`
    const ids = rowsOf(grown, 'call').map((row) => row.id)
    expect(ids).toEqual(['pageload', 'early', 'call', 'late', 'worker'])
  })

  it('work for a chain of 20,000 spans', () => {
    const spans = Array.from({ length: 20_000 }, (_, at) => ({
      spanId: `s${at}`,
      parentSpanId: at === 0 ? null : `s${at - 1}`,
      service: 'browser',
      op: null,
      startUs: at,
      endUs: 40_000,
    }))
    const { roots } = buildSpanTree(spans)
    expect(treeRows(roots, new Set())).toHaveLength(20_000)
    expect(treeRows(roots, new Set(['s0']))[0]?.hidden).toHaveLength(19_999)
    expect(collapsible(roots)).toHaveLength(19_999)
  })

  it('list the ancestors of a span, even in a cycle', () => {
    const spans = new Map(draw(PAGE).map((span) => [span.spanId, span]))
    expect(idsAbove(spans, 'query')).toEqual(['server', 'call', 'pageload'])
    expect(idsAbove(spans, 'worker')).toEqual(['lost'])
    const [a, b] = draw(`
  a < b   |--|
  b < a   |--|
`)
    if (a === undefined || b === undefined) throw new Error('two spans are drawn')
    expect(
      idsAbove(
        new Map([
          ['a', a],
          ['b', b],
        ]),
        'a',
      ),
    ).toEqual(['b', 'a'])
  })
})

describe('a key in the tree', () => {
  const rows = rowsOf(PAGE, 'server')
  const after = (key: string, from: string): string => {
    const move = treeMove(
      key,
      rows,
      rows.findIndex((row) => row.id === from),
    )
    if (move === null) return 'nothing'
    return move.kind === 'go' ? `go to ${rows[move.index]?.id}` : `${move.kind} ${move.id}`
  }

  it.each([
    ['ArrowDown', 'pageload', 'go to call'],
    ['j', 'call', 'go to server'],
    ['ArrowDown', 'worker', 'go to worker'],
    ['ArrowUp', 'call', 'go to pageload'],
    ['k', 'pageload', 'go to pageload'],
    ['Home', 'late', 'go to pageload'],
    ['End', 'pageload', 'go to worker'],
    ['PageDown', 'pageload', 'go to worker'],
    ['PageUp', 'worker', 'go to pageload'],
    ['ArrowRight', 'server', 'expand server'],
    ['ArrowRight', 'call', 'go to server'],
    ['ArrowRight', 'late', 'go to late'],
    ['ArrowLeft', 'call', 'collapse call'],
    ['ArrowLeft', 'server', 'go to call'],
    ['h', 'late', 'go to pageload'],
    ['ArrowLeft', 'worker', 'go to worker'],
    ['x', 'call', 'nothing'],
  ])('%s on %s: %s', (key, from, expected) => {
    expect(after(key, from)).toBe(expected)
  })

  it('starts at the first row without a cursor, and does nothing in an empty tree', () => {
    expect(treeMove('j', rows, -1)).toEqual({ kind: 'go', index: 0 })
    expect(treeMove('ArrowLeft', rows, -1)).toBeNull()
    expect(treeMove('j', [], -1)).toBeNull()
  })
})
