import { describe, expect, it } from 'vitest'
import type { SeenRequest } from '../../../../lib/verdict/rules/rule'
import { tunnelRule } from '../../../../lib/verdict/rules/tunnel'
import { caseOf, failing } from './sample-evidence'
import { requestOf } from './sample-request'

const judge = (...requests: readonly SeenRequest[]) => tunnelRule.judge(caseOf({ requests }))
const POST = { method: 'POST' } as const

describe('the tunnel rule', () => {
  it('passes for telemetry sent to the tunnel or to the collector', () => {
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
  ])('fails for a direct request to %s', (url, host) => {
    expect(judge(requestOf('/tunnel', POST), requestOf(url, POST))).toEqual(
      failing(2, {
        about: `POST ${url.replace(/\?.*/, '')}`,
        at: null,
        path: '',
        actual: `telemetry sent directly to ${host} from http://localhost:3000/lab`,
        expected: 'sent to /tunnel on the page’s origin',
      }),
    )
  })

  it('fails for a key in a header', () => {
    const headers = { 'x-sentry-auth': 'Sentry sentry_key=abc' }
    expect(judge(requestOf('https://sentry.example.com/api/7/envelope/', { ...POST, headers }))).toMatchObject({
      found: 1,
    })
  })

  it.each([
    [
      'telemetry of a frame of another origin',
      'https://errors.pay.example/api/5/envelope/?sentry_key=x',
      { ...POST, isEmbedded: true },
    ],
    ['a GET request to another API', 'https://partner.example/api/1/store', {}],
    ['a POST request to another API', 'https://partner.example/api/1/store', POST],
  ])('ignores %s', (_, url, given) => {
    expect(judge(requestOf('/tunnel', POST), requestOf(url, given))).toEqual({ verdict: 'pass', judged: 1 })
  })

  it('fails for another collector, and if the collector is unknown', () => {
    const byDsn = (host: string) => requestOf(`${host}/api/1/envelope/?sentry_key=local`, POST)
    const at = (collectorUrl: string | null, host: string) =>
      tunnelRule.judge(caseOf({ requests: [byDsn(host)], collectorUrl })).verdict
    expect(at('http://127.0.0.1:8969', 'http://127.0.0.1:8969')).toBe('pass')
    expect(at('https://way.example.com', 'https://way.example.com')).toBe('pass')
    expect(at('http://127.0.0.1:8969', 'http://127.0.0.1:9000')).toBe('fail')
    expect(at('http://127.0.0.1:8969', 'http://way.example.com:8969')).toBe('fail')
    expect(at('http://way.example.com:8969', 'http://127.0.0.1:8969')).toBe('fail')
    expect(at(null, 'http://127.0.0.1:8969')).toBe('fail')
  })

  it('ignores GET requests and other origins with the page header', () => {
    const headers = { 'x-waystation-page': 'p' }
    const requested = requestOf('/api/cart', { headers })
    const elsewhere = requestOf('https://api.example.com/v1', { ...POST, headers })
    expect(judge(requested, elsewhere).verdict).toBe('incomplete')
  })

  it('is incomplete without telemetry and without observed requests', () => {
    const why =
      'The browser sent no telemetry: no POST to /tunnel, to another path of the page’s origin with the header x-waystation-page, or to an ingest host.'
    expect(judge(requestOf('https://ingest.sentry.io.example.com/'))).toEqual({ verdict: 'incomplete', why })
    expect(tunnelRule.judge(caseOf()).verdict).toBe('incomplete')
  })
})
