import type { Caused } from '../entry'
import { inOwnTrace } from '../own-trace'

/** Calls a route that fails, and says what came back. */
export async function failingCall(name: string, path: string): Promise<Caused> {
  const { traceId, value: status } = await inOwnTrace(name, async () => (await fetch(path, { method: 'POST' })).status)
  return { traceId, seen: [`POST ${path} answered ${status}`] }
}
