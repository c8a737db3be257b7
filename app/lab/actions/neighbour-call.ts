import type { Caused } from '../entry'
import { parseHeard } from '../heard'
import { inOwnTrace } from '../own-trace'

/** Calls the neighbour under one of its two names and says which trace headers reached it. */
export async function neighbourCall(name: string, host: 'localhost' | '127.0.0.1'): Promise<Caused> {
  // In a trace of its own, or the app's own server would be in a trace that shall show that no server joins.
  const { value: port } = await inOwnTrace('lab: open the neighbour', openNeighbour)
  const address = `http://${host}:${port}/neighbour`
  const { traceId, value } = await inOwnTrace(name, async () => {
    const answer: unknown = await (await fetch(address)).json()
    return parseHeard(answer)
  })
  if (value === null) throw new Error(`${address} answered something unexpected`)
  return {
    traceId,
    seen: [
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
