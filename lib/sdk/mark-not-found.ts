import * as Sentry from '@sentry/nextjs'
import { NOT_FOUND_ATTRIBUTE } from './leave-out'

/** Marks the pageload or navigation under way as a missing page, which the outgoing filter takes out. */
export function markNotFound(): void {
  const span = Sentry.getActiveSpan()
  if (span !== undefined) Sentry.getRootSpan(span).setAttribute(NOT_FOUND_ATTRIBUTE, true)
}
