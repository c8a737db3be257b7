import { describe, expect, it } from 'vitest'
import {
  changedWithAbove,
  compareTraces,
  durationChange,
  isChanged,
} from '../../../../lib/protocol/trace/compare-traces'
import { changeText, comparisonMarkdown } from '../../../../lib/protocol/trace/comparison-text'
import type { AnalysedSpan } from '../../../../lib/protocol/trace/time-tree'
import { randomSpans, spanOf, timeTreeOf } from './analysed-spans'

const MS = 1000
const compare = (a: readonly AnalysedSpan[], b: readonly AnalysedSpan[], bStartUs = 0) =>
  compareTraces({ tree: timeTreeOf(...a), startUs: 0 }, { tree: timeTreeOf(...b), startUs: bStartUs })

const root = spanOf('root', null, 0, 100 * MS, { name: 'GET /' })
const query = (id: string, fromMs: number, toMs: number, more: Partial<AnalysedSpan> = {}) =>
  spanOf(id, 'root', fromMs * MS, toMs * MS, { op: 'db', name: `SELECT ${id.length}${toMs}`, ...more })

describe('two traces', () => {
  it('without differences have rows that are the same, whatever their ids and start', () => {
    const a = [root, query('q', 10, 20)]
    const later = a.map((span) => ({
      ...span,
      spanId: `${span.spanId}2`,
      parentSpanId: span.parentSpanId && 'root2',
      ...{ startUs: span.startUs + 5e6, endUs: span.endUs + 5e6 },
    }))
    const rows = compare(a, later, 5e6)
    expect(rows.map(({ name, depth, change }) => [name, depth, change])).toEqual([
      ['GET /', 0, 'same'],
      ['SELECT ?', 1, 'same'],
    ])
    expect(rows.map(({ b }) => [b?.fromUs, b?.toUs])).toEqual([
      [0, 100 * MS],
      [10 * MS, 20 * MS],
    ])
    expect(rows.some(isChanged)).toBe(false)
  })

  it('show the rows above a changed one, and none beside it', () => {
    const below = (id: string, parent: string, toMs: number) => spanOf(id, parent, 10 * MS, toMs * MS, { name: id })
    const a = [root, below('x', 'root', 40), below('y', 'x', 20), below('z', 'root', 30)]
    const b = [root, below('x', 'root', 40), below('y', 'x', 35), below('z', 'root', 30)]
    expect(changedWithAbove(compare(a, b)).map(({ name }) => name)).toEqual(['GET /', 'x', 'y'])
    expect(changedWithAbove(compare(a, a))).toEqual([])
  })

  it('name spans that only one of them has, in the place of the tree', () => {
    const a = [root, query('q', 50, 60), spanOf('old', 'root', 70 * MS, 80 * MS)]
    const b = [
      root,
      spanOf('new', 'root', 20 * MS, 30 * MS),
      spanOf('deep', 'new', 21 * MS, 22 * MS),
      query('q', 50, 60),
    ]
    expect(compare(a, b).map((row) => [row.name, row.depth, changeText(row)])).toEqual([
      ['GET /', 0, ''],
      ['new', 1, 'added'],
      ['deep', 2, 'added'],
      ['SELECT ?', 1, ''],
      ['old', 1, 'removed'],
    ])
  })

  it('match by path: a query below another call is another row', () => {
    const a = [
      root,
      spanOf('call', 'root', 0, 50 * MS),
      spanOf('q', 'call', 0, 10 * MS, { op: 'db', name: 'SELECT 1' }),
    ]
    const b = [root, spanOf('call', 'root', 0, 50 * MS), query('q', 0, 10)]
    expect(compare(a, b).map(({ name, depth, change }) => `${depth} ${name} ${change}`)).toEqual([
      ...['0 GET / same', '1 call same', '2 SELECT ? removed', '1 SELECT ? added'],
    ])
  })

  it('count spans of one path together', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => query(`q${at}`, 10 + at, 11 + at))
    const [, row] = compare([root, ...many(3)], [root, ...many(5)])
    expect(row).toMatchObject({ change: 'count', a: { count: 3, totalUs: 3 * MS }, b: { count: 5, totalUs: 5 * MS } })
    expect(row && changeText(row)).toBe('2 more, +2.00 ms (+67 %)')
  })

  it('compare single spans in order where the sums are alike', () => {
    const a = [root, query('one', 0, 10), query('two', 20, 40)]
    const b = [root, query('one', 0, 20), query('two', 20, 30)]
    const [, row] = compare(a, b)
    expect(row).toMatchObject({ change: 'uneven', slower: 1, faster: 1 })
    expect(row && changeText(row)).toBe('1 slower, 1 faster')
  })

  it('differ in spans that failed, also where durations are alike', () => {
    const [, row] = compare([root, query('q', 0, 10)], [root, query('q', 0, 10, { status: 'internal_error' })])
    expect(row && [row.change, isChanged(row), changeText(row)]).toEqual(['same', true, '1 more failed'])
  })

  it('are whole in their rows: each span is in one row', () => {
    const [a, b] = [randomSpans(1, 400), randomSpans(2, 300)]
    const rows = compare(a, b)
    expect(rows.flatMap((row) => row.a?.spanIds ?? []).sort()).toEqual(a.map(({ spanId }) => spanId).sort())
    expect(rows.flatMap((row) => row.b?.spanIds ?? []).sort()).toEqual(b.map(({ spanId }) => spanId).sort())
  })

  it('may be thousands of levels deep', () => {
    const chain = Array.from({ length: 5000 }, (_, at) => spanOf(`s${at}`, at === 0 ? null : `s${at - 1}`, at, 9e6))
    expect(compare(chain, chain)).toHaveLength(5000)
  })
})

it.each([
  [10 * MS, 12 * MS, 1],
  [10 * MS, 11.9 * MS, 0],
  [10 * MS, 8 * MS, -1],
  [1 * MS, 1.9 * MS, 0],
  [1 * MS, 2 * MS, 1],
  [0, 0, 0],
])('%d µs and then %d µs is the change %d, by a fifth and 1 ms', (a, b, change) => {
  expect(durationChange(a, b)).toBe(change)
})

describe('the text for a pull request', () => {
  const head = { traceId: 'a'.repeat(32), name: 'GET /', durationUs: 100 * MS, spanCount: 2, bytes: 1500 }
  it('has the differences as a table', () => {
    const rows = compare([root, query('q', 0, 10)], [root, query('q', 0, 30)])
    expect(comparisonMarkdown({ a: head, b: { ...head, durationUs: 120 * MS, bytes: 1800 } }, rows)).toBe(
      [
        '### Trace `GET /`: 100 ms → 120 ms, +20.0 ms (+20 %)',
        '',
        'A `aaaaaaaa`, 2 spans, 1.50 kB; B `aaaaaaaa`, 2 spans, 1.80 kB. Bytes: +300 B (+20 %). 1 operation changed, 1 did not (durations: 20 % and 1 ms).',
        '',
        '| Operation | A | B | Change |',
        '| --- | ---: | ---: | --- |',
        '| `server` `db` `SELECT ?` | 10.0 ms | 30.0 ms | +20.0 ms (+200 %) |',
        '',
      ].join('\n'),
    )
  })

  it('names both traces when their names differ, and equal bytes', () => {
    const text = comparisonMarkdown({ a: { ...head, name: 'GET /`old`' }, b: head }, [])
    expect(text).toContain("### Trace `GET /'old'` → `GET /`: 100 ms → 100 ms, as long\n")
    expect(text).toContain('Bytes: as many.')
  })

  it('keeps received names in one cell, as code', () => {
    const name = 'a | b\n`</table>` @someone \u202e'
    const rows = compare([root], [root, spanOf('x', 'root', 0, 1, { name })])
    expect(comparisonMarkdown({ a: head, b: head }, rows)).toContain("`a \\| b '</table>' @someone \\u202e`")
  })

  it('names 50 rows and counts the others', () => {
    const added = Array.from({ length: 60 }, (_, at) => spanOf('x'.repeat(at + 1), 'root', at, at + 1))
    const lines = comparisonMarkdown({ a: head, b: head }, compare([root], [root, ...added])).split('\n')
    expect(lines.filter((line) => line.endsWith('| added |'))).toHaveLength(50)
    expect(lines).toContain('10 more changed.')
  })
})
