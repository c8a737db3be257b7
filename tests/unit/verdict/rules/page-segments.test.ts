import { describe, expect, it } from 'vitest'
import { notFoundRule } from '../../../../lib/verdict/rules/not-found'
import { pageSegments } from '../../../../lib/verdict/rules/page-segments'
import { caseFrom, containerOf, drawn, evidenceOf, transactionOf } from './evidence-of'

const PAGE = drawn(`
  pageload /cart              ========
    http.client GET /a         ====
    http.client GET /b         ====
`)
const sizes = (...bodies: readonly string[]) =>
  pageSegments(evidenceOf(...bodies)).map(({ segment, children }) => [segment.traceId[0], children.length])

describe.each([
  ['a transaction', transactionOf],
  ['a container', containerOf],
])('the page segment of %s', (_, told) => {
  it('is one with its children once, however often it came', () => {
    expect(sizes(...Array.from({ length: 3 }, () => told(PAGE)))).toEqual([['a', 2]])
  })

  it('has no child of another segment of its trace', () => {
    const other = told(PAGE.slice(0, 2), { ids: '9' })
    expect(sizes(told(PAGE), other)).toEqual([
      ['a', 2],
      ['a', 1],
    ])
  })

  it('has no child of another trace, whose segment has the same id', () => {
    const [segment, child] = PAGE
    if (segment === undefined || child === undefined) throw new TypeError('the drawing has a child')
    const other = told([segment, child], { traceId: 'c'.repeat(32) })
    expect(sizes(told(PAGE), other)).toEqual([
      ['a', 2],
      ['c', 1],
    ])
  })
})

it('a missing page that came twice is told once', () => {
  const missing = transactionOf(drawn('http.server GET /_not-found  ====='), { service: 'server' })
  expect(notFoundRule.judge(caseFrom(missing, missing))).toMatchObject({ judged: 1, found: 1 })
})
