import { describe, expect, it } from 'vitest'
import { spanRecorderRule } from '../../../../lib/verdict/rules/span-recorder'
import { caseFrom, containerOf, drawn, eventOf, failing, transactionOf } from './sample-evidence'

/** A segment with a number of children. */
const loop = (children: number) =>
  drawn(['task big  =====', ...Array.from({ length: children }, (_, index) => `  task.child ${index}  =`)].join('\n'))
const judge = (...bodies: string[]) => spanRecorderRule.judge(caseFrom(...bodies))

describe('the span-recorder rule', () => {
  it('passes for 1000 children of a transaction and 1000 spans of a container', () => {
    expect(judge(transactionOf(loop(1000)), containerOf(loop(999)))).toEqual({ verdict: 'pass', judged: 2 })
  })

  it('fails for one more', () => {
    expect(judge(transactionOf(loop(1001)), containerOf(loop(1000)))).toMatchObject(
      failing(
        2,
        {
          about: 'task big',
          at: { seq: 1, item: 0, spanId: '0000000000000001' },
          path: 'spans',
          actual: '1001 child spans',
          expected: 'at most 1000',
        },
        { about: 'task big', at: { seq: 2, item: 0 }, path: 'items', actual: '1001 spans' },
      ),
    )
  })

  it('counts each container separately', () => {
    expect(judge(containerOf(loop(1000), { late: true }), containerOf(loop(500)))).toEqual({
      verdict: 'pass',
      judged: 2,
    })
  })

  it('takes the SDK from span attributes before the envelope', () => {
    const header = { sdk: { name: 'sentry.python', version: '2.40.0' } }
    expect(judge(containerOf(loop(1000), { header }))).toMatchObject({ verdict: 'fail', judged: 1 })
  })

  it('ignores copies', () => {
    const given = caseFrom(containerOf(loop(1)), { body: containerOf(loop(1000)), endpoint: 'stream' })
    expect(spanRecorderRule.judge(given)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is incomplete without transactions and containers of a JavaScript SDK', () => {
    const why = 'No transaction or span container of a JavaScript SDK was recorded.'
    const header = { sdk: { name: 'sentry.python', version: '2.40.0' } }
    expect(judge(eventOf(), transactionOf(loop(1001), { header }))).toEqual({ verdict: 'incomplete', why })
  })
})
