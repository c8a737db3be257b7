import { describe, expect, it } from 'vitest'
import { siblingGroups } from '../../../../lib/protocol/trace/sibling-groups'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { spanOf, timeTreeOf } from './analysed-spans'

const groupsOf = (...spans: readonly AnalysedSpan[]) =>
  siblingGroups(timeTreeOf(spanOf('root', null, 0, 1_000_000), ...spans))

/** Calls below the root, each of 20 ms, one every `everyMs`. */
const calls = (
  count: number,
  everyMs: number,
  more: (index: number) => Partial<AnalysedSpan>,
): readonly AnalysedSpan[] =>
  Array.from({ length: count }, (_, index) =>
    spanOf(`call${index}`, 'root', index * everyMs * 1000, (index * everyMs + 20) * 1000, more(index)),
  )

describe('siblings', () => {
  it('of one service, op and name without values are a group from three on', () => {
    const item = (index: number) => ({ op: 'http.client', name: `GET /api/item/${index}` })
    const [first, ...others] = calls(3, 30, item)
    expect(groupsOf(...others)).toEqual([])
    const slow = spanOf('slow', 'root', 40_000, 100_000, { ...item(77), status: 'internal_error' })
    expect(groupsOf(slow, ...others, ...(first ? [first] : []))).toEqual([
      {
        id: 'group:call0',
        parentId: 'root',
        service: 'server',
        op: 'http.client',
        name: 'GET /api/item/?',
        memberIds: ['call0', 'call1', 'slow', 'call2'],
        startUs: 0,
        endUs: 100_000,
        count: 4,
        totalUs: 120_000,
        p50Us: 20_000,
        p95Us: 60_000,
        slowestId: 'slow',
        slowestUs: 60_000,
        errors: 1,
        isNPlusOne: false,
      },
    ])
  })

  it('keep a name that all members have', () => {
    expect(groupsOf(...calls(3, 30, () => ({ name: 'GET /api/item/7' }))).map(({ name }) => name)).toEqual([
      'GET /api/item/7',
    ])
  })

  it.each<[string, (index: number) => Partial<AnalysedSpan>]>([
    ['service', (index) => ({ name: 'x', service: `s${index}` })],
    ['op', (index) => ({ name: 'x', op: `o${index}` })],
    ['name', (index) => ({ name: 'abc'[index] ?? '' })],
    ['parent', (index) => ({ name: 'x', parentSpanId: index === 1 ? 'call0' : 'root' })],
  ])('of another %s are not grouped', (_what, more) => {
    expect(groupsOf(...calls(3, 30, more))).toEqual([])
  })

  it('may have children, which form groups of their own below their parent', () => {
    const outer = calls(3, 30, () => ({ name: 'load' }))
    const inner = [1, 2, 3].map((at) => spanOf(`in${at}`, 'call1', 30_000 + at, 30_001 + at, { name: 'read' }))
    expect(groupsOf(...outer, ...inner).map(({ id, parentId }) => [id, parentId])).toEqual([
      ['group:call0', 'root'],
      ['group:in1', 'call1'],
    ])
  })

  it.each<[string, boolean, readonly AnalysedSpan[]]>([
    ['five queries one after the other', true, calls(5, 30, () => ({ op: 'db.query', name: 'q' }))],
    ['queries that overlap by less than a millisecond', true, calls(5, 19.5, () => ({ op: 'db', name: 'q' }))],
    [
      'five queries in a row after one that overlaps',
      true,
      [...calls(5, 30, () => ({ op: 'db', name: 'q' })), spanOf('x', 'root', 0, 9000, { op: 'db', name: 'q' })],
    ],
    ['queries that overlap', false, calls(9, 18, () => ({ op: 'db', name: 'q' }))],
    ['four queries', false, calls(4, 30, () => ({ op: 'db', name: 'q' }))],
    ['requests', false, calls(9, 30, () => ({ op: 'http.client', name: 'q' }))],
    ['an op that only begins with the same letters', false, calls(9, 30, () => ({ op: 'dbus', name: 'q' }))],
  ])('%s: N+1 is %j', (_title, isNPlusOne, spans) => {
    expect(groupsOf(...spans).map((group) => group.isNPlusOne)).toEqual([isNPlusOne])
  })
})

it('siblings in the request that rendered a page are a group, and its page loads are none', () => {
  const at = (start: number) => [start * 1000, (start + 5) * 1000] as const
  const query = (index: number) =>
    spanOf(`query${index}`, 'request', ...at(10 + index * 10), { op: 'db', name: 'SELECT 1' })
  const page = (index: number) =>
    spanOf(`page${index}`, 'request', index * 1000, 900_000, { op: 'pageload', name: '/' })
  const spans = [spanOf('request', null, 5000, 100_000), ...[0, 1, 2].flatMap((index) => [query(index), page(index)])]
  expect(siblingGroups(timeTreeOf(...spans)).map(({ parentId, memberIds }) => [parentId, ...memberIds])).toEqual([
    ['request', 'query0', 'query1', 'query2'],
  ])
})
