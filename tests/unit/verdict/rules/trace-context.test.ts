import { describe, expect, it } from 'vitest'
import { NOT_WATCHED_REASON } from '../../../../lib/verdict/rules/browser-requests'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { traceContextRule } from '../../../../lib/verdict/rules/trace-context'
import { caseOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

const TRACE = 'a'.repeat(32)
const OTHER = 'c'.repeat(32)
const [SPAN, OTHER_SPAN] = ['b'.repeat(16), 'd'.repeat(16)]
const SENTRY_TRACE = `${TRACE}-${SPAN}-1`
const baggageOf = (traceId: string) => `own=1,sentry-trace_id=${traceId};p=1,sentry-sampled=true`

const judge = (...requests: readonly SeenRequest[]) => traceContextRule.judge(caseOf({ requests }))
const sent = (headers: Readonly<Record<string, string>>) => requestOf('/api/cart?key=secret', { headers })

describe('the trace-context rule', () => {
  it.each([
    ['sentry-trace and baggage', { 'sentry-trace': SENTRY_TRACE, baggage: baggageOf(TRACE) }],
    ['all three', { 'sentry-trace': SENTRY_TRACE, baggage: baggageOf(TRACE), traceparent: `00-${TRACE}-${SPAN}-01` }],
    ['other span ids', { 'sentry-trace': SENTRY_TRACE, traceparent: `00-${TRACE}-${OTHER_SPAN}-01` }],
    ['a later version of traceparent', { 'sentry-trace': SENTRY_TRACE, traceparent: `01-${TRACE}-${SPAN}-01-more` }],
    ['sentry-trace without a decision', { 'sentry-trace': `${TRACE}-${SPAN}`, baggage: baggageOf(TRACE) }],
  ])('passes for headers with one trace id: %s', (_, headers) => {
    expect(judge(sent(headers))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails for two trace ids and names each header', () => {
    const headers = { 'sentry-trace': SENTRY_TRACE, traceparent: `00-${OTHER}-${SPAN}-01` }
    expect(judge(sent(headers))).toEqual(
      failing(1, {
        about: 'GET http://localhost:3000/api/cart',
        at: null,
        path: 'headers.traceparent',
        actual: `sentry-trace has trace ${TRACE}, traceparent has trace ${OTHER}`,
        expected: 'one trace id in all of them',
      }),
    )
  })

  it('fails for a baggage of another trace', () => {
    const headers = { 'sentry-trace': SENTRY_TRACE, baggage: baggageOf(OTHER) }
    expect(judge(sent(headers))).toMatchObject({ verdict: 'fail', findings: [{ path: 'headers.baggage' }] })
  })

  it.each([
    ['sentry-trace', { 'sentry-trace': `${TRACE}-${SPAN}-1, ${OTHER}-${SPAN}-1`, baggage: baggageOf(TRACE) }],
    ['traceparent', { 'sentry-trace': SENTRY_TRACE, traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }],
    ['traceparent', { 'sentry-trace': SENTRY_TRACE, traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }],
    ['traceparent', { 'sentry-trace': SENTRY_TRACE, traceparent: `ff-${TRACE}-${SPAN}-01` }],
    ['baggage', { 'sentry-trace': SENTRY_TRACE, baggage: baggageOf('none') }],
    ['baggage', { 'sentry-trace': SENTRY_TRACE, baggage: `${baggageOf(TRACE)},sentry-trace_id=${OTHER}` }],
  ])('fails for a %s without one valid trace id', (header, headers) => {
    expect(judge(sent(headers))).toMatchObject({
      verdict: 'fail',
      findings: [{ path: `headers.${header}`, actual: `no valid trace id in ${header}` }],
    })
  })

  it('judges only requests with two of the headers', () => {
    const alone = [sent({ traceparent: 'broken' }), sent({ 'sentry-trace': SENTRY_TRACE, baggage: 'own=1' }), sent({})]
    const why = 'No request of the browser had two of sentry-trace, traceparent and baggage.'
    expect(judge(...alone)).toEqual({ verdict: 'incomplete', why })
  })

  it('ignores frames of other origins', () => {
    const headers = { 'sentry-trace': SENTRY_TRACE, traceparent: `00-${OTHER}-${SPAN}-01` }
    expect(judge({ ...sent(headers), isEmbedded: true })).toMatchObject({ verdict: 'incomplete' })
  })

  it('is incomplete without observed requests', () => {
    expect(traceContextRule.judge(caseOf())).toEqual({ verdict: 'incomplete', why: NOT_WATCHED_REASON })
  })
})
