import { initEdge } from '../lib/telemetry/edge'
import { postOverHttp } from '../lib/telemetry/http-post'
import { environment, telemetrySettings } from './environment'

/** The edge runtime's own beginning. */
export function startEdge(): void {
  initEdge(telemetrySettings(), postOverHttp(`${environment().collectorUrl}/tunnel`, fetch))
}
