import { expect, it } from 'vitest'
import { finalTimeoutRule } from '../../../../lib/verdict/rules/final-timeout'
import { caseFrom, containerOf, drawn, failing, transactionOf } from './sample-evidence'

/** A column is a second. */
const SECOND = 1000
const judge = (...bodies: string[]) => finalTimeoutRule.judge(caseFrom(...bodies))

it('the final-timeout rule passes for 30 s, plus one second that SDK 7 adds for its last child', () => {
  const exact = transactionOf(drawn('pageload /poll  ==============================', SECOND))
  const margin = containerOf(drawn('navigation /poll  ===============================', SECOND), { ids: '7' })
  expect(judge(exact, margin)).toEqual({ verdict: 'pass', judged: 2 })
})

it('the final-timeout rule fails for a longer pageload', () => {
  expect(judge(containerOf(drawn('pageload /poll  ===================================', SECOND)))).toEqual(
    failing(1, {
      about: 'pageload /poll',
      at: { seq: 1, item: 0, traceId: 'a'.repeat(32), spanId: '0000000000000001' },
      path: 'end_timestamp',
      actual: 'it lasted 35 s',
      expected: 'at most 30 s',
    }),
  )
})

it('the final-timeout rule is incomplete without pageloads and navigations', () => {
  const request = transactionOf(drawn('http.server GET  =================================', SECOND), {
    service: 'server',
  })
  expect(judge(request)).toEqual({ verdict: 'incomplete', why: 'No pageload or navigation was recorded.' })
})

it('the final-timeout rule names the span that was open until the end', () => {
  const polling = drawn(
    `
    pageload /poll           ===================================
      ui.widget cart           =================================
  `,
    SECOND,
  )
  const attributes = { '/poll': { 'sentry.idle_span_finish_reason': 'finalTimeout' } }
  expect(judge(transactionOf(polling, { attributes }))).toMatchObject({
    findings: [{ actual: 'it lasted 35 s and waited for ui.widget cart, which never ended: is span.end() called?' }],
  })
})
