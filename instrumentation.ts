import * as Sentry from '@sentry/nextjs'
import type { Instrumentation } from 'next'

/** Runs once in each server runtime before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startServer } = await import('./app/start-server')
    startServer()
  }
  if (process.env.NEXT_RUNTIME === 'edge') {
    const { startEdge } = await import('./app/start-edge')
    startEdge()
  }
}

/** The digest is all that a visitor can name of an error on the server, so its event has it as a tag. */
export const onRequestError: Instrumentation.onRequestError = (error, request, context) =>
  Sentry.withScope((scope) => {
    if (error instanceof Error && 'digest' in error) scope.setTag('digest', String(error.digest))
    return Sentry.captureRequestError(error, request, context)
  })
