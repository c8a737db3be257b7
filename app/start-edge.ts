import { initEdge } from '../lib/sdk/edge'
import { postOverHttp } from '../lib/sdk/transport'
import { environment, telemetrySettings } from './environment'

/** Starts telemetry in the edge runtime. */
export function startEdge(): void {
  initEdge(telemetrySettings(), postOverHttp(`${environment().collectorUrl}/tunnel`, fetch))
}
