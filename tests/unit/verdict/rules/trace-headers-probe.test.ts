import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../../../lib/verdict/evidence/evidence'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { traceHeadersProbeRule } from '../../../../lib/verdict/rules/trace-headers-probe'
import { caseOf, containerOf, drawn, evidenceOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

const TRACED = { headers: { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1`, baggage: 'sentry-release=1' } }
const judge = (...requests: readonly SeenRequest[]) => traceHeadersProbeRule.judge(caseOf({ requests }))

describe('the trace-headers-probe rule', () => {
  it('passes for the own origin and localhost on any port', () => {
    const requests = [requestOf('/api/cart', TRACED), requestOf('http://localhost:8080/api', TRACED)]
    expect(judge(...requests, requestOf('https://cdn.example.com/a.js'))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it.each([
    ['sentry-trace', TRACED.headers],
    ['traceparent', { traceparent: '00-a-b-01' }],
    ['baggage', { baggage: 'own=1,sentry-release=1' }],
  ])('fails for another origin: %s', (name, headers) => {
    expect(judge(requestOf('https://api.example.com/v1?key=secret', { headers }))).toEqual(
      failing(1, {
        about: 'GET https://api.example.com/v1',
        at: null,
        path: `headers.${name}`,
        actual: 'sent from http://localhost:3000/lab',
        expected: 'no trace headers to another origin',
      }),
    )
  })

  it('passes for an origin whose server continued the trace, such as an API of the app', () => {
    const called = drawn('http.server GET /v1  ==')
    const own = containerOf(called, { service: 'server', ids: '5', parentSpanId: 'b'.repeat(16) })
    const requests = [requestOf('https://api.example.com/v1', TRACED), requestOf('https://api.example.com/v2', TRACED)]
    const judgeWith = (evidence: Evidence) => traceHeadersProbeRule.judge(caseOf({ requests, evidence }))
    expect(judgeWith(evidenceOf(own))).toEqual({ verdict: 'pass', judged: 2 })
    expect(judgeWith(evidenceOf(containerOf(called, { service: 'server', ids: '5' })))).toMatchObject({ found: 2 })
    const copy = { body: own, endpoint: 'stream' as const }
    expect(judgeWith(evidenceOf(copy))).toMatchObject({ verdict: 'fail', found: 2 })
  })

  it('ignores frames of other origins', () => {
    const payment = requestOf('https://api.pay.example/v1', { ...TRACED, isEmbedded: true })
    expect(judge(requestOf('/api/cart', TRACED), payment)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('passes without headers, and with baggage of others', () => {
    const requests = [requestOf('https://api.example.com/v1', { headers: { baggage: 'own=1' } })]
    expect(judge(...requests)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('is incomplete with requests to Waystation and untraced own requests only', () => {
    const why = 'The browser sent no request to another origin and no trace headers.'
    const line = [requestOf('/tunnel', TRACED), requestOf('http://localhost:8969/query/traces', TRACED)]
    expect(judge(...line, requestOf('/api/cart'))).toEqual({ verdict: 'incomplete', why })
  })

  it('is incomplete without observed requests', () => {
    const why =
      'Browser requests can only be checked by toKeepTheContract() in a browser test: see docs/ci.md, “The contract”.'
    expect(traceHeadersProbeRule.judge(caseOf())).toEqual({ verdict: 'incomplete', why })
  })
})
