import * as Sentry from '@sentry/nextjs'

export interface Traced<Value> {
  readonly traceId: string
  readonly value: Value
}

/** Runs work in its own trace. The span stays active until it settles, because a browser has no async context. */
export function inOwnTrace<Value>(name: string, work: () => Promise<Value>): Promise<Traced<Value>> {
  return Sentry.startNewTrace(() =>
    Sentry.startSpan({ name, op: 'lab', forceTransaction: true }, async (span) => ({
      traceId: span.spanContext().traceId,
      value: await work(),
    })),
  )
}

const TIMEOUT_MS = 5_000

/** Returns the id of the next event whose message contains the marker. Rejects when none is reported in 5 s. */
export function nextEventId(marker: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = Sentry.getClient()
    if (client === undefined) return reject(new Error('the SDK is not running in this page'))
    const stop = client.on('beforeSendEvent', (event) => {
      const hasMarker = event.exception?.values?.some((one) => one.value?.includes(marker) === true)
      if (hasMarker !== true || event.event_id === undefined) return
      stop()
      clearTimeout(timeout)
      resolve(event.event_id)
    })
    const timeout = setTimeout(() => {
      stop()
      reject(new Error(`the SDK reported no event with ${marker} within ${TIMEOUT_MS / 1000} s`))
    }, TIMEOUT_MS)
  })
}
