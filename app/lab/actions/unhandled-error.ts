import type { LabAction } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { nextEventId } from '../next-event'
import { inOwnTrace } from '../own-trace'

export const unhandledError: LabAction = {
  kind: 'run',
  id: 'unhandled-error',
  title: 'Unhandled error',
  expect: 'One event, unhandled (onerror), and the session is marked.',
  run: async () => {
    const marker = newMarker()
    const { traceId, value: eventId } = await inOwnTrace('lab: unhandled error', async () => {
      const reported = nextEventId(marker)
      // A microtask, because the SDK wraps timers and would report the timer instead of the page's own handler.
      queueMicrotask(() => {
        throw new LabError(`unhandled (${marker})`)
      })
      return reported
    })
    return { traceId, eventId }
  },
}
