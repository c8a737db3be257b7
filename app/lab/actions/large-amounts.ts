import * as Sentry from '@sentry/nextjs'
import { BREADCRUMBS, RECORDED_SPANS } from '../../../lib/contract/values'
import type { LabAction } from '../entry'
import { LabError, newMarker } from '../lab-error'
import { inOwnTrace } from '../own-trace'

const CREATED = 150

export const breadcrumbs: LabAction = {
  kind: 'run',
  id: 'breadcrumbs',
  title: `${CREATED} breadcrumbs, then an error`,
  expect: `One event with the newest ${BREADCRUMBS} breadcrumbs: from “lab breadcrumb ${CREATED - BREADCRUMBS + 1}” on.`,
  run: async () => {
    const { traceId, value: eventId } = await inOwnTrace('lab: breadcrumbs', async () => {
      for (let n = 1; n <= CREATED; n += 1) Sentry.addBreadcrumb({ category: 'lab', message: `lab breadcrumb ${n}` })
      return Sentry.captureException(new LabError(`after ${CREATED} breadcrumbs (${newMarker()})`))
    })
    return { traceId, eventId }
  },
}

const SPANS = 1500

export const spans: LabAction = {
  kind: 'run',
  id: 'spans',
  title: `${SPANS} spans`,
  expect: `Static: ${RECORDED_SPANS} children, the rest in the client report. Streamed: all, in containers of at most ${RECORDED_SPANS}.`,
  run: async () => {
    const { traceId } = await inOwnTrace('lab: spans', async () => {
      for (let n = 1; n <= SPANS; n += 1) Sentry.startInactiveSpan({ name: `lab span ${n}`, op: 'lab.span' }).end()
    })
    return { traceId, observed: [`${SPANS} spans started and ended`] }
  },
}
