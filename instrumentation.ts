import * as Sentry from '@sentry/nextjs'

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

export const onRequestError = Sentry.captureRequestError
