import * as Sentry from '@sentry/nextjs'
import type { LabAction } from '../entry'
import { newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

export const metric: LabAction = {
  kind: 'run',
  id: 'metric',
  title: 'A metric',
  expect: 'One counter of this trace, within 5 s: the SDK collects them.',
  run: async () => {
    const marker = newMarker()
    const { traceId } = await inOwnTrace('lab: metric', async () =>
      Sentry.metrics.count('lab.presses', 1, { attributes: { marker } }),
    )
    return { traceId, item: 'trace_metric', seen: [`counted lab.presses (${marker})`] }
  },
}
