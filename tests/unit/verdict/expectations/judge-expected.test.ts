import { describe, expect, it } from 'vitest'
import { type ExpectedTelemetry, isExemptPage } from '../../../../lib/verdict/expectations/expected-telemetry'
import { judgeExpected } from '../../../../lib/verdict/expectations/judge-expected'
import {
  type Came,
  clientReportOf,
  containerOf,
  drawn,
  eventOf,
  evidenceOf,
  transactionOf,
} from '../rules/sample-evidence'
import { report } from './sample-report'

const page = (name = '/cart', environment: string | null = 'test', release = 'shop@1.2.3') =>
  transactionOf(drawn(`pageload ${name}  ====`), { environment, release })
const server = (name = 'GET /api/cart') =>
  transactionOf(drawn(`http.server ${name}  ====`), { service: 'server', ids: '5', environment: 'test' })
const error = (fields: object = {}) => eventOf({ environment: 'test', ...fields })
const ofBrowser = (body: string) => ({ body, origin: 'http://localhost:3000' })

/** The findings of one check, as text, with `minor:` for those that only warn. */
function findings(expected: ExpectedTelemetry, came: readonly Came[], sampling: Readonly<Record<string, number>> = {}) {
  const [judged] = judgeExpected(evidenceOf(...came), expected, sampling)
  const { verdict } = judged ?? {}
  if (verdict?.verdict !== 'fail') return verdict?.verdict
  return verdict.findings.map(({ about, actual, isMinor }) => `${isMinor ? 'minor: ' : ''}${about}: ${actual}`)
}

it('an expected environment passes for each event and segment with one of the names', () => {
  expect(findings({ environment: 'test' }, [page(), error()])).toBe('pass')
  expect(findings({ environment: ['ci', 'test'] }, [page(), page('/', 'ci')])).toBe('pass')
  const vital = containerOf(drawn('ui.webvital.cls layout  ='), { environment: null })
  expect(findings({ environment: 'test' }, [page(), vital])).toBe('pass')
})

it.each([
  ['prodution', ['production'], 'prodution in 2 items: is it misspelt? did you mean production?'],
  ['production', ['test'], 'production in 2 items: SDK 11 fills in production when none is set'],
  [null, ['test'], 'nothing in 2 items: environment missing: set it in Sentry.init'],
])('an expected environment names the likely cause of %s', (environment, allowed, actual) => {
  const came = [page('/', environment), page('/cart', environment)]
  expect(findings({ environment: allowed }, came)).toEqual([`environment of the browser: ${actual}`])
})

it('an expected environment is incomplete without events and segments, also as a report', () => {
  const given = [clientReportOf(['ratelimit_backoff', 'span', 1])]
  expect(findings({ environment: 'test' }, given)).toBe('incomplete')
  const { verdict, reasons } = report(
    [],
    { expect: { environment: 'test' }, errors: 'ignore' },
    {},
    {
      evidence: evidenceOf(...given),
      requests: null,
      fallbacks: null,
      pageLimits: null,
      collectorUrl: null,
    },
  )
  expect(verdict).toBe('incomplete')
  expect(reasons.join()).toContain('the required check expect-environment is incomplete')
})

const WRONG = [
  'release of the browser: nothing in 1 item: release missing',
  'release of the browser: shop@1.2.3 in 1 item',
]
it.each([
  ['shop@1.2.3', 'pass'],
  ['shop@*', 'pass'],
  ['/^SHOP@\\d+\\./i', 'pass'],
  [/^shop@\d/g, 'pass'],
  ['shop', WRONG],
  ['/^store@/', WRONG],
])('an expected release %s', (release, expected) => {
  const came = expected === 'pass' ? [page(), page('/a')] : [page(), error({ release: undefined })]
  expect(findings({ release }, came)).toEqual(expected)
})

describe('expected services', () => {
  it('pass when each sent something', () => {
    expect(findings({ services: ['browser', 'server'] }, [page(), server()])).toBe('pass')
  })

  it('name the likely cause of a service that is missing', () => {
    expect(findings({ services: ['browser', 'server'] }, [server()])).toEqual([
      'browser: nothing arrived: is the browser SDK enabled, Sentry.init called in instrumentation-client.ts, and its tunnel path right?',
    ])
    expect(findings({ services: ['brwser'] }, [page()])).toEqual(['brwser: nothing arrived: did you mean browser?'])
    expect(findings({ services: ['browser'] }, [{ body: page(), endpoint: 'stream' }])).toHaveLength(1)
  })

  it('fail for a browser of which only a client report arrived, with its reason', () => {
    const discarded = ofBrowser(clientReportOf(['sample_rate', 'transaction', 4]))
    expect(findings({ services: ['browser'] }, [discarded, server()])).toEqual([
      'browser: nothing arrived: its SDK reports sample_rate: is a sample rate too low?',
    ])
  })
})

describe('expected pageloads', () => {
  it('are counted once, without copies', () => {
    const loads = [
      page('/a'),
      { body: transactionOf(drawn('pageload /b  =='), { ids: '7' }), endpoint: 'stream' as const },
    ]
    expect(findings({ pageloads: { min: 1 } }, loads)).toBe('pass')
    expect(findings({ pageloads: { min: 2 } }, loads)).toEqual(['pageloads: 1 arrived'])
  })

  it('name the likely cause of a missing pageload, with the discards that the SDK reports', () => {
    expect(
      findings({ pageloads: { min: 1 } }, [server(), ofBrowser(clientReportOf(['sample_rate', 'span', 9]))]),
    ).toEqual([
      'pageloads: 0 arrived: is browserTracingIntegration enabled, and tracesSampleRate above 0? (the SDK reports discards: sample_rate span)',
    ])
  })

  it('include those that a stated sample rate left out, as client reports prove', () => {
    const came = [page(), ofBrowser(clientReportOf(['sample_rate', 'transaction', 2]))]
    const least = (min: number, rate: number) => findings({ pageloads: { min } }, came, { browser: rate })
    expect([least(3, 0.5), least(4, 0.5)]).toEqual([
      'pass',
      ['pageloads: 1 arrived, and 2 sampled out by client reports'],
    ])
    expect(least(3, 1)).toEqual(['pageloads: 1 arrived'])
  })

  it('are not judged for a minimum of 0', () => {
    expect(judgeExpected(evidenceOf(), { pageloads: { min: 0 }, errors: { min: 0 } }, {})).toEqual([])
  })
})

it('expected errors count events of level error and fatal, once', () => {
  expect(findings({ errors: { min: 1 } }, [error()])).toBe('pass')
  expect(findings({ errors: { min: 2 } }, [error(), error()])).toHaveLength(1)
  expect(findings({ errors: { min: 1 } }, [error({ level: 'warning' })])).toHaveLength(1)
})

it.each([
  ['before_send', 'the SDK reports before_send: does beforeSend return null?'],
  ['event_processor', 'the SDK reports event_processor error: does ignoreErrors match everything?'],
  ['sample_rate', 'the SDK reports sample_rate: is sampleRate, the rate of errors, below 1?'],
])('expected errors name the discard %s', (reason, cause) => {
  const came = [page(), clientReportOf([reason, 'error', 3])]
  expect(findings({ errors: { min: 1 } }, came)).toEqual([`error events: 0 arrived: ${cause}`])
})

it.each(['/cart', 'pageload /cart', '/c*', 'GET /api/*', 'http.server *'])(
  'expected transactions match by name: %s',
  (pattern) => {
    expect(findings({ transactions: [pattern] }, [page(), server()])).toBe('pass')
  },
)

it('expected transactions must each occur; a similar name is suggested', () => {
  expect(findings({ transactions: ['/cart', '/crat', '/orders'] }, [page()])).toEqual([
    '/crat: none of 1 transaction; did you mean /cart?',
    '/orders: none of 1 transaction',
  ])
})

it('expected transactions only warn if sampling may have left them out', () => {
  const came = [page(), ofBrowser(clientReportOf(['sample_rate', 'transaction', 2]))]
  expect(findings({ transactions: ['/orders'] }, came, { browser: 0.5 })).toEqual([
    'minor: /orders: none of 1 transaction; 2 transactions sampled out by client reports',
  ])
  expect(findings({ transactions: ['/orders'] }, came, { browser: 1 })).toEqual(['/orders: none of 1 transaction'])
})

it('finds documents that need no pageload', () => {
  const expected = { pages: { without: ['/legacy/*', '/health'] } }
  const paths = ['/legacy/cart', '/legacy/', '/health', '/legacy', '/healthy', '/']
  expect(paths.map((path) => isExemptPage(path, expected))).toEqual([true, true, true, false, false, false])
  expect(isExemptPage('/legacy/cart', {})).toBe(false)
  expect(isExemptPage('/legacy/cart', { pages: 'none' })).toBe(true)
  expect(isExemptPage('/legacy/cart', { pageloads: { min: 0 } })).toBe(true)
})
