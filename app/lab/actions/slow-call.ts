import type { LabAction } from '../entry'
import { inOwnTrace } from '../own-trace'

const SLOW_MS = 2_000

export const slowCall: LabAction = {
  kind: 'run',
  id: 'slow-call',
  title: 'Slow API call',
  expect: `A call of ${SLOW_MS / 1000} s in the browser, and the server segment that took the time.`,
  run: async () => {
    const path = `/lab/api/slow?ms=${SLOW_MS}`
    const { traceId, value: status } = await inOwnTrace('lab: slow call', async () => (await fetch(path)).status)
    return { traceId, seen: [`GET ${path} answered ${status}`] }
  },
}
