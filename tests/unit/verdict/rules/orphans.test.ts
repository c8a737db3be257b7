import { describe, expect, it } from 'vitest'
import { orphansRule } from '../../../../lib/verdict/rules/orphans'
import { type Came, caseFrom, containerOf, drawn, eventOf, failing, TRACE, transactionOf } from './sample-evidence'

const judge = (...came: readonly Came[]) => orphansRule.judge(caseFrom(...came))
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
    expect(judge(bodyOf(PAGE))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('fails if the parent is missing', () => {
    expect(judge(bodyOf(TORN))).toEqual(
      failing(2, {
        about: 'db SELECT 1',
        at: { seq: 1, item: 0, traceId: TRACE, spanId: '0000000000000003' },
        path: 'parent_span_id',
        actual: `0000000000000002, which is not in trace ${TRACE}`,
        expected: 'the id of a span in the trace',
      }),
    )
  })

  it('ignores the parent of a segment, which is from another sender', () => {
    expect(judge(bodyOf(PAGE, { parentSpanId: 'f'.repeat(16) }))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it('does not accept a parent of another trace', () => {
    const other = bodyOf(PAGE, { traceId: 'c'.repeat(32) })
    expect(judge(other, bodyOf(TORN))).toMatchObject({ verdict: 'fail', judged: 5, found: 1 })
  })
})

it('the orphans rule ignores copies', () => {
  const copy = (spans: typeof PAGE) => ({ body: containerOf(spans), endpoint: 'stream' as const })
  expect(judge(containerOf(PAGE), copy(TORN))).toEqual({ verdict: 'pass', judged: 3 })
  expect(judge(containerOf(TORN), copy(PAGE))).toMatchObject({ verdict: 'fail', found: 1 })
})

it('streamed spans without their segment are checked when the segment arrives', () => {
  expect(judge(containerOf(TORN, TORN_LATE), containerOf(PAGE.slice(0, 2)))).toEqual({ verdict: 'pass', judged: 3 })
})

it('streamed spans without their segment are incomplete until the segment arrives', () => {
  expect(judge(containerOf(TORN, TORN_LATE))).toEqual({
    verdict: 'incomplete',
    why: `Parent and segment of 1 span have not arrived yet; the first is db SELECT 1 in trace ${TRACE}.`,
  })
})

it('streamed spans without their segment do not hide an orphan', () => {
  expect(judge(containerOf(TORN, { ...TORN_LATE, traceId: 'c'.repeat(32) }), containerOf(TORN))).toMatchObject({
    verdict: 'fail',
    found: 1,
  })
})

it('the orphans rule is incomplete without spans', () => {
  expect(judge(eventOf())).toEqual({ verdict: 'incomplete', why: 'No span was recorded.' })
})
