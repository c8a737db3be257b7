import { initEdge } from '../lib/sdk/edge'
import { postOverHttp } from '../lib/sdk/transport'
import { environment, telemetrySettings } from './environment'

export function startEdge(): void {
  initEdge(telemetrySettings(), postOverHttp(`${environment().collectorUrl}/tunnel`, fetch))
}
