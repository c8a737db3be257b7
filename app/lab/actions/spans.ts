import * as Sentry from '@sentry/nextjs'
import { RECORDED_SPANS } from '../../../lib/contract/values'
import type { LabAction } from '../entry'
import { inOwnTrace } from '../own-trace'

const MADE = 1500

export const spans: LabAction = {
  kind: 'run',
  id: 'spans',
  title: `${MADE} spans`,
  expect: `Static: ${RECORDED_SPANS} children, the rest in the client report. Streamed: all, in containers of at most ${RECORDED_SPANS}.`,
  run: async () => {
    const { traceId } = await inOwnTrace('lab: spans', async () => {
      for (let n = 1; n <= MADE; n += 1) Sentry.startInactiveSpan({ name: `lab span ${n}`, op: 'lab.span' }).end()
    })
    return { traceId, seen: [`${MADE} spans started and ended`] }
  },
}
