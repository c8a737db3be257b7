import type { Caused, LabAction } from '../entry'
import { inOwnTrace } from '../own-trace'

const SLOW_MS = 2_000

export const slowCall: LabAction = {
  kind: 'run',
  id: 'slow-call',
  title: 'Slow API call',
  expect: `A request of ${SLOW_MS / 1000} s in the browser, and the server segment that took the time.`,
  run: async () => {
    const path = `/lab/api/slow?ms=${SLOW_MS}`
    const { traceId, value: status } = await inOwnTrace('lab: slow call', async () => (await fetch(path)).status)
    return { traceId, observed: [`GET ${path} answered ${status}`] }
  },
}

export const localhostCall: LabAction = {
  kind: 'run',
  id: 'localhost-call',
  title: 'Call to another localhost port',
  expect: 'The browser sends trace headers; the segment of the neighbour (another server here) joins the trace.',
  run: () => neighbourCall('lab: localhost call', 'localhost'),
}

export const foreignCall: LabAction = {
  kind: 'run',
  id: 'foreign-call',
  title: 'Call to a foreign origin',
  expect: 'The same neighbour, as 127.0.0.1: the browser sends no trace headers, and the segment has its own trace.',
  run: () => neighbourCall('lab: foreign call', '127.0.0.1'),
}

/** Calls the neighbour by one of its two host names and reports the trace headers that reached it. */
async function neighbourCall(name: string, host: 'localhost' | '127.0.0.1'): Promise<Caused> {
  // In a separate trace: the app's server takes part in opening it, and the other trace must show only the neighbour.
  const { value: port } = await inOwnTrace('lab: open the neighbour', openNeighbour)
  const address = `http://${host}:${port}/neighbour`
  const { traceId, value } = await inOwnTrace(name, async () => {
    const answer: unknown = await (await fetch(address)).json()
    return parseReceived(answer)
  })
  if (value === null) throw new Error(`${address} did not answer with sentryTrace and baggage`)
  return {
    traceId,
    observed: [
      `GET ${address}`,
      value.sentryTrace === null ? 'no sentry-trace arrived' : `sentry-trace arrived: ${value.sentryTrace}`,
      value.baggage === null ? 'no baggage arrived' : 'baggage arrived',
    ],
  }
}

async function openNeighbour(): Promise<number> {
  const opened: unknown = await (await fetch('/lab/api/neighbour', { method: 'POST' })).json()
  const port = typeof opened === 'object' && opened !== null && 'port' in opened ? Number(opened.port) : Number.NaN
  if (!Number.isInteger(port)) throw new Error('the neighbour could not be opened')
  return port
}

export interface ReceivedTraceHeaders {
  readonly sentryTrace: string | null
  readonly baggage: string | null
}

/** Parses the neighbour's answer; `null` when a field is missing. */
function parseReceived(value: unknown): ReceivedTraceHeaders | null {
  if (typeof value !== 'object' || value === null || !('sentryTrace' in value) || !('baggage' in value)) return null
  const { sentryTrace, baggage } = value
  return {
    sentryTrace: typeof sentryTrace === 'string' ? sentryTrace : null,
    baggage: typeof baggage === 'string' ? baggage : null,
  }
}
