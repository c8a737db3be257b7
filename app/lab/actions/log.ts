import * as Sentry from '@sentry/nextjs'
import type { LabAction } from '../entry'
import { newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

export const log: LabAction = {
  kind: 'run',
  id: 'log',
  title: 'A log',
  expect: 'One log item of this trace, within 5 s: the SDK collects them.',
  run: async () => {
    const marker = newMarker()
    const { traceId } = await inOwnTrace('lab: log', async () => Sentry.logger.info(`lab log (${marker})`, { marker }))
    return { traceId, item: 'log', seen: [`logged “lab log (${marker})”`] }
  },
}
