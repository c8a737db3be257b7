import type { LabAction } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { nextEventId } from '../next-event'
import { inOwnTrace } from '../own-trace'

export const promiseRejection: LabAction = {
  kind: 'run',
  id: 'promise-rejection',
  title: 'Promise rejection',
  expect: 'One event, unhandled (onunhandledrejection).',
  run: async () => {
    const marker = newMarker()
    const { traceId, value: eventId } = await inOwnTrace('lab: promise rejection', async () => {
      const reported = nextEventId(marker)
      void Promise.reject(new LabError(`rejected (${marker})`))
      return reported
    })
    return { traceId, eventId }
  },
}
