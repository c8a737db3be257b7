import * as Sentry from '@sentry/nextjs'

const TIMEOUT_MS = 5_000

/**
 * The id of the next event whose error says this marker: how the page learns what the SDK made of an error that nobody
 * handed to it. Rejects when none comes.
 */
export function nextEventId(marker: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = Sentry.getClient()
    if (client === undefined) return reject(new Error('the SDK is not running in this page'))
    const stop = client.on('beforeSendEvent', (event) => {
      const says = event.exception?.values?.some((one) => one.value?.includes(marker) === true)
      if (says !== true || event.event_id === undefined) return
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
