import * as Sentry from '@sentry/nextjs'

export interface Traced<Value> {
  readonly traceId: string
  readonly value: Value
}

/**
 * Does some work in a trace of its own, so that a link to it shows this work and nothing else. The span stays the active
 * one until the promise settles: a browser has no async context, and the SDK keeps the scope for that long.
 */
export function inOwnTrace<Value>(name: string, work: () => Promise<Value>): Promise<Traced<Value>> {
  return Sentry.startNewTrace(() =>
    Sentry.startSpan({ name, op: 'lab', forceTransaction: true }, async (span) => ({
      traceId: span.spanContext().traceId,
      value: await work(),
    })),
  )
}
