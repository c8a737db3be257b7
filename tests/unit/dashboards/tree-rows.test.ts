import { describe, expect, it } from 'vitest'
import { shownPath } from '../../../dashboards/traces/trace-path'
import { type Arrangement, idsAbove, type TreeRow, treeMove, treeRows } from '../../../dashboards/traces/tree-rows'
import { ALL_FOLDED, isOpen, withFold } from '../../../dashboards/traces/use-trace-state'
import { groupBy } from '../../../lib/group-by'
import { criticalPaths } from '../../../lib/protocol/trace/critical-path'
import { siblingGroups } from '../../../lib/protocol/trace/sibling-groups'
import { buildSpanTree } from '../../../lib/protocol/trace/span-tree'
import { timeTree } from '../../../lib/protocol/trace/time-tree'
import { draw as drawSpans } from '../protocol/trace/drawing'

const PAGE = `
  pageload       |--------------|
  call < pageload    |----|
  server < call       |--|           @server
  query < server       ||            @server
  late < pageload          |--|
  worker < lost      |---|           @worker
`

/** Drawn spans, each with its id as its name. */
const draw = (drawing: string) => drawSpans(drawing).map((span) => ({ ...span, name: span.spanId, status: null }))
type DrawnSpan = ReturnType<typeof draw>[number]

/** Rows of a tree without groups and gaps, unless they are given. */
function arrange(spans: readonly DrawnSpan[], more: Partial<Arrangement<DrawnSpan>> = {}) {
  const tree = timeTree(buildSpanTree(spans).roots)
  const nodes = new Map(tree.nodes.map((node) => [node.span.spanId, node]))
  return treeRows({
    tree,
    nodes,
    isOpen: (id) => !id.startsWith('group:'),
    groups: new Map(),
    gaps: new Map(),
    only: null,
    focus: null,
    ...more,
  })
}

const hiddenOf = (row: TreeRow<DrawnSpan> | undefined): number =>
  row === undefined || row.kind === 'gap' ? 0 : row.hidden.length

const LOOP = `
  page         |------------|
  q1 < page    |-|            @db
  q2 < page      |-|          @db
  q3 < page        |-|        @db
  other < page        |--|
`

/** The spans of the service `db` as one group, whatever their names. */
const groupsOf = (drawing: string) =>
  groupBy(
    siblingGroups(
      timeTree(
        buildSpanTree(draw(drawing).map((span) => (span.service === 'db' ? { ...span, name: 'query' } : span))).roots,
      ),
    ),
    ({ parentId }) => parentId,
  )

const rowsOf = (drawing: string, ...folded: string[]) =>
  arrange(draw(drawing), { isOpen: (id) => !folded.includes(id) })

const lines = (drawing: string, ...folded: string[]): readonly string[] =>
  rowsOf(drawing, ...folded).map(
    (row) =>
      `${'  '.repeat(row.depth)}${row.id} ${row.position}/${row.siblings}${hiddenOf(row) > 0 ? ` +${hiddenOf(row)}` : ''}`,
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
      name: 'step',
      status: null,
      startUs: at,
      endUs: 40_000,
    }))
    expect(arrange(spans)).toHaveLength(20_000)
    expect(hiddenOf(arrange(spans, { isOpen: (id) => id !== 's0' })[0])).toBe(19_999)
  })

  it('list what must be open to show a span', () => {
    const above = (drawing: string, id: string, groups: Arrangement<DrawnSpan>['groups'] = new Map()) =>
      idsAbove(timeTree(buildSpanTree(draw(drawing)).roots), groups, id)
    expect(above(PAGE, 'query')).toEqual(['server', 'call', 'pageload'])
    expect(above(PAGE, 'worker')).toEqual([])
    expect(above(LOOP, 'q2', groupsOf(LOOP))).toEqual(['page', 'group:q1'])
  })

  it('show siblings of one name as one row, which opens, and gaps in their place', () => {
    const groups = groupsOf(LOOP)
    const gaps = new Map([['page', [{ parentId: 'page', startUs: 0, endUs: 1 }]]])
    const show = (opened: readonly string[]) =>
      arrange(draw(LOOP), { groups, gaps, isOpen: (id) => !id.startsWith('group:') || opened.includes(id) }).map(
        ({ kind, id, depth }) => `${kind} ${depth} ${id}`,
      )
    expect(show([])).toEqual(['span 0 page', 'gap 1 gap:page:0', 'group 1 group:q1', 'span 1 other'])
    expect(show(['group:q1']).slice(2)).toEqual([
      'group 1 group:q1',
      'span 2 q1',
      'span 2 q2',
      'span 2 q3',
      'span 1 other',
    ])
  })

  it('are only the spans asked for, or those of a subtree', () => {
    const ids = (more: Partial<Arrangement<DrawnSpan>>) =>
      arrange(draw(PAGE), more).map(({ id, depth }) => `${depth} ${id}`)
    expect(ids({ only: new Set(['pageload', 'late']) })).toEqual(['0 pageload', '1 late'])
    expect(ids({ focus: 'call' })).toEqual(['0 call', '1 server', '2 query'])
    expect(ids({ focus: 'gone' })).toHaveLength(6)
  })

  it('show the critical path: a folded row has the sections of what it hides', () => {
    const tree = timeTree(buildSpanTree(draw(PAGE)).roots)
    const [main] = criticalPaths(tree).filter(({ isMain }) => isMain)
    const of = (...folded: string[]) => shownPath(main?.sections ?? [], rowsOf(PAGE, ...folded))
    const open = of()
    expect([...open.ofRow.keys()]).toEqual(['pageload', 'call', 'server', 'query', 'late'])
    expect(open.joins.length).toBeGreaterThan(3)
    const folded = of('call')
    expect([...folded.ofRow.keys()]).toEqual(['pageload', 'call', 'late'])
    expect(folded.ofRow.get('call')).toHaveLength(1)
    expect(of('pageload').joins).toEqual([])
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

it('a folded row has the sections of the spans that it hides, consecutive ones merged', () => {
  const times = { root: [null, 0, 20], a: ['root', 2, 10], b: ['a', 4, 6], c: ['root', 12, 15] } as const
  const spans = Object.entries(times).map(([spanId, [parentSpanId, startUs, endUs]]) => ({
    ...{ spanId, parentSpanId, startUs, endUs, service: 'server', op: null, name: spanId, status: null },
  }))
  const [main] = criticalPaths(timeTree(buildSpanTree(spans).roots))
  const sections = (...folded: string[]) =>
    shownPath(main?.sections ?? [], arrange(spans, { isOpen: (id) => !folded.includes(id) })).ofRow
  expect(sections('a').get('a')).toEqual([{ startUs: 2, endUs: 10 }])
  expect(sections('a').get('c')).toEqual([{ startUs: 12, endUs: 15 }])
  expect(sections().get('a')).toEqual([
    { startUs: 2, endUs: 4 },
    { startUs: 6, endUs: 10 },
  ])
  expect(sections('root').get('root')).toEqual([{ startUs: 0, endUs: 20 }])
  expect(sections().get('elsewhere')).toBeUndefined()
})

describe('folds in the address', () => {
  it('name what differs: closed spans and open groups, or all spans with those that are open', () => {
    const none = new Set<string>()
    expect([isOpen(none, 'a'), isOpen(none, 'group:a')]).toEqual([true, false])
    const closed = withFold(withFold(none, 'a', false), 'group:a', true)
    expect([...closed]).toEqual(['a', 'group:a'])
    expect([isOpen(closed, 'a'), isOpen(closed, 'b'), isOpen(closed, 'group:a')]).toEqual([false, true, true])
    expect([...withFold(closed, 'a', true)]).toEqual(['group:a'])
    const all = withFold(new Set([ALL_FOLDED]), 'a', true)
    expect([isOpen(all, 'a'), isOpen(all, 'b'), isOpen(all, 'group:b')]).toEqual([true, false, false])
    expect([...withFold(all, 'b', false)]).toEqual([...all])
  })
})
