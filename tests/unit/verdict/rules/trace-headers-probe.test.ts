import { describe, expect, it } from 'vitest'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { traceHeadersProbeRule } from '../../../../lib/verdict/rules/trace-headers-probe'
import { caseOf } from './sample-evidence'
import { requestOf } from './sample-request'

const TRACED = { headers: { 'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-1`, baggage: 'sentry-release=1' } }
const judge = (...requests: readonly SeenRequest[]) => traceHeadersProbeRule.judge(caseOf({ requests }))

describe('trace headers that were seen', () => {
  it('go to the own origin and to localhost on any port', () => {
    const requests = [requestOf('/api/cart', TRACED), requestOf('http://localhost:8080/api', TRACED)]
    expect(judge(...requests, requestOf('https://cdn.example.com/a.js'))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it.each([
    ['sentry-trace', TRACED.headers],
    ['traceparent', { traceparent: '00-a-b-01' }],
    ['baggage', { baggage: 'own=1,sentry-release=1' }],
  ])('do not go to another origin: %s', (name, headers) => {
    expect(judge(requestOf('https://api.example.com/v1?key=secret', { headers }))).toEqual({
      verdict: 'fail',
      judged: 1,
      found: 1,
      findings: [
        {
          about: 'GET https://api.example.com/v1',
          at: null,
          path: `headers.${name}`,
          actual: 'it was sent from http://localhost:3000/lab',
          expected: 'none to another origin',
        },
      ],
    })
  })

  it('are a frame’s own where that shows another origin', () => {
    const payment = requestOf('https://api.pay.example/v1', { ...TRACED, isEmbedded: true })
    expect(judge(requestOf('/api/cart', TRACED), payment)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('may not be there, and baggage may be somebody else’s', () => {
    const requests = [requestOf('https://api.example.com/v1', { headers: { baggage: 'own=1' } })]
    expect(judge(...requests)).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('cannot be judged from the line itself and from requests of the own origin without them', () => {
    const why = 'The browser asked no other origin, and no request carried trace headers.'
    const line = [requestOf('/tunnel', TRACED), requestOf('http://localhost:8969/query/traces', TRACED)]
    expect(judge(...line, requestOf('/api/cart'))).toEqual({ verdict: 'incomplete', why })
  })

  it('cannot be judged where nobody watched', () => {
    const why =
      'What a browser asks for is seen in browser tests alone, where waystation/playwright judges it: docs/ci.md, “Browser tests”.'
    expect(traceHeadersProbeRule.judge(caseOf())).toEqual({ verdict: 'incomplete', why })
  })
})
