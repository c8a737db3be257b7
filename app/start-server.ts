import { initServer } from '../lib/sdk/server'
import { environment, telemetrySettings } from './environment'
import { appTunnel } from './tunnel/app-tunnel'

/** Starts telemetry in the Node server: the SDK, with the tunnel as its transport, and the lifeboat's delivery. */
export function startServer(): void {
  stopWhenMisconfigured()
  const tunnel = appTunnel()
  initServer(telemetrySettings(), (body, headers) => tunnel.send(body, headers))
  void tunnel.drain()
}

/** Stops the process when a setting is invalid: Next would log the error and answer every request with 500. */
function stopWhenMisconfigured(): void {
  try {
    environment()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
