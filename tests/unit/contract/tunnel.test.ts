import { describe, expect, it } from 'vitest'
import type { SeenRequest } from '../../../lib/contract/rules/rule'
import { tunnelRule } from '../../../lib/contract/rules/tunnel'
import { caseOf } from './evidence-of'
import { requestOf } from './request-of'

const judge = (...requests: readonly SeenRequest[]) => tunnelRule.judge(caseOf({ requests }))
const POST = { method: 'POST' } as const

describe('the tunnel', () => {
  it('is what telemetry goes by, or the collector by the local DSN', () => {
    const named = { ...POST, headers: { 'x-waystation-page': 'p' } }
    const requests = [
      requestOf('/tunnel', POST),
      requestOf('/monitoring', named),
      requestOf('http://localhost:8969/api/1/envelope/?sentry_key=local', POST),
    ]
    expect(judge(...requests, requestOf('/api/cart'))).toEqual({ verdict: 'pass', judged: 3 })
  })

  it.each([
    ['https://o1.ingest.us.sentry.io/api/1/envelope/?sentry_key=abc', 'o1.ingest.us.sentry.io'],
    ['https://o1.ingest.sentry.io/api/1/envelope/', 'o1.ingest.sentry.io'],
    ['https://sentry.example.com/api/7/store/?sentry_key=abc', 'sentry.example.com'],
  ])('was passed by: %s', (url, host) => {
    expect(judge(requestOf('/tunnel', POST), requestOf(url, POST))).toEqual({
      verdict: 'fail',
      judged: 2,
      found: 1,
      findings: [
        {
          about: `POST ${url.replace(/\?.*/, '')}`,
          at: null,
          path: '',
          seen: `telemetry that went straight to ${host}, from http://localhost:3000/lab`,
          wanted: 'by the page’s own origin: /tunnel',
        },
      ],
    })
  })

  it('was passed by where the key stands in a header', () => {
    const headers = { 'x-sentry-auth': 'Sentry sentry_key=abc' }
    expect(judge(requestOf('https://sentry.example.com/api/7/envelope/', { ...POST, headers }))).toMatchObject({
      found: 1,
    })
  })

  it.each([
    [
      'what a frame of another origin sends for itself',
      'https://errors.pay.example/api/5/envelope/?sentry_key=x',
      { ...POST, isEmbedded: true },
    ],
    ['what is read of another API', 'https://partner.example/api/1/store', {}],
    ['what is sent to another API', 'https://partner.example/api/1/store', POST],
  ])('is not passed by %s', (_, url, given) => {
    expect(judge(requestOf('/tunnel', POST), requestOf(url, given))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('cannot be judged where no telemetry was sent, or nobody watched', () => {
    const why = 'The browser sent no telemetry while it was watched.'
    expect(judge(requestOf('https://ingest.sentry.io.example.com/'))).toEqual({ verdict: 'incomplete', why })
    expect(tunnelRule.judge(caseOf()).verdict).toBe('incomplete')
  })
})
