import * as Sentry from '@sentry/nextjs'
import { currentTraceId } from './current-trace'
import { browserReady } from './start-browser'

export interface CapturedFallback {
  readonly eventId: string
  readonly traceId: string
}

/**
 * Reports the error that a fallback page stands in for, with the digest Next shows in place of a server's error, which
 * ties it to the server's own event. An error object that the SDK already has is not reported twice.
 */
export async function captureFallback(error: Error & { readonly digest?: string }): Promise<CapturedFallback> {
  await browserReady()
  const eventId = Sentry.captureException(error, {
    mechanism: { handled: false, type: 'auto.function.nextjs.error_boundary' },
    captureContext: error.digest === undefined ? {} : { tags: { digest: error.digest } },
  })
  return { eventId, traceId: await currentTraceId() }
}
