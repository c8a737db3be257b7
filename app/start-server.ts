import { initServer } from '../lib/sdk/server'
import { environment, telemetrySettings } from './environment'
import { appTunnel } from './tunnel/app-tunnel'

/** The Node server's own beginning: the SDK, whose transport is the tunnel, and what the lifeboat still holds. */
export function startServer(): void {
  stopWhenMisconfigured()
  const tunnel = appTunnel()
  initServer(telemetrySettings(), (body, headers) => tunnel.send(body, headers))
  void tunnel.drain()
}

/** Next would log the error and go on answering 500: a wrong setting is to be seen at once, by whoever started this. */
function stopWhenMisconfigured(): void {
  try {
    environment()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
