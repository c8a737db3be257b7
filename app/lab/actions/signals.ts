import * as Sentry from '@sentry/nextjs'
import type { LabAction } from '../entry'
import { newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

export const log: LabAction = {
  kind: 'run',
  id: 'log',
  title: 'A log',
  expect: 'One log item of this trace, after up to 5 s: the SDK collects logs.',
  run: async () => {
    const marker = newMarker()
    const { traceId } = await inOwnTrace('lab: log', async () => Sentry.logger.info(`lab log (${marker})`, { marker }))
    return { traceId, item: 'log', observed: [`logged “lab log (${marker})”`] }
  },
}

export const metric: LabAction = {
  kind: 'run',
  id: 'metric',
  title: 'A metric',
  expect: 'One counter of this trace, after up to 5 s: the SDK collects metrics.',
  run: async () => {
    const marker = newMarker()
    const { traceId } = await inOwnTrace('lab: metric', async () =>
      Sentry.metrics.count('lab.presses', 1, { attributes: { marker } }),
    )
    return { traceId, item: 'trace_metric', observed: [`counted lab.presses (${marker})`] }
  },
}
