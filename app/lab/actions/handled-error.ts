import * as Sentry from '@sentry/nextjs'
import type { LabAction } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

export const handledError: LabAction = {
  kind: 'run',
  id: 'handled-error',
  title: 'Handled error',
  expect: 'One event, handled, in a segment of its own.',
  run: async () => {
    const { traceId, value: eventId } = await inOwnTrace('lab: handled error', async () =>
      Sentry.captureException(new LabError(`handled (${newMarker()})`)),
    )
    return { traceId, eventId }
  },
}
