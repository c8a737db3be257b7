import * as Sentry from '@sentry/nextjs'
import { afterEach, expect, it } from 'vitest'
import { stampServer } from '../../../lib/kit/stamp-server'

afterEach(async () => {
  await Sentry.close()
  Sentry.getCurrentScope().setClient(undefined)
})

/** Starts an SDK. @returns the options and the sent envelopes of each transport */
function started(dsn?: string) {
  const made: { readonly options: object; sent: number; flushed: number }[] = []
  Sentry.init({
    ...(dsn !== undefined && { dsn }),
    tracesSampleRate: 1,
    defaultIntegrations: false,
    transportOptions: { headers: { 'x-of': 'mine' } },
    transport: (options: object) => {
      const one = { options, sent: 0, flushed: 0 }
      made.push(one)
      return {
        send: async () => {
          one.sent += 1
          return {}
        },
        flush: async () => {
          one.flushed += 1
          return true
        },
      }
    },
  })
  return made
}

const requested = (cookie: string): void =>
  Sentry.withIsolationScope((scope) => {
    scope.setSDKProcessingMetadata({ normalizedRequest: { headers: { cookie } } })
    Sentry.captureMessage('said')
  })

it('throws for an uninitialised SDK', () => {
  expect(() => stampServer(Sentry)).toThrow(/^stampServer: the Sentry SDK is not initialised/)
})

it('changes nothing for an SDK without a DSN', () => {
  const made = started()
  stampServer(Sentry)
  expect(made).toEqual([])
})

it('uses the original transport until a request has a stamp', async () => {
  const made = started('https://key@collector.test:8969/1')
  stampServer(Sentry)
  requested('theme=dark')
  await Sentry.flush()
  expect(made).toMatchObject([{ sent: 1 }])
  requested('waystation-stamp=mine')
  requested('theme=dark')
  await Sentry.flush()
  expect(made).toMatchObject([{ sent: 1 }, { sent: 2 }])
  expect(made[1]?.flushed).toBeGreaterThan(0)
})

it('creates the stamping transport with the SDK’s options', async () => {
  const made = started('https://key@collector.test:8969/1')
  stampServer(Sentry)
  requested('waystation-stamp=mine')
  await Sentry.flush()
  const [plain, stamping] = made
  expect(stamping?.options).toEqual({
    ...plain?.options,
    recordDroppedEvent: expect.any(Function),
    httpModule: { request: expect.any(Function) },
  })
})
