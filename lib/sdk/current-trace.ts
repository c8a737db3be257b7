import * as Sentry from '@sentry/nextjs'
import { browserReady } from './start-browser'

/** The trace that something captured now would be in. */
export async function currentTraceId(): Promise<string> {
  await browserReady()
  const span = Sentry.getActiveSpan()
  return span?.spanContext().traceId ?? Sentry.getCurrentScope().getPropagationContext().traceId
}
