import { OWN_HEADER } from '../lib/protocol/request'
import { initEdge } from '../lib/sdk/edge'
import { postOverHttp } from '../lib/sdk/transport'
import { environment, telemetrySettings } from './environment'

export function startEdge(): void {
  const post = postOverHttp(`${environment().collectorUrl}/tunnel`, fetch)
  initEdge(telemetrySettings(), (body, headers) => post(body, { ...headers, [OWN_HEADER]: '1' }))
}
