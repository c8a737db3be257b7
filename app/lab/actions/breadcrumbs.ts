import * as Sentry from '@sentry/nextjs'
import { BREADCRUMBS } from '../../../lib/contract/values'
import type { LabAction } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

const MADE = 150

export const breadcrumbs: LabAction = {
  kind: 'run',
  id: 'breadcrumbs',
  title: `${MADE} breadcrumbs, then an error`,
  expect: `One event with the newest ${BREADCRUMBS}: from “lab breadcrumb ${MADE - BREADCRUMBS + 1}” on.`,
  run: async () => {
    const { traceId, value: eventId } = await inOwnTrace('lab: breadcrumbs', async () => {
      for (let n = 1; n <= MADE; n += 1) Sentry.addBreadcrumb({ category: 'lab', message: `lab breadcrumb ${n}` })
      return Sentry.captureException(new LabError(`after ${MADE} breadcrumbs (${newMarker()})`))
    })
    return { traceId, eventId }
  },
}
