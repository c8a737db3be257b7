import { parseDsn } from '../../lib/protocol/dsn'
import type { Station } from './station'

/** Sends as an SDK of another program does: straight to the collector, by a DSN. Returns the status of the answer. */
export async function post(station: Station, body: string, dsn = station.running.localDsn): Promise<number> {
  const parsed = parseDsn(dsn)
  if (!parsed.ok) throw new Error(parsed.error)
  const { publicKey, projectId } = parsed.value
  const response = await fetch(`${station.running.collectorUrl}/api/${projectId}/envelope/?sentry_key=${publicKey}`, {
    method: 'POST',
    body,
  })
  return response.status
}
