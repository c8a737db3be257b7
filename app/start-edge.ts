import { initEdge } from '../lib/sdk/edge'
import { postOverHttp } from '../lib/sdk/transport'
import { environment, telemetrySettings } from './environment'

/** The edge runtime's own beginning. */
export function startEdge(): void {
  initEdge(telemetrySettings(), postOverHttp(`${environment().collectorUrl}/tunnel`, fetch))
}
