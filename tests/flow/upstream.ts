import { onTestFinished } from 'vitest'
import { type StandIn, startStandIn } from '../../collector/stand-in/stand-in'
import { formatDsn } from '../../lib/protocol/dsn'
import { type CollectorProcess, startCollector } from './collector-process'

/** A stand-in that ends with the test that starts it. */
export async function upstream(port?: number): Promise<StandIn> {
  const standIn = await startStandIn(port === undefined ? {} : { port })
  onTestFinished(() => standIn.close())
  return standIn
}

/** A collector that relays to this stand-in. */
export const relaying = (standIn: StandIn, env: Record<string, string> = {}): Promise<CollectorProcess> =>
  startCollector({ WAYSTATION_UPSTREAM: formatDsn(standIn.dsn), ...env })
