import * as Sentry from '@sentry/nextjs'
import { afterEach, expect, it } from 'vitest'
import { stampServer } from '../../../lib/kit/stamp-server'

afterEach(async () => {
  await Sentry.close()
  Sentry.getCurrentScope().setClient(undefined)
})

/** Starts an SDK. @returns the options of each transport that is made, and what each takes */
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

const asked = (cookie: string): void =>
  Sentry.withIsolationScope((scope) => {
    scope.setSDKProcessingMetadata({ normalizedRequest: { headers: { cookie } } })
    Sentry.captureMessage('said')
  })

it('an SDK that was not started is told of', () => {
  expect(() => stampServer(Sentry)).toThrow(/^stampServer: the Sentry SDK is not initialised/)
})

it('an SDK without a DSN sends nothing, and is left alone', () => {
  const made = started()
  stampServer(Sentry)
  expect(made).toEqual([])
})

it('everything goes by the transport that was there, until a request has a stamp', async () => {
  const made = started('https://key@collector.test:8969/1')
  stampServer(Sentry)
  asked('theme=dark')
  await Sentry.flush()
  expect(made).toMatchObject([{ sent: 1 }])
  asked('waystation-stamp=mine')
  asked('theme=dark')
  await Sentry.flush()
  expect(made).toMatchObject([{ sent: 1 }, { sent: 2 }])
  expect(made[1]?.flushed).toBeGreaterThan(0)
})

it('what posts with stamps is made as the SDK made what was there', async () => {
  const made = started('https://key@collector.test:8969/1')
  stampServer(Sentry)
  asked('waystation-stamp=mine')
  await Sentry.flush()
  const [plain, stamping] = made
  expect(stamping?.options).toEqual({
    ...plain?.options,
    recordDroppedEvent: expect.any(Function),
    httpModule: { request: expect.any(Function) },
  })
})
