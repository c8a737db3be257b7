import { describe, expect, it } from 'vitest'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import { caseFrom, containerOf, drawn, eventOf, TRACE, transactionOf } from './sample-evidence'

const PAGE = drawn(`
  pageload /cart              ========
    http.client GET /api       ====
      db SELECT 1               ==
`)
/** The same without the call that the query hangs from. */
const TORN = PAGE.filter(({ op }) => op !== 'http.client')
/** Children that came before their segment, and their own parent. */
const TORN_LATE = { late: true }

describe.each([
  ['a transaction', transactionOf],
  ['a container', containerOf],
])('the parent of a span of %s', (_, told) => {
  it('is a span of its trace', () => {
    expect(orphansRule.judge(caseFrom(told(PAGE)))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('is missed', () => {
    expect(orphansRule.judge(caseFrom(told(TORN)))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: 'db SELECT 1',
          at: { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000003' },
          path: 'parent_span_id',
          actual: `0000000000000002, which is no span of trace ${TRACE}`,
          expected: 'a span of its trace',
        },
      ],
    })
  })

  it('is not looked for where the span is a segment: it is of another sender', () => {
    expect(orphansRule.judge(caseFrom(told(PAGE, { parentSpanId: 'f'.repeat(16) })))).toEqual({
      verdict: 'pass',
      judged: 3,
    })
  })

  it('is none of another trace', () => {
    const other = told(PAGE, { traceId: 'c'.repeat(32) })
    expect(orphansRule.judge(caseFrom(other, told(TORN)))).toMatchObject({ verdict: 'fail', judged: 5, found: 1 })
  })
})

it('a parent is neither missed in a copy nor found in one', () => {
  const copy = (spans: typeof PAGE) => ({ body: containerOf(spans), endpoint: 'stream' as const })
  expect(orphansRule.judge(caseFrom(containerOf(PAGE), copy(TORN)))).toEqual({ verdict: 'pass', judged: 3 })
  expect(orphansRule.judge(caseFrom(containerOf(TORN), copy(PAGE)))).toMatchObject({ verdict: 'fail', found: 1 })
})

describe('spans that come before their segment', () => {
  it('are judged when it has come', () => {
    const given = caseFrom(containerOf(TORN, TORN_LATE), containerOf(PAGE.slice(0, 2)))
    expect(orphansRule.judge(given)).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('are incomplete until then', () => {
    expect(orphansRule.judge(caseFrom(containerOf(TORN, TORN_LATE)))).toEqual({
      verdict: 'incomplete',
      why: `One span waits for parent and segment, the first db SELECT 1 of trace ${TRACE}: nobody can tell yet whether they come.`,
    })
  })

  it('do not hide one that has lost its parent', () => {
    const given = caseFrom(containerOf(TORN, { ...TORN_LATE, traceId: 'c'.repeat(32) }), containerOf(TORN))
    expect(orphansRule.judge(given)).toMatchObject({ verdict: 'fail', found: 1 })
  })
})

it('orphans are incomplete where no span was recorded', () => {
  expect(orphansRule.judge(caseFrom(eventOf()))).toEqual({ verdict: 'incomplete', why: 'No span was recorded.' })
})
