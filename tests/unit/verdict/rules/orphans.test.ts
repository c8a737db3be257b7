import { describe, expect, it } from 'vitest'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import { caseFrom, containerOf, drawn, eventOf, TRACE, transactionOf } from './sample-evidence'

const PAGE = drawn(`
  pageload /cart              ========
    http.client GET /api       ====
      db SELECT 1               ==
`)
/** The same trace without the call that is the parent of the query. */
const TORN = PAGE.filter(({ op }) => op !== 'http.client')
/** Children that arrived before their segment and their parent. */
const TORN_LATE = { late: true }

describe.each([
  ['a transaction', transactionOf],
  ['a container', containerOf],
])('the orphans rule with %s', (_, bodyOf) => {
  it('passes if the parent is in the trace', () => {
    expect(orphansRule.judge(caseFrom(bodyOf(PAGE)))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('fails if the parent is missing', () => {
    expect(orphansRule.judge(caseFrom(bodyOf(TORN)))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: 'db SELECT 1',
          at: { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000003' },
          path: 'parent_span_id',
          actual: `0000000000000002, which is not in trace ${TRACE}`,
          expected: 'the id of a span in the trace',
        },
      ],
    })
  })

  it('ignores the parent of a segment, which is from another sender', () => {
    expect(orphansRule.judge(caseFrom(bodyOf(PAGE, { parentSpanId: 'f'.repeat(16) })))).toEqual({
      verdict: 'pass',
      judged: 3,
    })
  })

  it('does not accept a parent of another trace', () => {
    const other = bodyOf(PAGE, { traceId: 'c'.repeat(32) })
    expect(orphansRule.judge(caseFrom(other, bodyOf(TORN)))).toMatchObject({ verdict: 'fail', judged: 5, found: 1 })
  })
})

it('the orphans rule ignores copies', () => {
  const copy = (spans: typeof PAGE) => ({ body: containerOf(spans), endpoint: 'stream' as const })
  expect(orphansRule.judge(caseFrom(containerOf(PAGE), copy(TORN)))).toEqual({ verdict: 'pass', judged: 3 })
  expect(orphansRule.judge(caseFrom(containerOf(TORN), copy(PAGE)))).toMatchObject({ verdict: 'fail', found: 1 })
})

describe('streamed spans without their segment', () => {
  it('are checked when the segment arrives', () => {
    const given = caseFrom(containerOf(TORN, TORN_LATE), containerOf(PAGE.slice(0, 2)))
    expect(orphansRule.judge(given)).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('are incomplete until the segment arrives', () => {
    expect(orphansRule.judge(caseFrom(containerOf(TORN, TORN_LATE)))).toEqual({
      verdict: 'incomplete',
      why: `Parent and segment of 1 span have not arrived yet; the first is db SELECT 1 in trace ${TRACE}.`,
    })
  })

  it('do not hide an orphan', () => {
    const given = caseFrom(containerOf(TORN, { ...TORN_LATE, traceId: 'c'.repeat(32) }), containerOf(TORN))
    expect(orphansRule.judge(given)).toMatchObject({ verdict: 'fail', found: 1 })
  })
})

it('the orphans rule is incomplete without spans', () => {
  expect(orphansRule.judge(caseFrom(eventOf()))).toEqual({ verdict: 'incomplete', why: 'No span was recorded.' })
})
