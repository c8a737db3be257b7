import { initServer } from '../lib/telemetry/server'
import { telemetrySettings } from './environment'
import { appTunnel } from './tunnel/app-tunnel'

/** The Node server's own beginning: the SDK, whose transport is the tunnel, and what the lifeboat still holds. */
export function startServer(): void {
  const tunnel = appTunnel()
  initServer(telemetrySettings(), (body, headers) => tunnel.send(body, headers))
  void tunnel.drain()
}
