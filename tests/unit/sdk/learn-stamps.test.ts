import * as Sentry from '@sentry/nextjs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { learnStamps, stampedTraces } from '../../../lib/sdk/stamped-traces'
import { postingTransport, type TransportOptions } from '../../../lib/sdk/transport'

interface Posted {
  readonly body: string
  readonly stamp: string | undefined
}
const posted: Posted[] = []

beforeAll(() => {
  const traces = stampedTraces()
  Sentry.init({
    dsn: 'http://local@127.0.0.1:1/1',
    tunnel: 'http://127.0.0.1:1/tunnel',
    tracesSampleRate: 1,
    traceLifecycle: 'static',
    defaultIntegrations: false,
    transport: (options: TransportOptions) =>
      postingTransport(
        options,
        async (body, headers) => {
          posted.push({ body: String(body), stamp: headers['x-waystation-stamp'] })
          return { statusCode: 200, headers: { 'x-sentry-rate-limits': null, 'retry-after': null } }
        },
        traces.stampOf,
      ),
  })
  learnStamps(Sentry, traces)
})
beforeEach(() => {
  posted.length = 0
})
afterAll(async () => {
  await Sentry.close()
})

/** Runs work as the server does while it answers a request with these headers. */
const inRequest = (headers: Readonly<Record<string, string>>, work: () => void): void =>
  Sentry.withIsolationScope((scope) => {
    scope.setSDKProcessingMetadata({ normalizedRequest: { headers, method: 'GET' } })
    Sentry.continueTrace({ sentryTrace: undefined, baggage: undefined }, work)
  })

async function stampsOf(work: () => void): Promise<readonly (string | undefined)[]> {
  work()
  await Sentry.flush()
  return posted.map(({ stamp }) => stamp)
}

describe('the server stamps telemetry with the cookie of the request that caused it:', () => {
  it('segments', async () => {
    const cookie = { cookie: 'theme=dark; waystation-stamp=cart:12' }
    expect(await stampsOf(() => inRequest(cookie, () => Sentry.startSpan({ name: 'GET /' }, () => undefined)))).toEqual(
      ['cart:12'],
    )
    expect(posted[0]?.body).toContain('GET /')
  })

  it('errors, inside and outside of a span', async () => {
    const cookie = { cookie: 'waystation-stamp=mine' }
    const work = () =>
      inRequest(cookie, () => {
        Sentry.captureException(new Error('outside'))
        Sentry.startSpan({ name: 'GET /' }, () => Sentry.captureException(new Error('inside')))
      })
    expect(await stampsOf(work)).toEqual(['mine', 'mine', 'mine'])
  })

  it('each request has its own stamp', async () => {
    const work = () => {
      inRequest({ cookie: 'waystation-stamp=one' }, () => Sentry.captureMessage('first'))
      inRequest({}, () => Sentry.captureMessage('second'))
      inRequest({ cookie: 'waystation-stamp=three' }, () => Sentry.captureMessage('third'))
    }
    expect(await stampsOf(work)).toEqual(['one', undefined, 'three'])
  })

  it('the stamp is in a header, never in the envelope', async () => {
    await stampsOf(() => inRequest({ cookie: 'waystation-stamp=very-mine' }, () => Sentry.captureMessage('said')))
    expect(posted[0]?.stamp).toBe('very-mine')
    expect(posted[0]?.body).not.toContain('very-mine')
  })
})

it('uses the stamp header when there is no cookie', async () => {
  const work = () => inRequest({ 'x-waystation-stamp': 'program' }, () => Sentry.captureMessage('said'))
  expect(await stampsOf(work)).toEqual(['program'])
})

it('ignores a cookie that is not a valid stamp', async () => {
  const work = () => inRequest({ cookie: 'waystation-stamp=two words' }, () => Sentry.captureMessage('said'))
  expect(await stampsOf(work)).toEqual([undefined])
})
